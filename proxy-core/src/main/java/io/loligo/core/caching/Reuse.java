package io.loligo.core.caching;

import io.loligo.core.message.RequestHead;

/** Whether a stored response may answer a request (RFC 9111 section 4). Stateless. */
public final class Reuse {
  private Reuse() {}

  /**
   * Decides. Pure; on the path of every hit, so it allocates at most the record it returns.
   *
   * @param nowMillis wall clock
   * @param request borrowed
   * @param hasBody whether the request has content
   * @param stored the selected variant, or null
   * @param otherVariants whether anything at all is stored under the key
   * @param url effective URI for refresh_pattern, asked only where a pattern can matter
   * @param settings configuration in force
   */
  public static CacheDecision decide(
      long nowMillis,
      RequestHead request,
      boolean hasBody,
      StoredMeta stored,
      boolean otherVariants,
      CharSequence url,
      CacheSettings settings) {
    throw new AssertionError("caching work package");
  }

  /**
   * Whether {@code stored}, stale, may still be served because the origin failed or answered 5xx
   * (RFC 5861 section 4, RFC 9111 section 4.2.4; {@code max_stale}).
   */
  public static boolean mayServeOnError(
      long nowMillis, RequestHead request, StoredMeta stored, CacheSettings settings) {
    throw new AssertionError("caching work package");
  }
}
