package io.loligo.cluster.share;

/**
 * Whether one previous owner is worth a question before the origin. Nodes that start together have
 * one, and it has nothing; so has one whose responses have all moved. Confined to its event loop.
 *
 * <p>After {@value #MISSES} questions in a row for responses that it does not have, only one in
 * {@value #ONE_IN} is asked, until it has one again.
 */
public final class PreviousAnswers {
  /** Questions in a row without a response, after which most are left out. */
  public static final int MISSES = 100;

  /** Of so many questions one is asked then. */
  public static final int ONE_IN = 16;

  private int missed;
  private int left;

  /** Every question is asked. */
  PreviousAnswers() {}

  /** Whether the next question is asked; call it once for each. */
  boolean asks() {
    return missed < MISSES || ++left % ONE_IN == 0;
  }

  /** A question was answered. */
  void answered(boolean had) {
    missed = had ? 0 : Math.min(MISSES, missed + 1);
  }
}
