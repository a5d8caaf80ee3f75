package io.loligo.server.helper;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;

/**
 * Reads lines about the children of a program, such as {@code url_rewrite_children}. The last line
 * holds. Confined to one thread.
 */
public final class ChildrenLines implements LineReader<HelperChildren> {
  /** The form of the line after the name. */
  public static final String FORM =
      "MAX [startup=N] [idle=N] [concurrency=N] [queue-size=N] [on-persistent-overload=die|ERR]";

  private static final String OVERLOAD = "on-persistent-overload=";

  private final Report report;
  private HelperChildren children;

  /**
   * A reader for one reading of a file.
   *
   * @param usual the children without a line
   */
  public ChildrenLines(Reading reading, int usual) {
    report = reading.report();
    children = HelperChildren.upTo(usual);
  }

  @Override
  public void read(Line line) {
    if (line.values().isEmpty()) {
      report.error(line, "", FORM, "");
      return;
    }
    int max = number(line, line.values().get(0), 1, HelperChildren.MOST);
    if (max < 0) {
      return;
    }
    Draft draft = new Draft(HelperChildren.upTo(max));
    for (String option : line.values().subList(1, line.values().size())) {
      if (!draft.read(line, option)) {
        return;
      }
    }
    children = draft.children();
  }

  /** Options, one after the other. */
  private final class Draft {
    private final int max;
    private int startup;
    private int idle;
    private int concurrency;
    private int queue;
    private boolean defaultQueue = true;
    private boolean refuses;

    Draft(HelperChildren usual) {
      max = usual.max();
      idle = usual.idle();
      queue = usual.queue();
    }

    boolean read(Line line, String option) {
      int value = option.startsWith(OVERLOAD) ? 0 : optionValue(line, option);
      if (value < 0) {
        return false;
      }
      switch (option.substring(0, option.indexOf('=') + 1)) {
        case "startup=" -> startup = value;
        case "idle=" -> idle = Math.max(1, value);
        case "concurrency=" -> concurrency = value;
        case "queue-size=" -> {
          queue = value;
          defaultQueue = false;
        }
        case OVERLOAD -> {
          String action = option.substring(OVERLOAD.length());
          refuses = action.equals("ERR");
          if (!refuses && !action.equals("die")) {
            report.error(line, option, OVERLOAD + "die or ERR", "");
            return false;
          }
        }
        default -> {
          report.error(line, option, "an option of " + FORM, "");
          return false;
        }
      }
      return true;
    }

    private int optionValue(Line line, String option) {
      int most =
          option.startsWith("concurrency=")
              ? HelperChildren.MOST_CONCURRENT
              : option.startsWith("queue-size=") ? 99_999_999 : HelperChildren.MOST;
      int equals = option.indexOf('=');
      if (equals < 0) {
        report.error(line, option, "an option of " + FORM, "");
        return -1;
      }
      return number(line, option.substring(equals + 1), 0, most);
    }

    HelperChildren children() {
      return new HelperChildren(
          max,
          Math.min(startup, max),
          Math.min(idle, max),
          concurrency,
          queue,
          defaultQueue,
          refuses);
    }
  }

  private int number(Line line, String text, int least, int most) {
    int value = numberOf(text, most);
    if (value < least) {
      report.error(line, text, "a number from " + least + " to " + most, "");
      return -1;
    }
    return value;
  }

  /** The number that {@code text} gives; -1: none, or one above {@code most}. */
  public static int numberOf(String text, int most) {
    boolean digits = !text.isEmpty() && text.length() < 10;
    for (int i = 0; i < text.length(); i++) {
      digits &= text.charAt(i) >= '0' && text.charAt(i) <= '9';
    }
    int value = digits ? Integer.parseInt(text) : -1;
    return value <= most ? value : -1;
  }

  @Override
  public HelperChildren value() {
    return children;
  }
}
