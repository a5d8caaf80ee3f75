package io.loligo.core.range;

import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The incomplete stored responses that answer a request together: those of the newest
 * representation, if a strong entity tag proves that they belong together (RFC 9111 section 3.4).
 * Immutable.
 *
 * @param meta of all of them together: that of the newest one; without a {@linkplain
 *     StoredMeta#part part} if nothing is missing
 * @param used numbers of the needed ones, in ascending order of their first bytes
 * @param newest number of the one whose fields count, one of {@code used}
 * @param outdated numbers of those that are no longer useful: of an older representation, or with
 *     no byte that another one lacks
 */
public record JoinedParts(StoredMeta meta, List<Integer> used, int newest, List<Integer> outdated) {
  /** The flags for the kind of port that may use a response, and for its rules. */
  private static final int KIND =
      StoredMeta.TARGETED | StoredMeta.UNTARGETED | StoredMeta.FOR_ONE_KIND;

  /**
   * Chooses among {@code parts}, at least one, all of which {@code request} selects.
   *
   * @param request null: all of them are wanted
   */
  public static JoinedParts of(List<StoredMeta> parts, @Nullable Fields request) {
    int newest = newest(parts, all(parts));
    StoredMeta meta = parts.get(newest);
    List<Integer> outdated = new ArrayList<>();
    List<Integer> same = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      if (isSame(parts.get(i), meta)) {
        same.add(i);
      } else if (isOlder(parts.get(i), meta)) {
        outdated.add(i);
      }
    }
    return meta.canBeContinued()
        ? joined(parts, same, outdated, request)
        : single(parts, same, outdated, newest, request);
  }

  private static List<Integer> all(List<StoredMeta> parts) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      all.add(i);
    }
    return all;
  }

  private static int newest(List<StoredMeta> parts, List<Integer> among) {
    int newest = among.get(0);
    for (int i : among) {
      StoredMeta one = parts.get(i);
      StoredMeta best = parts.get(newest);
      boolean later = one.responseTimeMillis() > best.responseTimeMillis();
      if (VarySelection.prefers(one, best) || (later && !VarySelection.prefers(best, one))) {
        newest = i;
      }
    }
    return newest;
  }

  /** Whether {@code one} and {@code other} differ only in their bytes. */
  private static boolean isSame(StoredMeta one, StoredMeta other) {
    boolean sameLength =
        one.contentLength() == other.contentLength()
            || one.contentLength() < 0
            || other.contentLength() < 0;
    return sameLength
        && Arrays.equals(one.etag(), other.etag())
        && (one.etag() != null || one.lastModifiedMillis() == other.lastModifiedMillis())
        && (one.flags() & KIND) == (other.flags() & KIND)
        && one.canBeContinued() == other.canBeContinued()
        && Objects.equals(one.vary(), other.vary());
  }

  /** Whether {@code newest} proves that {@code one} is no longer current. */
  private static boolean isOlder(StoredMeta one, StoredMeta newest) {
    return Objects.equals(one.vary(), newest.vary())
        && one.responseTimeMillis() <= newest.responseTimeMillis()
        && !Arrays.equals(one.etag(), newest.etag());
  }

  /** Without a strong entity tag a single part answers: the newest that has the requested bytes. */
  private static JoinedParts single(
      List<StoredMeta> parts,
      List<Integer> same,
      List<Integer> outdated,
      int newest,
      @Nullable Fields request) {
    List<Integer> able = new ArrayList<>(same);
    able.removeIf(i -> !holds(parts.get(i), request));
    int used = able.isEmpty() ? newest : newest(parts, able);
    return new JoinedParts(parts.get(used), List.of(used), used, List.copyOf(outdated));
  }

  private static boolean holds(StoredMeta stored, @Nullable Fields request) {
    ContentPart part = stored.part();
    List<ByteRange> ranges = ranges(stored, stored.contentLength(), request);
    boolean holds = !ranges.isEmpty();
    for (ByteRange range : ranges) {
      holds &= part == null || part.holds(range.first(), range.last());
    }
    return holds;
  }

  private static List<ByteRange> ranges(StoredMeta stored, long length, @Nullable Fields request) {
    return request == null || !request.has(FieldName.RANGE)
        ? List.of()
        : RangeSelection.of(request, stored, length).ranges();
  }

  private static JoinedParts joined(
      List<StoredMeta> parts,
      List<Integer> same,
      List<Integer> outdated,
      @Nullable Fields request) {
    long length = -1;
    for (int i : same) {
      length = Math.max(length, parts.get(i).contentLength());
    }
    List<ByteRange> ranges = ranges(parts.get(same.get(0)), length, request);
    same.sort(
        Comparator.comparingLong((Integer i) -> parts.get(i).contentStart())
            .thenComparing(i -> -parts.get(i).contentEnd()));
    List<Integer> used = new ArrayList<>();
    long reached = -1;
    for (int i : same) {
      StoredMeta part = parts.get(i);
      if (part.contentEnd() <= reached) {
        outdated.add(i);
      } else {
        reached = part.contentEnd();
        if (isNear(part, ranges)) {
          used.add(i);
        }
      }
    }
    if (used.isEmpty()) {
      used.add(newest(parts, without(same, outdated)));
    }
    int newest = newest(parts, used);
    StoredMeta meta =
        parts.get(newest).withContentLength(length).withPart(union(parts, used, length));
    for (int i : used) {
      long asked = parts.get(i).requestTimeMillis();
      meta = asked < meta.requestTimeMillis() ? meta.askedForAt(asked) : meta;
    }
    return new JoinedParts(meta, List.copyOf(used), newest, List.copyOf(outdated));
  }

  private static List<Integer> without(List<Integer> all, List<Integer> gone) {
    List<Integer> left = new ArrayList<>(all);
    left.removeAll(gone);
    return left;
  }

  /** Whether {@code part} has a requested byte, or ends where the requested bytes begin. */
  private static boolean isNear(StoredMeta part, List<ByteRange> ranges) {
    if (ranges.isEmpty()) {
      return true;
    }
    long first = ranges.get(0).first();
    long last = ranges.get(0).last();
    for (ByteRange range : ranges) {
      first = Math.min(first, range.first());
      last = Math.max(last, range.last());
    }
    return part.contentStart() <= last && part.contentEnd() >= first;
  }

  /** Null if it is the whole. */
  private static @Nullable ContentPart union(
      List<StoredMeta> parts, List<Integer> used, long length) {
    List<ContentPart> pieces = new ArrayList<>();
    for (int i : used) {
      pieces.add(parts.get(i).part());
    }
    ContentPart all = ContentPart.joined(pieces);
    boolean whole = all.gaps().isEmpty() && all.first() == 0 && all.end() == length;
    return whole ? null : all;
  }
}
