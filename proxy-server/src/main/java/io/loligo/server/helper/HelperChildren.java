package io.loligo.server.helper;

/**
 * The children of a program: {@code url_rewrite_children} and its like. Immutable.
 *
 * @param max the most children at once
 * @param startup children that run from the start on
 * @param idle children that are started at once when all others are busy
 * @param concurrency questions that a child may have at once, each with the number of a channel; 0:
 *     one question without such a number
 * @param queue questions that may wait for a child before the program counts as overloaded
 * @param defaultQueue whether no {@code queue-size=} is given
 * @param refusesOverload whether {@code on-persistent-overload=ERR} is given
 * @param reservationSeconds for programs with conversations: how long a child that nobody asks
 *     stays reserved although others wait
 */
public record HelperChildren(
    int max,
    int startup,
    int idle,
    int concurrency,
    int queue,
    boolean defaultQueue,
    boolean refusesOverload,
    int reservationSeconds) {
  /** The most children of a program: {@value}. */
  public static final int MOST = 1024;

  /** The most questions of a child at once: {@value}. */
  public static final int MOST_CONCURRENT = 10_000;

  /** {@code reservation-timeout} without a line, in seconds: {@value}. */
  public static final int USUAL_RESERVATION_SECONDS = 64;

  /** Children with the usual reservations. */
  public HelperChildren(
      int max,
      int startup,
      int idle,
      int concurrency,
      int queue,
      boolean defaultQueue,
      boolean refusesOverload) {
    this(
        max,
        startup,
        idle,
        concurrency,
        queue,
        defaultQueue,
        refusesOverload,
        USUAL_RESERVATION_SECONDS);
  }

  /** Squid's children of a program without a line of its own: {@code max} of them on demand. */
  public static HelperChildren upTo(int max) {
    return new HelperChildren(max, 0, 1, 0, 2 * max, true, false);
  }

  /** The same, where requests bypass a busy program: without {@code queue-size=} none waits. */
  public HelperChildren bypassed() {
    return defaultQueue
        ? new HelperChildren(max, startup, idle, concurrency, 0, true, refusesOverload)
        : this;
  }

  /** The same without channels: a child has one question. */
  HelperChildren alone() {
    return new HelperChildren(
        max, startup, idle, 0, queue, defaultQueue, refusesOverload, reservationSeconds);
  }

  /**
   * Children that conversations of one client may hold while others could need them: three
   * quarters, but one where there is no other.
   */
  public int ofOneClient() {
    return max == 1 ? 1 : max - Math.max(1, max / 4);
  }

  /** Questions that a child may have at once. */
  int slots() {
    return Math.max(1, concurrency);
  }
}
