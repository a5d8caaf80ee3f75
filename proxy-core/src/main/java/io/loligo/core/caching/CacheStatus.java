package io.loligo.core.caching;

import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.message.FieldLines;

/**
 * The Cache-Status line of this cache (RFC 9211), to stand behind those of caches nearer to the
 * origin. Stateless; no allocation.
 */
public final class CacheStatus {
  private static final String TOKEN_OCTETS = "!#$%&'*+-.^_`|~:/";

  private CacheStatus() {}

  /**
   * The line of an answer from the store: {@code NAME; hit; ttl=...}, with the reason as detail
   * where it is not plain freshness, else {@code disk} where it comes from there.
   *
   * @param cacheName a host name or any other text
   * @param disk whether the disk was read for it
   */
  public static void appendHit(
      FieldLines lines, String cacheName, CacheDecision decision, boolean disk) {
    begin(lines, cacheName);
    if (decision.outcome() == Outcome.UNSATISFIABLE) {
      lines.append("; detail=only-if-cached").endLine();
      return;
    }
    lines.append("; hit");
    if (decision.lifetimeSeconds() >= 0) {
      lines.append("; ttl=").append(decision.ttlSeconds());
    }
    if (decision.reason() != CacheReason.FRESH) {
      detail(lines, decision.reason().detail());
    } else if (disk) {
      lines.append("; detail=disk");
    }
    lines.endLine();
  }

  /**
   * The line of an answer from the next hop: {@code NAME; fwd=uri-miss; fwd-status=200; stored}.
   *
   * @param cacheName a host name or any other text
   * @param decision why it was forwarded
   * @param forwardStatus status of the next hop's answer; 0: unknown or none
   * @param stored whether that answer is stored
   * @param collapsed whether another request's fetch brought it
   */
  public static void appendForward(
      FieldLines lines,
      String cacheName,
      CacheDecision decision,
      int forwardStatus,
      boolean stored,
      boolean collapsed) {
    begin(lines, cacheName);
    String token = decision.reason().token();
    lines.append("; fwd=").append(token == null ? "miss" : token);
    if (forwardStatus > 0) {
      lines.append("; fwd-status=").append((long) forwardStatus);
    }
    if (stored) {
      lines.append("; stored");
    }
    if (collapsed) {
      lines.append("; collapsed");
    }
    lines.endLine();
  }

  private static void begin(FieldLines lines, String cacheName) {
    lines.append("Cache-Status: ");
    if (isToken(cacheName)) {
      lines.append(cacheName);
    } else {
      string(lines, cacheName);
    }
  }

  private static void detail(FieldLines lines, String detail) {
    lines.append("; detail=");
    if (isToken(detail)) {
      lines.append(detail);
    } else {
      string(lines, detail);
    }
  }

  /** sf-token (RFC 8941 section 3.3.4). */
  private static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      boolean inner = (c >= '0' && c <= '9') || TOKEN_OCTETS.indexOf(c) >= 0;
      if (!letter && c != '*' && (i == 0 || !inner)) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** sf-string (RFC 8941 section 3.3.3); what it cannot hold becomes a question mark. */
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
