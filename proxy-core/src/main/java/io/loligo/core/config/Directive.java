package io.loligo.core.config;

import java.util.List;

/**
 * The one declaration of a directive, from which it is read, checked, documented and explained.
 * Immutable.
 *
 * @param name as written
 * @param aliases older spellings
 * @param type grammar of the value
 * @param form how the whole line is written behind the name
 * @param defaultText the value without a line, as it would be written; empty: none
 * @param squidDefault Squid's default where ours differs, else null
 * @param why reason of that difference, or null
 * @param min least number, in the unit the value is kept in
 * @param max greatest number
 * @param unlimited what the word none and {@code -1} mean; null: they are no values
 * @param choices words of a {@link ValueType#CHOICE}
 * @param reload what a changed value needs
 * @param status what the line does here
 * @param secret whether the value must not be shown
 * @param text for the reference page and {@code --help}
 * @param note the difference, what is missing, or what replaces it; may be empty
 */
public record Directive(
    String name,
    List<String> aliases,
    ValueType type,
    String form,
    String defaultText,
    String squidDefault,
    String why,
    long min,
    long max,
    String unlimited,
    List<String> choices,
    Reload reload,
    Status status,
    boolean secret,
    String text,
    String note) {
  /** What a changed value needs. */
  public enum Reload {
    /** Swapped at once; the next request sees it. */
    LIVE,
    /** Sockets are compared, only changed ones bound again. */
    LISTEN,
    /** The old value is kept until the process starts again. */
    RESTART
  }

  /** What a line does in this version. */
  public enum Status {
    USED("used"),
    USED_WITH_DIFFERENCE("used with a difference"),
    /** It only tunes: accepted with a warning. */
    WITHOUT_EFFECT("accepted without effect"),
    /** It has no meaning here: accepted without a word. */
    MEANINGLESS("accepted without effect, no warning"),
    /** Squid itself no longer knows it. */
    OBSOLETE("obsolete"),
    /** It restricts, inspects or identifies and has no effect yet: stops the start. */
    RESTRICTS("stops the start unless waived");

    private final String words;

    Status(String words) {
      this.words = words;
    }

    /** As the reference prints it. */
    public String words() {
      return words;
    }
  }

  /** Whether a line may appear several times, each adding to the others. */
  boolean accumulates() {
    return switch (type) {
      case RULES, LINE, ADDRESSES, BYTES_BY_ACL -> true;
      default -> false;
    };
  }

  /** Whether the word none and {@code -1} are values. */
  boolean noLimit() {
    return unlimited != null;
  }

  /** Whether the value is looked at in this version. */
  boolean isUsed() {
    return status == Status.USED || status == Status.USED_WITH_DIFFERENCE;
  }
}
