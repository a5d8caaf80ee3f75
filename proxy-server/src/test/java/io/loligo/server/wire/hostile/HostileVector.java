package io.loligo.server.wire.hostile;

import java.util.List;

/**
 * One hostile or odd message, and what must become of it, as a file of {@code src/test/hostile} has
 * it (the README there tells its form). Bytes are characters up to 255. Immutable.
 *
 * @param line number of its line in the file
 * @param title what it is
 * @param source where it is from
 * @param gateway whether it goes through the reverse proxy
 * @param client what the client sends
 * @param later what the client sends when it has its answer; empty for nothing
 * @param origin what the origin answers, or null: something healthy
 * @param manners of client and origin
 * @param expected what must become of it
 * @param facts what else must hold
 */
public record HostileVector(
    int line,
    String title,
    String source,
    boolean gateway,
    String client,
    String later,
    String origin,
    List<Manner> manners,
    Expected expected,
    List<Fact> facts) {
  /** How client and origin behave. */
  public enum Manner {
    CLIENT_HALF_CLOSES,
    ORIGIN_CLOSES,
    ORIGIN_ANSWERS_AT_ONCE
  }

  /** What must become of the message. */
  public enum Fate {
    /** One answer of this status, made by the proxy; the other side never gets anything of it. */
    REFUSED,
    /** What of it was passed on is no whole message. */
    CUT,
    /** Passed on, perhaps made unambiguous, and answered by this status. */
    PASSES
  }

  /**
   * What must become of it.
   *
   * @param status of the client's answer; 0: any, or none
   * @param reason by which it is counted; null: not counted
   */
  public record Expected(Fate fate, int status, String reason) {}

  /** Further expectations. */
  public enum Kind {
    ORIGIN_SEES,
    ORIGIN_NEVER_SEES,
    CLIENT_SEES,
    CLIENT_NEVER_SEES,
    CLIENT_CONNECTION,
    ORIGIN_CONNECTION,
    STORED
  }

  /** One of them. */
  public record Fact(Kind kind, String text) {}

  /** Whether {@code manner} is one of its manners. */
  public boolean has(Manner manner) {
    return manners.contains(manner);
  }
}
