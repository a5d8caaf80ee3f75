package io.loligo.core.config;

/**
 * What became of one line. Immutable.
 *
 * @param file where
 * @param line from 1
 * @param text the line, secrets replaced
 * @param verdict what became of it
 * @param note why, or the empty string
 */
public record LineReport(String file, int line, String text, Verdict verdict, String note) {
  /** What can become of a line, the worst last. */
  public enum Verdict {
    USED("used"),
    USED_WITH_DIFFERENCE("used with a difference"),
    WITHOUT_EFFECT("accepted without effect"),
    OBSOLETE("obsolete"),
    UNKNOWN("unknown"),
    ERROR("error");

    private final String words;

    Verdict(String words) {
      this.words = words;
    }

    /** As the report prints it. */
    public String words() {
      return words;
    }
  }
}
