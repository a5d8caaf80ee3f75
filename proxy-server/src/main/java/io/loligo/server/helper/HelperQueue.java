package io.loligo.server.helper;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * The questions of a {@link Helper} that wait for a child, the oldest first, and whether they are
 * too many. Guarded by that helper.
 */
final class HelperQueue {
  private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final String name;
  private final int most;
  private final HelperLog log;
  private final Queue<HelperQuestion> questions = new ArrayDeque<>();

  private boolean overloaded;
  private long overloadNanos;
  private boolean warned;
  private long warnedNanos;

  HelperQueue(HelperProgram program, HelperLog log) {
    name = program.name();
    most = program.children().queue();
    this.log = log;
  }

  int size() {
    return questions.size();
  }

  boolean isEmpty() {
    return questions.isEmpty();
  }

  void remove(HelperQuestion question) {
    questions.remove(question);
  }

  /** Those that wait, the oldest first. It may remove them. */
  Iterator<HelperQuestion> iterator() {
    return questions.iterator();
  }

  /** The next one. There is one. */
  HelperQuestion take() {
    return questions.remove();
  }

  /** Whether {@code queue-size} questions wait. */
  boolean isFull() {
    return questions.size() >= most;
  }

  /** Takes {@code question}; {@code busy} children have no time for it. */
  void add(HelperQuestion question, int busy, long now) {
    questions.add(question);
    noteOverload(now);
    if (questions.size() > most && (!warned || now - warnedNanos > WARNING_NANOS) && most > 0) {
      warned = true;
      warnedNanos = now;
      log.warn(
          name
              + ": all "
              + busy
              + " children are busy and "
              + questions.size()
              + " questions wait; next: allow more children, or make the program faster");
    }
  }

  /** Notes the time since which more than {@code queue-size} questions wait. */
  void noteOverload(long now) {
    boolean is = questions.size() > most;
    if (is && !overloaded) {
      overloadNanos = now;
    }
    overloaded = is;
  }

  /** Whether more have waited for {@link Helper#OVERLOAD_SECONDS}, so that none may join them. */
  boolean refuses(long now) {
    noteOverload(now);
    boolean refuses =
        overloaded && now - overloadNanos > TimeUnit.SECONDS.toNanos(Helper.OVERLOAD_SECONDS);
    if (refuses) {
      log.warn(
          name
              + ": more than "
              + most
              + " questions have been waiting for "
              + Helper.OVERLOAD_SECONDS
              + " s: further ones are refused; next: allow more children");
    }
    return refuses;
  }
}
