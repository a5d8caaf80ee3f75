package io.loligo.store.disk.index;

/**
 * The places of a stored response's pieces, and the number of active readers, which follow when the
 * response moves. Guarded by the catalogue, except for the places, which any thread may read.
 */
public final class Pieces {
  final int fullBytes;
  final int lastBytes;

  /** One for each piece; the array does not change. */
  volatile long[] places;

  /** Of the first block that names the places. */
  long version;

  /** Active readers. */
  int readers;

  /** The response is no longer stored, but its bytes are held while it has readers. */
  boolean gone;

  Pieces(long[] places, int fullBytes, int lastBytes, long version) {
    this.version = version;
    this.places = places;
    this.fullBytes = fullBytes;
    this.lastBytes = lastBytes;
  }

  public int bytesOf(int piece) {
    return piece == places.length - 1 ? lastBytes : fullBytes;
  }
}
