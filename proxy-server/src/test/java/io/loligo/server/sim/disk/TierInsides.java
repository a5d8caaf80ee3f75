package io.loligo.server.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.admission.Lane;
import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.Pieces;
import io.loligo.store.disk.segment.Segment;
import io.loligo.store.disk.segment.SegmentBuffer;
import io.loligo.store.disk.segment.Segments;
import io.netty.util.collection.IntObjectHashMap;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The internal state of a tier, inspected while it is idle. Stateless. */
final class TierInsides {
  private TierInsides() {}

  /** Hash of a response. */
  record Hash(long high, long low) {}

  private static Object get(Object of, String name) {
    try {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(of);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  private static int number(Object of, String name) {
    return (int) get(of, name);
  }

  private static boolean flag(Object of, String name) {
    return (boolean) get(of, name);
  }

  private static Object directory(DiskTier tier) {
    return ((List<?>) get(get(tier, "directories"), "all")).get(0);
  }

  private static Object pending(DiskTier tier) {
    return get(tier, "pending");
  }

  /** Whether something is being written under {@code key}. */
  static boolean isWriting(DiskTier tier, Object key) {
    return ((Map<?, ?>) get(pending(tier), "writes")).containsKey(key);
  }

  private static Object state(DiskTier tier) {
    return get(directory(tier), "state");
  }

  /** Whether its directory serves and stores. */
  static boolean isReady(DiskTier tier) {
    return get(state(tier), "phase").toString().equals("READY");
  }

  /** Whether it cannot be closed in order. */
  static boolean isInDisorder(DiskTier tier) {
    return flag(state(tier), "inDisorder");
  }

  /** Null where it was never opened. */
  static DirectoryContext context(DiskTier tier) {
    Object open = get(state(tier), "last");
    return open == null ? null : (DirectoryContext) get(open, "context");
  }

  private static Object[] stripes(Catalogue catalogue) {
    return (Object[]) get(get(catalogue, "stripes"), "stripes");
  }

  /** Versions of all that is stored. */
  static Map<Hash, Long> stored(DirectoryContext context) {
    Map<Hash, Long> found = new HashMap<>();
    for (Object stripe : stripes(context.catalogue())) {
      ObjectIndex index = (ObjectIndex) get(stripe, "index");
      for (int slot = 0; slot < index.slots(); slot++) {
        if (index.isUsed(slot)) {
          found.put(new Hash(index.high(slot), index.low(slot)), index.version(slot));
        }
      }
    }
    return found;
  }

  /** No key is hidden, and nothing is pending. */
  static void verifyIdle(DiskTier tier) {
    assertThat((Map<?, ?>) get(pending(tier), "writes")).as("writes on their way").isEmpty();
    assertThat((Map<?, ?>) get(pending(tier), "removals")).as("hidden keys").isEmpty();
    assertThat(((AtomicInteger) get(pending(tier), "clearing")).get()).as("being cleared").isZero();
  }

  static String describe(Segments segments) {
    StringBuilder text = new StringBuilder();
    Object[] open = (Object[]) get(segments, "open");
    for (int i = 0; i < segments.count(); i++) {
      Segment segment = segments.get(i);
      text.append(i).append(": ").append(segment.lane()).append(' ').append(get(segment, "kind"));
      text.append(Arrays.asList(open).contains(segment) ? " open" : "");
      for (String part : List.of("used", "liveBytes", "pins", "unflushed")) {
        text.append(' ').append(part).append(' ').append(get(segment, part));
      }
      text.append(System.lineSeparator());
    }
    return text.toString();
  }

  private record Part(int segment, int from, long bytes) {}

  /** All books agree, while there is no read or write. */
  static void verify(DirectoryContext context) {
    Catalogue catalogue = context.catalogue();
    Segments segments = context.segments();
    long[] live = new long[segments.count()];
    List<Set<Integer>> slots = new ArrayList<>();
    for (int i = 0; i < segments.count(); i++) {
      slots.add(new HashSet<>());
    }
    List<Part> parts = new ArrayList<>();
    int objects = 0;
    Object[] stripes = stripes(catalogue);
    for (int i = 0; i < stripes.length; i++) {
      ObjectIndex index = (ObjectIndex) get(stripes[i], "index");
      IntObjectHashMap<?> pieces = (IntObjectHashMap<?>) get(stripes[i], "pieces");
      int used = 0;
      int withPieces = 0;
      for (int slot = 0; slot < index.slots(); slot++) {
        if (!index.isUsed(slot)) {
          continue;
        }
        used++;
        List<Part> here = new ArrayList<>();
        long place = index.place(slot);
        here.add(
            new Part(
                SlabPlace.segment(place),
                SlabPlace.offset(place),
                Block.aligned(index.length(slot))));
        Pieces more = (Pieces) pieces.get(slot);
        assertThat(more != null)
            .as("pieces of slot %d", slot)
            .isEqualTo((index.flags(slot) & Catalogue.HAS_PIECES) != 0);
        if (more != null) {
          withPieces++;
          assertThat(number(more, "readers")).as("readers").isZero();
          assertThat(flag(more, "gone")).as("pieces that are gone").isFalse();
          long[] places = (long[]) get(more, "places");
          for (int piece = 0; piece < places.length; piece++) {
            long at = places[piece];
            here.add(new Part(SlabPlace.segment(at), SlabPlace.offset(at), more.bytesOf(piece)));
          }
        }
        for (Part part : here) {
          live[part.segment] += part.bytes;
          slots.get(part.segment).add(i << 27 | slot);
        }
        parts.addAll(here);
      }
      assertThat(index.size()).as("size of stripe %d", i).isEqualTo(used);
      assertThat(pieces.size()).as("responses with pieces").isEqualTo(withPieces);
      objects += used;
    }
    assertThat(catalogue.objects()).as("objects").isEqualTo(objects);
    assertThat(catalogue.storedBytes()).as("stored bytes").isEqualTo(Arrays.stream(live).sum());
    verifyParts(parts);
    verify(segments, live, slots);
    SegmentBuffer[] resident = (SegmentBuffer[]) get(segments, "resident");
    assertThat(((AtomicInteger) get(context.pool(), "out")).get())
        .as("buffers")
        .isEqualTo(resident.length);
  }

  private static void verifyParts(List<Part> parts) {
    parts.sort(Comparator.comparingInt(Part::segment).thenComparingInt(Part::from));
    for (int i = 1; i < parts.size(); i++) {
      Part before = parts.get(i - 1);
      Part part = parts.get(i);
      assertThat(before.segment < part.segment || before.from + before.bytes <= part.from)
          .as("%s and %s", before, part)
          .isTrue();
    }
  }

  private static void verify(Segments segments, long[] live, List<Set<Integer>> slots) {
    Collection<?> free = (Collection<?>) get(segments, "free");
    List<?> lanes = (List<?>) get(segments, "lanes");
    Object[] open = (Object[]) get(segments, "open");
    SegmentBuffer[] resident = (SegmentBuffer[]) get(segments, "resident");
    assertThat(segments.freeCount()).as("free segments").isEqualTo(free.size());
    long[] byLane = new long[Lane.values().length];
    int inLanes = 0;
    for (int i = 0; i < segments.count(); i++) {
      Segment segment = segments.get(i);
      String name = "segment " + i;
      assertThat(number(segment, "pins")).as("pins of %s", name).isZero();
      assertThat(flag(segment, "condemned")).as("%s is condemned", name).isFalse();
      assertThat((long) get(segment, "liveBytes")).as("bytes in %s", name).isEqualTo(live[i]);
      assertThat(free.stream().filter(one -> one == segment).count())
          .as("%s, free", name)
          .isEqualTo(segment.lane() == null ? 1 : 0);
      for (Lane lane : Lane.values()) {
        long count =
            ((Collection<?>) lanes.get(lane.ordinal()))
                .stream().filter(one -> one == segment).count();
        assertThat(count).as("%s in %s", name, lane).isEqualTo(segment.lane() == lane ? 1 : 0);
        inLanes += (int) count;
      }
      long unflushed = Arrays.stream(resident).filter(one -> one.segment() == segment).count();
      assertThat((long) number(segment, "unflushed"))
          .as("buffers of %s", name)
          .isEqualTo(unflushed);
      if (segment.lane() != null) {
        byLane[segment.lane().ordinal()] += live[i];
        Set<Integer> noted = new HashSet<>();
        Arrays.stream(segments.noted(i, segment.generation())).forEach(noted::add);
        assertThat(noted).as("noted in %s", name).containsAll(slots.get(i));
      }
    }
    assertThat(inLanes + free.size()).as("segments").isEqualTo(segments.count());
    for (Lane lane : Lane.values()) {
      assertThat(segments.liveBytes(lane)).as("%s", lane).isEqualTo(byLane[lane.ordinal()]);
    }
    for (Object one : open) {
      if (one != null) {
        assertThat(((Segment) one).lane()).as("open and free").isNotNull();
      }
    }
  }
}
