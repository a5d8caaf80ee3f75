package io.loligo.store.disk.index;

import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.segment.Segments;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that stored responses hold in segments: a first block each, and perhaps pieces. Pieces
 * of a dropped response are held until its last reader ends. Guarded by the stripe of the response,
 * except for {@link #sum}, which any thread may call.
 */
final class HeldBytes {
  private final Segments segments;
  private final LongAdder sum = new LongAdder();

  HeldBytes(Segments segments) {
    this.segments = segments;
  }

  /** Bytes that are held now. */
  long sum() {
    return Math.max(0, sum.sum());
  }

  /** The pieces of the object that replaces the one with {@code before}, or null. */
  Pieces pieces(Publication object, @Nullable Pieces before, int slot) {
    Layout layout = object.layout();
    long[] places = object.pieces();
    Pieces now =
        new Pieces(
            places,
            layout.fullPieceBytes(),
            layout.lastPieceBytes(),
            FirstBlock.version(object.block()));
    if (before == null || object.moved() == null) {
      for (int i = 0; i < places.length; i++) {
        hold(places[i], now.bytesOf(i), slot);
      }
      if (before != null) {
        let(before);
      }
      return now;
    }
    long[] old = before.places;
    for (int i = 0; i < places.length; i++) {
      if (places[i] != old[i]) {
        let(old[i], before.bytesOf(i));
        hold(places[i], now.bytesOf(i), slot);
      }
    }
    before.places = places; // its readers follow it
    before.version = FirstBlock.version(object.block());
    return before;
  }

  /** The response in {@code slot} holds {@code bytes} at {@code place} from now on. */
  void hold(long place, long bytes, int slot) {
    segments.hold(place, bytes, slot);
    sum.add(bytes);
  }

  /** {@code bytes} at {@code place} are no longer held. */
  void let(long place, long bytes) {
    segments.let(place, bytes);
    sum.add(-bytes);
  }

  /** Gives up pieces, or leaves that to their last reader. */
  void let(Pieces pieces) {
    pieces.gone = true;
    if (pieces.readers == 0) {
      letPieces(pieces, Long.MAX_VALUE);
    }
  }

  /** A reader of {@code pieces} has ended. */
  void endReading(Pieces pieces) {
    pieces.readers--;
    if (pieces.gone && pieces.readers == 0) {
      letPieces(pieces, pieces.version);
    }
  }

  /**
   * @param version those in segments of a later life belong to another response
   */
  private void letPieces(Pieces pieces, long version) {
    long[] places = pieces.places;
    for (int i = 0; i < places.length; i++) {
      segments.let(places[i], pieces.bytesOf(i), version);
      sum.add(-pieces.bytesOf(i));
    }
  }
}
