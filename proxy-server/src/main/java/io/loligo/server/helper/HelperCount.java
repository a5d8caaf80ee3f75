package io.loligo.server.helper;

import static io.loligo.server.counts.CountText.counter;
import static io.loligo.server.counts.CountText.gauge;
import static io.loligo.server.counts.CountText.time;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.CountText;

/** The counts of one program, each declared once. Immutable. */
public enum HelperCount implements Count {
  REQUESTS(counter("requests", "Questions to a helper.")),
  REPLIES(counter("replies", "Answers of a helper.")),
  REPLY_NANOS(time("reply", "Time from question to answer, summed.")),
  ANSWERS_OK(counter("answers_ok", "Answers OK or AF.")),
  ANSWERS_ERR(counter("answers_err", "Answers ERR or NA, and empty ones.")),
  ANSWERS_BH(counter("answers_bh", "Answers BH: the program says that it is broken, see the log.")),
  ANSWERS_TT(counter("answers_tt", "Answers TT: the client must send another token.")),
  ANSWERS_OTHER(counter("answers_other", "Answers without such a word, of old programs.")),
  TIMEOUTS(counter("timeouts", "Questions without an answer in time: see loligo_helper_timeout.")),
  FAILURES(
      counter(
          "failures",
          "Questions that got no answer because no child could take them, or children ended.")),
  UNEXPECTED(counter("unexpected", "Lines that answer no question.")),
  STARTS(counter("starts", "Children started.")),
  EXITS(counter("exits", "Children that ended by themselves: see the log.")),
  PENDING(gauge("pending", "Questions without an answer.")),
  QUEUED(gauge("queued", "Questions that wait for a child: more children would help.")),
  CHILDREN(gauge("children", "Children that run.")),
  BUSY(gauge("busy", "Children with a question.")),
  RESERVED(
      gauge("reserved", "Children without a question that wait for the next token of a login."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of names and flags
  private final CountText told;

  HelperCount(CountText told) {
    this.told = told;
  }

  @Override
  public CountText told() {
    return told;
  }

  /** That of answers with {@code result}. */
  static HelperCount of(HelperResult result) {
    return switch (result) {
      case OK -> ANSWERS_OK;
      case ERR -> ANSWERS_ERR;
      case BROKEN -> ANSWERS_BH;
      case CHALLENGE -> ANSWERS_TT;
      case UNKNOWN -> ANSWERS_OTHER;
      case TIMED_OUT -> TIMEOUTS;
      case DIED, REFUSED -> FAILURES;
    };
  }
}
