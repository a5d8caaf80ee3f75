package io.loligo.server.login;

/** The counts of one scheme, each declared once. Immutable. */
public enum LoginCount {
  CHECKS("checks", false, "Checks of credentials that were not known yet."),
  ACCEPTED("accepted", false, "Checks after which the user was known."),
  REFUSED("refused", false, "Checks of wrong passwords, tokens and unknown users."),
  CONTINUED("continued", false, "Checks after which the client must send another token."),
  UNAVAILABLE(
      "unavailable",
      false,
      "Checks without a result (503, 429): a full queue, a broken program or directory, or too many"
          + " wrong passwords."),
  CHECK_NANOS("check_seconds", false, "Time from the begin of a check to its result, summed."),
  PENDING("pending", true, "Checks under way.");

  private final String key;
  private final boolean gauge;
  private final String text;

  LoginCount(String key, boolean gauge, String text) {
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
    return this == CHECK_NANOS ? 1e-9 : 1;
  }
}
