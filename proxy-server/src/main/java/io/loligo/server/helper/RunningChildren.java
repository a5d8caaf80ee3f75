package io.loligo.server.helper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The children of a {@link Helper} that run: when they start, and what follows their ends. Guarded
 * by that helper.
 */
final class RunningChildren {
  private final HelperProgram program;
  private final HelperChildren limits;
  private final ChildProcess.Starter starter;
  private final LongSupplier nanos;
  private final HelperLog log;
  private final List<HelperChild> children = new ArrayList<>();

  private int lastNumber;
  private int failures;
  private long startAgainNanos;
  private boolean closed;
  private long starts;
  private long exits;

  RunningChildren(
      HelperProgram program, ChildProcess.Starter starter, LongSupplier nanos, HelperLog log) {
    this.program = program;
    this.starter = starter;
    this.nanos = nanos;
    this.log = log;
    limits = program.children();
  }

  /** All of them, a copy. */
  List<HelperChild> all() {
    return List.copyOf(children);
  }

  boolean isEmpty() {
    return children.isEmpty();
  }

  int size() {
    return children.size();
  }

  /** How many of them are as {@code which} says. */
  long count(Predicate<HelperChild> which) {
    return children.stream().filter(which).count();
  }

  /** Children started so far. */
  long starts() {
    return starts;
  }

  /** Children that ended without being told to, so far. */
  long exits() {
    return exits;
  }

  /** Those that get questions. */
  int active() {
    int active = 0;
    for (HelperChild child : children) {
      active += child.closing ? 0 : 1;
    }
    return active;
  }

  /**
   * The child with the fewest questions that is not reserved; null: all have as many as they may
   * have. If all are busy or reserved, the oldest reservation ends, provided that nobody has asked
   * for {@code reservation-timeout}. A client that holds its share gets only a child that it has
   * forgotten itself.
   *
   * @param client the client of the conversation that needs it; null: none
   */
  @Nullable HelperChild free(@Nullable Object client) {
    if (holdsItsShare(client)) {
      return forgotten(client);
    }
    HelperChild least = leastBusy();
    return least == null ? forgotten(null) : least;
  }

  /** Whether conversations of {@code client} hold as many children as they may. */
  boolean holdsItsShare(@Nullable Object client) {
    return client != null && count(child -> isHeldBy(client, child)) >= limits.ofOneClient();
  }

  private static boolean isHeldBy(Object client, HelperChild child) {
    return child.session != null && !child.closing && client.equals(child.session.client);
  }

  @Nullable HelperChild leastBusy() {
    HelperChild least = null;
    for (HelperChild child : children) {
      if (!child.closing
          && child.session == null
          && child.asked.size() < limits.slots()
          && (least == null || child.asked.size() < least.asked.size())) {
        least = child;
      }
    }
    return least;
  }

  /** {@code of}: whose reservations may end; null: anybody's. */
  private @Nullable HelperChild forgotten(@Nullable Object of) {
    long now = nanos.getAsLong();
    long idle = TimeUnit.SECONDS.toNanos(limits.reservationSeconds());
    HelperChild oldest = null;
    for (HelperChild child : children) {
      HelperSession session = child.session;
      boolean ofIt = of == null || isHeldBy(of, child);
      if (session != null && ofIt && !child.closing && child.asked.isEmpty()) {
        long own = now - session.answeredNanos;
        if (own > idle) {
          idle = own;
          oldest = child;
        }
      }
    }
    if (oldest != null) {
      log.warn(
          label(oldest)
              + " was reserved for a client that has not answered for "
              + limits.reservationSeconds()
              + " s: it is given to another; next: look at the program if it happens often");
      oldest.endReservation();
    }
    return oldest;
  }

  boolean mayStart() {
    return !closed
        && children.size() < limits.max()
        && (failures < Helper.FREE_FAILURES || nanos.getAsLong() - startAgainNanos >= 0);
  }

  /** Starts {@code idle} children, as far as there may be so many. One may be started. */
  void startIdle(Function<HelperChild, ChildProcess.Events> told) {
    start(Math.max(1, Math.min(limits.idle(), limits.max() - children.size())), told);
  }

  /** Starts those of {@code startup}, and one for {@code waiting} questions. */
  void startMissing(int waiting, Function<HelperChild, ChildProcess.Events> told) {
    while (active() < limits.startup() && mayStart()) {
      start(1, told);
    }
    if (waiting > 0 && active() == 0 && mayStart()) {
      start(1, told);
    }
  }

  private void start(int count, Function<HelperChild, ChildProcess.Events> told) {
    for (int i = 0; i < count; i++) {
      HelperChild child = new HelperChild(++lastNumber, nanos.getAsLong());
      children.add(child);
      starts++;
      child.process = starter.start(program, child.number, told.apply(child));
    }
  }

  /** {@code child} has answered, so the program works. */
  void answered(HelperChild child) {
    child.answers++;
    child.lastAnswerNanos = nanos.getAsLong();
    failures = 0;
  }

  /**
   * {@code child} is gone.
   *
   * @return the milliseconds after which others may be started; 0: at once
   */
  long gone(HelperChild child, String how) {
    children.remove(child);
    child.closing = true;
    if (child.told) {
      return 0;
    }
    exits++;
    log.warn(
        label(child)
            + " has ended after "
            + child.answers
            + " answers: "
            + how
            + "; next: look at its messages");
    if (child.answers > 0) {
      return 0;
    }
    failures++;
    return failures < Helper.FREE_FAILURES || closed ? 0 : backOff();
  }

  private long backOff() {
    int doublings = Math.min(failures - Helper.FREE_FAILURES, 6);
    long seconds = Math.min(Helper.MAX_BACK_OFF_SECONDS, 1L << doublings);
    startAgainNanos = nanos.getAsLong() + TimeUnit.SECONDS.toNanos(seconds);
    log.warn(
        program.name()
            + ": "
            + failures
            + " children in a row ended without an answer: no other is started for "
            + seconds
            + " s; next: check the command "
            + program.command().get(0));
    return TimeUnit.SECONDS.toMillis(seconds) + Helper.TICK_MILLIS;
  }

  /** Whether children that are gone are replaced at once. */
  boolean replacesLost() {
    return !closed && (failures < Helper.FREE_FAILURES || active() > 0);
  }

  /** No more are started. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** The name of {@code child} in the log. */
  String label(HelperChild child) {
    return program.name() + " #" + child.number;
  }
}
