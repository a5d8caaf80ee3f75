package io.loligo.core.message;

/**
 * The length of a message's content in bytes, as far as it is known when the head has arrived. A
 * negative number is a special value. Stateless.
 */
public final class ContentLength {
  /** There is content of unknown length: the framing tells where it ends. */
  public static final long UNKNOWN = -1;

  /** There is no content, and no announced length. */
  public static final long NONE = -2;

  /**
   * There is content that only the end of the connection ends: truncated content looks complete
   * (RFC 9112 section 8).
   */
  public static final long UNDELIMITED = -3;

  private ContentLength() {}

  /** Whether content follows the head, possibly empty. */
  public static boolean hasContent(long contentLength) {
    return contentLength != NONE;
  }

  /** Bytes of the content: 0 if there is none, {@link #UNKNOWN} if they are not known. */
  public static long bytes(long contentLength) {
    return contentLength == NONE ? 0 : Math.max(UNKNOWN, contentLength);
  }
}
