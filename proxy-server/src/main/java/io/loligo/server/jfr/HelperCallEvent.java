package io.loligo.server.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * A question to a helper, until its answer. It has neither the question nor the answer: both may
 * have passwords.
 */
@Name("loligo.HelperCall")
@Label("Helper Call")
@Category("Loligo")
@Description("A question to a helper program, until its answer")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
@StackTrace(false)
@Threshold("20 ms")
public final class HelperCallEvent extends Event {
  /** The queue time of a question that no child was asked; JFR shows none. */
  public static final long NO_CHILD = Long.MIN_VALUE;

  private static final HelperCallEvent PROBE = new HelperCallEvent();

  @Label("Helper")
  @Description("The directive, and its name in the configuration")
  private @Nullable String helper;

  @Label("Result")
  @Description("OK, ERR, BROKEN, CHALLENGE, UNKNOWN, TIMED_OUT, DIED, REFUSED or CANCELLED")
  private @Nullable String result;

  @Label("Queue Time")
  @Description("The wait for a child process that was free, and later ones if it was asked again")
  @Timespan(Timespan.NANOSECONDS)
  private long queueTime;

  @Label("Question Size")
  @DataAmount
  private long questionSize;

  @Label("Repeats")
  @Description("How often it was asked again")
  private int repeats;

  private HelperCallEvent() {}

  static @Nullable HelperCallEvent begun() {
    if (!PROBE.isEnabled()) {
      return null;
    }
    HelperCallEvent event = new HelperCallEvent();
    event.begin();
    return event;
  }

  /**
   * Records the event.
   *
   * @param name of the helper
   * @param outcome of the question
   * @param queueNanos until it was given to a child, or {@link #NO_CHILD}
   * @param questionBytes bytes of the question
   * @param asksAgain how often it was asked again
   */
  public void answered(
      String name, String outcome, long queueNanos, long questionBytes, int asksAgain) {
    helper = name;
    result = outcome;
    queueTime = queueNanos;
    questionSize = questionBytes;
    repeats = asksAgain;
    commit();
  }
}
