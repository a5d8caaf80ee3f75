package io.loligo.core.caching;

import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;

/**
 * Whether a response is stored (RFC 9111 section 3), and with what lifetime. Immutable.
 *
 * @param storable whether it is
 * @param reason why, in words for explain and the log
 * @param meta what to keep; null where it is not stored
 * @param shareable whether waiters of an equal request may read along (a storable answer, or one
 *     that only its size keeps out of the store)
 */
public record Storability(boolean storable, String reason, StoredMeta meta, boolean shareable) {

  /**
   * Decides. Pure.
   *
   * @param request as the client sent it, borrowed
   * @param response borrowed
   * @param url effective URI, for refresh_pattern
   * @param requestTimeMillis when the request was sent
   * @param responseTimeMillis when the head arrived
   * @param contentLength -1 where unknown
   */
  public static Storability of(
      RequestHead request,
      ResponseHead response,
      CharSequence url,
      long requestTimeMillis,
      long responseTimeMillis,
      long contentLength,
      CacheSettings settings) {
    throw new AssertionError("caching work package");
  }

  /**
   * The stored response after a 304 (RFC 9111 sections 3.2 and 4.3.4): meta with the new times,
   * lifetime and validators. {@code merged} holds the updated stored fields (see {@link
   * Freshening}).
   */
  public static StoredMeta freshened(
      StoredMeta stored,
      ResponseHead merged,
      CharSequence url,
      long requestTimeMillis,
      long responseTimeMillis,
      CacheSettings settings) {
    throw new AssertionError("caching work package");
  }
}
