package io.loligo.server.wire.hostile;

import java.util.List;

/**
 * One hostile or odd message, and its required fate, as in a file of {@code src/test/hostile} (the
 * README there describes its form). Bytes are characters up to 255. Immutable.
 *
 * @param line number of its line in the file
 * @param title its description
 * @param source its source
 * @param gateway whether it goes through the reverse proxy
 * @param client the client's bytes
 * @param later the client's bytes after its response; empty for nothing
 * @param origin the origin's bytes, or null: a healthy response
 * @param manners of client and origin
 * @param expected the required fate
 * @param facts further requirements
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

  /** The required fate of the message. */
  public enum Fate {
    /** One answer of this status, made by the proxy; the other side never gets anything of it. */
    REFUSED,
    /** The bytes passed on are not a whole message. */
    CUT,
    /** Passed on, perhaps made unambiguous, and answered by this status. */
    PASSES
  }

  /**
   * The required fate.
   *
   * @param status of the client's response; 0: any, or none
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
