package io.loligo.server.upstream.http1;

/** The array in which heads of one event loop are parsed. Confined to that loop. */
public final class HeadScratch {
  /** Its length in bytes; a longer head is parsed in an array of its own. */
  static final int BYTES = 16_384;

  private final byte[] bytes = new byte[BYTES];
  private boolean lent;

  /** The array, or a new one while a caller further up the stack uses it. */
  byte[] borrow() {
    if (lent) {
      return new byte[BYTES];
    }
    lent = true;
    return bytes;
  }

  /** Ends a loan; other arrays are ignored. */
  void giveBack(byte[] array) {
    if (array == bytes) {
      lent = false;
    }
  }
}
