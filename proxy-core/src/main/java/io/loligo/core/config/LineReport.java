package io.loligo.core.config;

/**
 * The verdict on one line. Immutable.
 *
 * @param file its file
 * @param line from 1
 * @param text the line, secrets replaced
 * @param verdict its effect
 * @param note why, or the empty string
 */
public record LineReport(String file, int line, String text, Verdict verdict, String note) {
  /** The possible verdicts on a line, the worst last. */
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

    /** The words in the report. */
    public String words() {
      return words;
    }
  }
}
