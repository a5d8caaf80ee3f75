package io.loligo.store.disk.index;

import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.index.IndexStripes.Stripe;
import io.loligo.store.disk.segment.Segments;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of packed segments, as footers and checkpoints list it: made from the index, and put
 * into it at a start. Thread-safe: any thread. Its locks are those of the {@link Catalogue}.
 */
public final class SegmentContents {
  private final IndexStripes stripes;
  private final HeldBytes held;
  private final Segments segments;

  SegmentContents(IndexStripes stripes, HeldBytes held, Segments segments) {
    this.stripes = stripes;
    this.held = held;
    this.segments = segments;
  }

  /**
   * The content of packed segment {@code number} in its life {@code generation}; empty in another
   * life.
   */
  public List<Contents.Entry> of(int number, long generation) {
    int[] slots = segments.noted(number, generation);
    Arrays.sort(slots);
    List<Contents.Entry> entries = new ArrayList<>(slots.length);
    for (int i = 0; i < slots.length; i++) {
      Contents.Entry entry = i > 0 && slots[i] == slots[i - 1] ? null : entry(slots[i], number);
      if (entry != null) {
        entries.add(entry);
      }
    }
    return entries;
  }

  /** The content of {@code slot} in packed segment {@code number}; or null. */
  Contents.@Nullable Entry entry(int slot, int number) {
    Stripe stripe = stripes.ofSlot(slot);
    synchronized (stripe) {
      int local = IndexStripes.local(slot);
      ObjectIndex index = stripe.index;
      if (!index.isUsed(local) || SlabPlace.segment(index.place(local)) != number) {
        return null;
      }
      Pieces pieces = stripe.pieces.get(local);
      boolean alternative = (index.flags(local) & Catalogue.ALTERNATIVE) != 0;
      Contents.Entry.Builder entry =
          Contents.Entry.of(index.high(local), index.low(local))
              .version(index.version(local))
              .offset(SlabPlace.offset(index.place(local)))
              .length(index.length(local))
              .hits(index.hits(local))
              .flags(
                  (alternative ? Contents.ALTERNATIVE : 0)
                      | (IndexStripes.isPart(index, local) ? Contents.PART : 0));
      if (pieces != null) {
        entry
            .pieces(pieces.places)
            .fullPieceBytes(pieces.fullBytes)
            .lastPieceBytes(pieces.lastBytes);
      }
      return entry.build();
    }
  }

  /**
   * Adds an entry that was found on disk while the directory is being opened; false if a later
   * version is known or there is no room.
   */
  public boolean adopt(Contents.Entry entry, int segment) {
    Stripe stripe = stripes.of(entry.high());
    synchronized (stripe) {
      ObjectIndex index = stripe.index;
      int there = index.find(entry.high(), entry.low());
      if (there != ObjectIndex.NONE) {
        if (index.version(there) >= entry.version()) {
          if (index.version(there) > entry.version()) {
            index.flags(there, index.flags(there) | Catalogue.HAS_OLDER);
          }
          return false;
        }
        stripes.drop(stripe, there);
      }
      boolean hasPieces = entry.pieces().length > 0;
      int flags =
          (hasPieces ? Catalogue.HAS_PIECES : 0)
              | (there != ObjectIndex.NONE ? Catalogue.HAS_OLDER : 0)
              | ((entry.flags() & Contents.ALTERNATIVE) != 0 ? Catalogue.ALTERNATIVE : 0)
              | ((entry.flags() & Contents.PART) != 0 ? Catalogue.PART : 0);
      long place = SlabPlace.of(segment, entry.offset());
      int slot =
          stripes.hasSlots()
              ? index.insert(
                  entry.high(), entry.low(), entry.version(), place, entry.length(), flags)
              : ObjectIndex.NONE;
      if (slot == ObjectIndex.NONE) {
        return false;
      }
      stripes.added();
      index.hits(slot, entry.hits());
      int known = stripes.number(entry.high(), slot);
      held.hold(place, Block.aligned(entry.length()), known);
      if (hasPieces) {
        Pieces pieces =
            new Pieces(
                entry.pieces(), entry.fullPieceBytes(), entry.lastPieceBytes(), entry.version());
        for (int i = 0; i < entry.pieces().length; i++) {
          held.hold(entry.pieces()[i], pieces.bytesOf(i), known);
        }
        stripe.pieces.put(slot, pieces);
      }
      return true;
    }
  }
}
