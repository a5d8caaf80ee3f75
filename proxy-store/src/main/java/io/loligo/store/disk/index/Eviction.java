package io.loligo.store.disk.index;

import io.loligo.store.admission.DiskAdmission;
import io.loligo.store.admission.Lane;
import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.index.IndexStripes.Stripe;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.segment.Segment;
import io.loligo.store.disk.segment.Segments;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes space in a directory: which segment is emptied next, and which of its responses stay.
 * Thread-safe: any thread. Its locks are those of the {@link Catalogue}.
 */
public final class Eviction {
  private final IndexStripes stripes;
  private final Segments segments;
  private final DiskAdmission admission;
  private final Journal journal;

  Eviction(IndexStripes stripes, Segments segments, DiskAdmission admission, Journal journal) {
    this.stripes = stripes;
    this.segments = segments;
    this.admission = admission;
    this.journal = journal;
  }

  /** The segment to be emptied next, or null where none may be. */
  public @Nullable Segment victim(long slabBytes) {
    synchronized (segments) {
      Segment dead = segments.dead();
      if (dead != null) {
        return dead;
      }
      long probation = segments.liveBytes(Lane.PROBATION);
      long main = segments.liveBytes(Lane.MAIN);
      // small responses use up the records first: then the present number of responses is the
      // maximum
      long most = stripes.hasSlots() ? slabBytes : Math.min(slabBytes, probation + main);
      Lane first = probation + main == 0 ? Lane.PROBATION : admission.victim(probation, main, most);
      Segment segment = segments.oldest(first);
      return segment != null ? segment : segments.oldest(Lane.values()[1 - first.ordinal()]);
    }
  }

  /** The result of {@link #sift} for a segment that is being emptied. */
  public record Sifted(List<IndexedResponse> stay, List<IndexedResponse> doubtful) {
    public Sifted() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  /**
   * Decides on the content of {@code slot} in {@code segment}; drops what must go.
   *
   * @return whether it was dropped
   */
  public boolean sift(Segment segment, Lane lane, int slot, Sifted out) {
    Stripe stripe = stripes.ofSlot(slot);
    synchronized (stripe) {
      int local = IndexStripes.local(slot);
      ObjectIndex index = stripe.index;
      long bytes = index.isUsed(local) ? IndexStripes.bytesIn(stripe, segment.number(), local) : 0;
      if (bytes == 0) {
        return false;
      }
      Pieces pieces = stripe.pieces.get(local);
      if (pieces != null && pieces.readers > 0) {
        out.stay.add(stripes.stored(stripe, local));
        return false;
      }
      boolean mayBeInMemory = (index.flags(local) & Catalogue.WENT_TO_MEMORY) != 0;
      DiskAdmission.Verdict verdict =
          reclaim(lane, index.high(local), bytes, index.hits(local), mayBeInMemory);
      if (verdict.reason() == DiskAdmission.Reason.IN_MEMORY) {
        out.doubtful.add(stripes.stored(stripe, local));
      } else if (verdict.stays()) {
        out.stay.add(stripes.stored(stripe, local));
      } else {
        evict(stripe, local, segment.number(), lane, bytes);
        return true;
      }
      return false;
    }
  }

  private DiskAdmission.Verdict reclaim(
      Lane lane, long high, long bytes, int hits, boolean inMemory) {
    synchronized (segments) {
      return admission.reclaim(lane, high, bytes, hits, inMemory);
    }
  }

  private void evict(Stripe stripe, int slot, int segment, Lane lane, long bytes) {
    long high = stripe.index.high(slot);
    boolean mayBeFound =
        SlabPlace.segment(stripe.index.place(slot)) != segment
            || (stripe.index.flags(slot) & Catalogue.HAS_OLDER) != 0;
    if (mayBeFound) {
      journal.dropped(high, stripe.index.low(slot), stripe.index.version(slot));
    }
    stripes.drop(stripe, slot);
    synchronized (segments) {
      admission.evicted(lane, high, bytes);
    }
  }

  /** Evicts {@code stored} from {@code segment} for lack of space, if it is still there. */
  public boolean evict(IndexedResponse stored, Segment segment, Lane lane) {
    Stripe stripe = stripes.ofSlot(stored.slot());
    synchronized (stripe) {
      if (!stripes.isStill(stored)) {
        return false;
      }
      int slot = IndexStripes.local(stored.slot());
      evict(
          stripe,
          slot,
          segment.number(),
          lane,
          IndexStripes.bytesIn(stripe, segment.number(), slot));
      return true;
    }
  }

  /** Whether {@code stored}, which memory does not hold, stays. */
  public boolean staysUnheld(Lane lane, IndexedResponse stored, long bytes) {
    return reclaim(lane, stored.high(), bytes, stripes.hits(stored), false).stays();
  }

  /** Bytes of {@code stored} in {@code segment}; 0 if it has moved. */
  public long bytesIn(int segment, IndexedResponse stored) {
    Stripe stripe = stripes.ofSlot(stored.slot());
    synchronized (stripe) {
      return stripes.isStill(stored)
          ? IndexStripes.bytesIn(stripe, segment, IndexStripes.local(stored.slot()))
          : 0;
    }
  }

  /** {@code stored} was moved to the main lane. */
  public void kept(Lane from, IndexedResponse stored, long bytes) {
    synchronized (segments) {
      admission.kept(from, stored.high(), bytes);
    }
  }
}
