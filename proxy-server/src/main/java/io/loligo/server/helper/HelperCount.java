package io.loligo.server.helper;

/** The counts of one program, each declared once. Immutable. */
public enum HelperCount {
  REQUESTS("requests", false, "Questions to a helper."),
  REPLIES("replies", false, "Answers of a helper."),
  REPLY_NANOS("reply_seconds", false, "Time from question to answer, summed."),
  ANSWERS_OK("answers_ok", false, "Answers OK or AF."),
  ANSWERS_ERR("answers_err", false, "Answers ERR or NA, and empty ones."),
  ANSWERS_BH("answers_bh", false, "Answers BH: the program says that it is broken, see the log."),
  ANSWERS_TT("answers_tt", false, "Answers TT: the client must send another token."),
  ANSWERS_OTHER("answers_other", false, "Answers without such a word, of old programs."),
  TIMEOUTS("timeouts", false, "Questions without an answer in time: see loligo_helper_timeout."),
  FAILURES(
      "failures",
      false,
      "Questions that got no answer because no child could take them, or children ended."),
  UNEXPECTED("unexpected", false, "Lines that answer no question."),
  STARTS("starts", false, "Children started."),
  EXITS("exits", false, "Children that ended by themselves: see the log."),
  PENDING("pending", true, "Questions without an answer."),
  QUEUED("queued", true, "Questions that wait for a child: more children would help."),
  CHILDREN("children", true, "Children that run."),
  BUSY("busy", true, "Children with a question."),
  RESERVED(
      "reserved", true, "Children without a question that wait for the next token of a login.");

  private final String key;
  private final boolean gauge;
  private final String text;

  HelperCount(String key, boolean gauge, String text) {
    this.key = key;
    this.gauge = gauge;
    this.text = text;
  }

  /** Its name for operators, in lower case, with the unit. */
  public String key() {
    return key;
  }

  /** Whether it also falls. */
  public boolean isGauge() {
    return gauge;
  }

  /** For the operator. */
  public String text() {
    return text;
  }

  /** What one of it is in the unit of {@link #key}. */
  public double unit() {
    return this == REPLY_NANOS ? 1e-9 : 1;
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
