package io.loligo.core.caching;

import io.loligo.core.message.FieldLines;
import io.loligo.core.structured.StructuredFields;
import org.jspecify.annotations.Nullable;

/**
 * The Cache-Status line of this cache (RFC 9211), to be added after those of caches nearer to the
 * origin. Stateless; no allocation except for names and keys.
 */
public final class CacheStatus {
  private CacheStatus() {}

  /**
   * The line of a response from the store: {@code NAME; hit; ttl=...}, with the reason as detail
   * unless it is plain freshness, else {@code disk} if it comes from there.
   *
   * @param cacheName a host name or any other text
   * @param disk whether the disk was read for it
   * @param key to show, or null
   */
  public static void appendHit(
      FieldLines lines,
      String cacheName,
      CacheDecision decision,
      boolean disk,
      @Nullable String key) {
    begin(lines, cacheName);
    lines.append("; hit");
    ttl(lines, decision);
    key(lines, key);
    if (decision.reason() != CacheReason.FRESH) {
      detail(lines, decision.reason().detail());
    } else if (disk) {
      lines.append("; detail=disk");
    }
    lines.endLine();
  }

  /**
   * The line of a response from the store after a request to the next hop, which confirmed it or
   * failed. {@code NAME; fwd=stale; fwd-status=304; ttl=...; detail=validated}.
   *
   * @param why the decision for that request
   * @param forwardStatus status of its response; 0: none
   * @param decision by which the stored response answers
   * @param key to show, or null
   */
  public static void appendStandIn(
      FieldLines lines,
      String cacheName,
      CacheDecision why,
      int forwardStatus,
      CacheDecision decision,
      @Nullable String key) {
    begin(lines, cacheName);
    forward(lines, why, forwardStatus);
    ttl(lines, decision);
    key(lines, key);
    detail(lines, decision.reason().detail());
    lines.endLine();
  }

  /**
   * The line of a response from the next hop: {@code NAME; fwd=uri-miss; fwd-status=200; stored;
   * ttl=...}, with the reason as detail if it says more.
   *
   * @param cacheName a host name or any other text
   * @param decision why it was forwarded
   * @param forwardStatus status of the next hop's response; 0: none
   * @param stored meta of the stored response; null: not stored
   * @param waited whether the request waited for the fetch of another one
   * @param collapsed whether that fetch brought it
   * @param nowMillis wall clock
   * @param key to show, or null
   */
  public static void appendForward(
      FieldLines lines,
      String cacheName,
      CacheDecision decision,
      int forwardStatus,
      @Nullable StoredMeta stored,
      boolean waited,
      boolean collapsed,
      long nowMillis,
      @Nullable String key) {
    begin(lines, cacheName);
    forward(lines, decision, forwardStatus);
    if (stored != null) {
      lines.append("; stored; ttl=");
      lines.append(stored.lifetimeSeconds() - stored.ageSeconds(nowMillis));
    }
    if (waited) {
      lines.append(collapsed ? "; collapsed" : "; collapsed=?0");
    }
    key(lines, key);
    CacheReason reason = decision.reason();
    if (reason.tellsMore()) {
      detail(lines, reason.detail());
    }
    lines.endLine();
  }

  private static void forward(FieldLines lines, CacheDecision why, int status) {
    lines.append("; fwd=").append(why.forwardToken());
    if (status > 0) {
      lines.append("; fwd-status=").append((long) status);
    }
  }

  private static void ttl(FieldLines lines, CacheDecision decision) {
    if (decision.lifetimeSeconds() >= 0) {
      lines.append("; ttl=").append(decision.ttlSeconds());
    }
  }

  private static void key(FieldLines lines, @Nullable String key) {
    if (key != null) {
      string(lines.append("; key="), key);
    }
  }

  private static void begin(FieldLines lines, String cacheName) {
    lines.append("Cache-Status: ");
    if (StructuredFields.isToken(cacheName)) {
      lines.append(cacheName);
    } else {
      string(lines, cacheName);
    }
  }

  private static void detail(FieldLines lines, String detail) {
    lines.append("; detail=");
    if (StructuredFields.isToken(detail)) {
      lines.append(detail);
    } else {
      string(lines, detail);
    }
  }

  /** sf-string (RFC 9651 section 3.3.3); characters that it cannot hold become question marks. */
  private static void string(FieldLines lines, String text) {
    lines.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        lines.append('\\');
      }
      lines.append(c < ' ' || c > '~' ? '?' : c);
    }
    lines.append('"');
  }
}
