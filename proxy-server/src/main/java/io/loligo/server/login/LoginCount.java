package io.loligo.server.login;

import static io.loligo.server.counts.CountText.counter;
import static io.loligo.server.counts.CountText.gauge;
import static io.loligo.server.counts.CountText.time;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.CountText;

/** The counts of one scheme, each declared once. Immutable. */
public enum LoginCount implements Count {
  CHECKS(counter("checks", "Checks of credentials that were not known yet.")),
  ACCEPTED(counter("accepted", "Checks after which the user was known.")),
  REFUSED(counter("refused", "Checks of wrong passwords, tokens and unknown users.")),
  CONTINUED(counter("continued", "Checks after which the client must send another token.")),
  UNAVAILABLE(
      counter(
          "unavailable",
          "Checks without a result (503, 429): a full queue, a broken program or directory, or too"
              + " many wrong passwords.")),
  CHECK_NANOS(time("check", "Time from the begin of a check to its result, summed.")),
  PENDING(gauge("pending", "Checks under way."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of names and flags
  private final CountText told;

  LoginCount(CountText told) {
    this.told = told;
  }

  @Override
  public CountText told() {
    return told;
  }
}
