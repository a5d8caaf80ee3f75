package io.loligo.core.caching;

import org.jspecify.annotations.Nullable;

/**
 * The reason of a decision. {@link #token} is the {@code fwd} parameter of Cache-Status (RFC 9211
 * section 2.2), null for hits; {@link #detail} its {@code detail}.
 */
public enum CacheReason {
  FRESH(null, "fresh"),
  STALE_ALLOWED_BY_CLIENT(null, "max-stale"),
  STALE_WHILE_REVALIDATE(null, "stale-while-revalidate"),
  STALE_IF_ERROR(null, "stale-if-error"),
  VALIDATED(null, "validated"),
  NEGATIVE(null, "negative"),
  OFFLINE(null, "offline-mode"),
  /** Fresh by the configuration, against the origin. */
  FRESH_BY_CONFIGURATION(null, "refresh_pattern"),
  /** Fresh, and immutable (RFC 8246) overrides the request's demand for validation. */
  IMMUTABLE(null, "immutable"),
  /** Fresh, and the configuration ignores the request's reload. */
  RELOAD_IGNORED(null, "ignore-reload"),
  URI_MISS("uri-miss", "nothing stored"),
  VARY_MISS("vary-miss", "no variant matches"),
  /** A response may be stored, but the disk did not answer in time or correctly. */
  DISK_UNREADABLE("miss", "disk not readable"),
  STALE("stale", "stale"),
  MUST_VALIDATE("stale", "no-cache response"),
  REQUEST_NO_CACHE("request", "no-cache"),
  REQUEST_MAX_AGE("request", "max-age"),
  REQUEST_MIN_FRESH("request", "min-fresh"),
  REQUEST_NO_STORE("request", "no-store"),
  METHOD("method", "method"),
  REQUEST_BODY("bypass", "request has content"),
  CONDITIONAL("request", "conditional"),
  /** A part is stored, and not the requested one. */
  INCOMPLETE("partial", "stored in part only"),
  CACHE_DENIED("bypass", "cache deny"),
  /** A response is stored, but the rules deny it to this request. */
  HIT_DENIED("bypass", "send_hit deny"),
  UPGRADE("bypass", "upgrade"),
  /** The host of an intercepted request does not lead to the address its client connected to. */
  HOST_CONFLICT("bypass", "host is elsewhere");

  private final @Nullable String token;
  private final String detail;

  CacheReason(@Nullable String token, String detail) {
    this.token = token;
    this.detail = detail;
  }

  public @Nullable String token() {
    return token;
  }

  /** Whether the configuration causes a violation of HTTP (RFC 9111). */
  public boolean violates() {
    return this == OFFLINE || this == RELOAD_IGNORED || this == FRESH_BY_CONFIGURATION;
  }

  /** Whether the store is not consulted. */
  public boolean bypasses() {
    return switch (this) {
      case METHOD, REQUEST_BODY, CACHE_DENIED, UPGRADE, HOST_CONFLICT -> true;
      default -> false;
    };
  }

  /** Whether {@link #detail} says more than {@link #token}. */
  public boolean tellsMore() {
    return switch (this) {
      case URI_MISS, VARY_MISS, STALE, METHOD -> false;
      default -> true;
    };
  }

  public String detail() {
    return detail;
  }
}
