package io.loligo.core.message;

/**
 * The length of a message's content in bytes, as far as it is known when the head is there. A
 * negative number says that it is not. Stateless.
 */
public final class ContentLength {
  /** There is content, and its length is not known: the framing tells where it ends. */
  public static final long UNKNOWN = -1;

  /** There is no content, and no length is announced. */
  public static final long NONE = -2;

  /**
   * There is content, and only the end of the connection ends it: cut content looks complete (RFC
   * 9112 section 8).
   */
  public static final long UNDELIMITED = -3;

  private ContentLength() {}

  /** Whether content follows the head, be it empty. */
  public static boolean hasContent(long contentLength) {
    return contentLength != NONE;
  }

  /** Bytes of the content: 0 where there is none, {@link #UNKNOWN} where they are not known. */
  public static long bytes(long contentLength) {
    return contentLength == NONE ? 0 : Math.max(UNKNOWN, contentLength);
  }
}
