package io.loligo.server.helper;

/** The outcome of a question to a helper. Immutable. */
public enum HelperResult {
  /** {@code OK}. */
  OK,
  /** {@code ERR}, or an empty line. */
  ERR,
  /** {@code BH}: the helper says that it is broken. */
  BROKEN,
  /** {@code TT}: the helper of a login asks the client for more. */
  CHALLENGE,
  /** A line without a result word, as helpers of old versions of Squid write it. */
  UNKNOWN,
  /** No answer in time. */
  TIMED_OUT,
  /** The children that were asked ended without an answer, or none can be started. */
  DIED,
  /** Too many questions wait, or the question is too long for a helper. */
  REFUSED;

  /** Whether a child has answered with a result word. */
  public boolean isAnswer() {
    return this == OK || this == ERR;
  }

  /** Whether no child has answered. */
  public boolean isFailure() {
    return this == TIMED_OUT || this == DIED || this == REFUSED;
  }
}
