package io.loligo.server.exchange.rules;

import io.loligo.core.acl.AclVerdict;
import io.loligo.core.message.FieldLines;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Shed;
import org.jspecify.annotations.Nullable;

/**
 * A response that the proxy generates instead of the requested one. A challenge is a refusal with
 * 401 or 407 and the field line that names the schemes. Immutable.
 *
 * @param errorCode Squid's ERR_ name; empty: a redirection, which has no page
 * @param text the explanation for the client
 * @param lines further field lines, borrowed; null if none
 * @param tag the tag for the access log; null: unchanged
 * @param detail the explanation for the operator; null: {@code text} is enough
 * @param shed the load limit that was exceeded; null if none
 * @param closes whether the connection closes even if the request has no content
 * @param verdict of the list of rules that denies; null: none does
 */
public record Refusal(
    int status,
    String errorCode,
    String text,
    @Nullable FieldLines lines,
    @Nullable LogTag tag,
    @Nullable String detail,
    @Nullable Shed shed,
    boolean closes,
    @Nullable AclVerdict verdict) {
  /** A refusal that no line of rules causes; parameters as above. */
  public Refusal(
      int status,
      String errorCode,
      String text,
      @Nullable FieldLines lines,
      @Nullable LogTag tag,
      @Nullable String detail,
      @Nullable Shed shed,
      boolean closes) {
    this(status, errorCode, text, lines, tag, detail, shed, closes, null);
  }

  /** Seconds in Retry-After after an overload. Short, because load changes quickly. */
  public static final String RETRY_SECONDS = "1";

  /** The same after wrong passwords: the time in which they are counted. */
  private static final String FAILURES_RETRY_SECONDS = "60";

  /**
   * The response to an {@code only-if-cached} request if no stored response is usable (RFC 9111
   * section 5.2.1.7).
   */
  public static final Refusal NOT_STORED =
      new Refusal(
          504,
          "ERR_ONLY_IF_CACHED_MISS",
          "The cache has no usable response, and the request allows no other.",
          null,
          LogTag.TCP_MISS,
          null,
          null,
          false);

  /**
   * A refusal with this status and text, and without further field lines.
   *
   * @param errorCode Squid's ERR_ name
   */
  public static Refusal of(int status, String errorCode, String text) {
    return new Refusal(status, errorCode, text, null, null, null, null, false);
  }

  /**
   * 405 with the allowed methods. The connection closes.
   *
   * @param allowed the value of Allow
   */
  public static Refusal ofMethod(String text, String allowed) {
    FieldLines allow = new FieldLines(64).add("Allow", allowed);
    return new Refusal(405, "ERR_UNSUP_REQ", text, allow, null, null, null, true);
  }

  /**
   * A redirection, without content.
   *
   * @param status 301, 302, 303, 307 or 308
   * @param location the value of Location: visible ASCII
   */
  public static Refusal redirect(int status, String location) {
    FieldLines lines = new FieldLines(location.length() + 16).add("Location", location);
    return new Refusal(
        status, "", "redirected to " + location, lines, LogTag.TCP_REDIRECT, null, null, false);
  }

  /** 413 for request content of more than {@code limit} bytes. */
  public static Refusal ofContent(long limit) {
    return of(413, "ERR_TOO_BIG", "The content is larger than " + limit + " bytes.");
  }

  /** 403 for response content of more than {@code limit} bytes. */
  public static Refusal ofResponseSize(long limit) {
    String text = "The answer is larger than " + limit + " bytes.";
    return new Refusal(403, "ERR_TOO_BIG", text, null, LogTag.TCP_DENIED_REPLY, null, null, false);
  }

  /**
   * 403 by a rule for requests.
   *
   * @param detail names the rule, for the operator
   */
  public static Refusal denied(String detail) {
    return denied(LogTag.TCP_DENIED, detail);
  }

  /** 403 by {@code verdict} of a list for requests. */
  public static Refusal denied(AclVerdict verdict) {
    return denied(rule(verdict)).by(verdict);
  }

  /** 403 by {@code verdict} of the rules for responses. */
  static Refusal responseDenied(AclVerdict verdict) {
    return denied(LogTag.TCP_DENIED_REPLY, rule(verdict)).by(verdict);
  }

  private Refusal by(AclVerdict verdict) {
    return new Refusal(status, errorCode, text, lines, tag, detail, shed, closes, verdict);
  }

  /** 403 by {@code verdict} of {@code miss_access}. */
  static Refusal forwardingDenied(AclVerdict verdict) {
    String text = "The proxy does not forward this request, and has no response stored.";
    return new Refusal(
            403, "ERR_FORWARDING_DENIED", text, null, LogTag.TCP_MISS, rule(verdict), null, false)
        .by(verdict);
  }

  private static Refusal denied(LogTag tag, String detail) {
    String text = "Access denied by the proxy's rules.";
    return new Refusal(403, "ERR_ACCESS_DENIED", text, null, tag, detail, null, false);
  }

  /**
   * 401 or 407: the client is asked for a login.
   *
   * @param challenge the field line that names the schemes; must not change any more
   */
  public static Refusal challenge(int status, FieldLines challenge) {
    String text = "Access needs a login.";
    return new Refusal(
        status, "ERR_CACHE_ACCESS_DENIED", text, challenge, LogTag.TCP_DENIED, null, null, false);
  }

  /** The last ACL of the line that denies, for {@code deny_info}; null: none. */
  public @Nullable String lastAcl() {
    return verdict == null ? null : verdict.lastAcl();
  }

  /** Whether the client is asked for a login. */
  public boolean isChallenge() {
    return status == 401 || status == 407;
  }

  /** This refusal, after which the connection closes. */
  public Refusal closing() {
    return new Refusal(status, errorCode, text, lines, tag, detail, shed, true, verdict);
  }

  /** This refusal with another explanation for the operator. */
  public Refusal because(String detail) {
    return new Refusal(status, errorCode, text, lines, tag, detail, shed, closes, verdict);
  }

  /** The rule that decided {@code verdict}, and its place in the configuration. */
  public static String rule(AclVerdict verdict) {
    return verdict.rule() + " (" + verdict.source() + ")";
  }

  /**
   * 429 or 503 with Retry-After.
   *
   * @param why the limit that was exceeded
   */
  public static Refusal overload(Shed why) {
    FieldLines retry = new FieldLines(32).add("Retry-After", RETRY_SECONDS);
    String detail = "too many: " + why;
    if (why == Shed.CLIENT_REQUESTS) {
      String text = "Too many requests of this client are in progress.";
      return new Refusal(429, "ERR_TOO_MANY_REQUESTS", text, retry, null, detail, why, false);
    }
    if (why == Shed.LOGIN_FAILURES) {
      FieldLines later = new FieldLines(32).add("Retry-After", FAILURES_RETRY_SECONDS);
      String text = "Too many wrong passwords.";
      return new Refusal(429, "ERR_TOO_MANY_LOGINS", text, later, null, detail, why, false);
    }
    String text = "The proxy is overloaded.";
    return new Refusal(503, "ERR_OVERLOADED", text, retry, null, detail, why, false);
  }

  /**
   * 429 with Retry-After by the {@code loligo_request_rate} of this name.
   *
   * @param seconds until a request is allowed again
   */
  public static Refusal ofRate(String name, long seconds) {
    FieldLines retry = new FieldLines(32).add("Retry-After", Long.toString(seconds));
    String text = "Too many requests.";
    String detail = "loligo_request_rate " + name;
    return new Refusal(
        429, "ERR_TOO_MANY_REQUESTS", text, retry, LogTag.TCP_DENIED, detail, null, false);
  }

  /** Status and reason in one line, for operators. */
  public String summary() {
    return status + ", " + (detail == null ? text : detail);
  }
}
