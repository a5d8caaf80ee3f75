package io.loligo.store.disk.index;

/**
 * Where the pieces of a stored response are, and how many readers are in the middle of it: they
 * follow when it moves. Guarded by the catalogue, but for the places, which any thread may read.
 */
public final class Pieces {
  final int fullBytes;
  final int lastBytes;

  /** One for each piece; the array does not change. */
  volatile long[] places;

  /** Of the first block that names the places. */
  long version;

  /** Readers that go on reading. */
  int readers;

  /** It is not stored any more, but its bytes are held as long as somebody reads. */
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
