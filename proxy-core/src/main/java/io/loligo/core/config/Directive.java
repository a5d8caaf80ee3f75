package io.loligo.core.config;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The description of a directive: the reader, the checks, the reference page and {@code --help} all
 * use it. Immutable; any thread.
 */
public final class Directive {
  private final String name;
  private final List<String> aliases;
  private final ValueType type;
  private final String form;
  private final String defaultText;
  private final @Nullable String squidDefault;
  private final @Nullable String why;
  private final long min;
  private final long max;
  private final @Nullable String unlimited;
  private final List<String> choices;
  private final boolean raised;
  private final boolean lowered;
  private final Map<String, String> readAs;
  private final Reload reload;
  private final String restartReason;
  private final Status status;
  private final boolean secret;
  private final String text;
  private final String note;
  private final @Nullable WordCheck check;

  Directive(DirectiveBuilder from) {
    name = from.name;
    aliases = from.aliases;
    type = from.type;
    form = from.form;
    defaultText = from.defaultText;
    squidDefault = from.squidDefault;
    why = from.why;
    min = from.min;
    max = from.max;
    unlimited = from.unlimited;
    choices = from.choices;
    raised = from.raised;
    lowered = from.lowered;
    readAs = from.readAs;
    reload = from.reload;
    restartReason = from.restartReason;
    status = from.status;
    secret = from.secret;
    text = from.text;
    note = from.note;
    check = from.check;
  }

  /** The effect of a reload on a changed value. */
  public enum Reload {
    /** Takes effect at once: the next request sees it. */
    LIVE,
    /** Only ports that changed are closed and opened. */
    LISTEN,
    /** The old value stays in force until the process starts again. */
    RESTART
  }

  /** The effect of a line in this version. */
  public enum Status {
    USED("used"),
    USED_WITH_DIFFERENCE("used with a difference"),
    /** It only tunes: accepted with a warning. */
    WITHOUT_EFFECT("accepted without effect"),
    /** It has no meaning here: accepted silently. */
    MEANINGLESS("accepted without effect, no warning"),
    /** Squid itself no longer knows it. */
    OBSOLETE("obsolete"),
    /** It restricts, inspects or identifies and has no effect yet: stops the start. */
    RESTRICTS("stops the start unless waived");

    private final String words;

    Status(String words) {
      this.words = words;
    }

    /** The words on the reference page. */
    public String words() {
      return words;
    }
  }

  /** The name as written in a file. */
  public String name() {
    return name;
  }

  /** Older spellings of the name. */
  public List<String> aliases() {
    return aliases;
  }

  /** Grammar of the value. */
  public ValueType type() {
    return type;
  }

  /** The form of the line after the name. */
  public String form() {
    return form;
  }

  /** The value without a line, as a file would have it; empty: none. */
  public String defaultText() {
    return defaultText;
  }

  /** Squid's default if it differs, else null. */
  public @Nullable String squidDefault() {
    return squidDefault;
  }

  /** Why the default differs from Squid's, or null. */
  public @Nullable String why() {
    return why;
  }

  /** Least number, in the unit the value is kept in. */
  public long min() {
    return min;
  }

  /** Greatest number, in the unit the value is kept in. */
  public long max() {
    return max;
  }

  /** The meaning of the word {@code none} and of {@code -1}; null: neither is a value. */
  public @Nullable String unlimited() {
    return unlimited;
  }

  /** Words of a {@link ValueType#CHOICE}. */
  public List<String> choices() {
    return choices;
  }

  /** The effect of a reload on a changed value. */
  public Reload reload() {
    return reload;
  }

  /** Why a changed value needs a restart; empty unless {@link #reload} is RESTART. */
  public String restartReason() {
    return restartReason;
  }

  /** The effect of a line in this version. */
  public Status status() {
    return status;
  }

  /** Whether the value must not be shown. */
  public boolean secret() {
    return secret;
  }

  /** The paragraph of the reference page. */
  public String text() {
    return text;
  }

  /**
   * The difference from Squid, the missing function, or the replacement of the directive; may be
   * empty.
   */
  public String note() {
    return note;
  }

  /** The check of words; null: all are valid. */
  @Nullable WordCheck check() {
    return check;
  }

  /** Whether a line may appear several times, each adding to the others. */
  boolean accumulates() {
    return switch (type) {
      case RULES, LINE, ADDRESSES, BYTES_BY_ACL -> true;
      default -> false;
    };
  }

  /** Whether the word none and {@code -1} are values. */
  public boolean noLimit() {
    return unlimited != null;
  }

  /** Whether this version uses the value. */
  public boolean isUsed() {
    return status == Status.USED || status == Status.USED_WITH_DIFFERENCE;
  }

  /** The name. */
  @Override
  public String toString() {
    return name;
  }

  /** {@code number} within the range as far as the directive tolerates others. */
  BigDecimal tolerated(BigDecimal number) {
    BigDecimal raisedTo = raised ? number.max(BigDecimal.valueOf(min)) : number;
    return lowered ? raisedTo.min(BigDecimal.valueOf(max)) : raisedTo;
  }

  /** The word that {@code word} is read as; null: {@code word} itself. */
  @Nullable String readAs(String word) {
    return readAs.get(word);
  }
}
