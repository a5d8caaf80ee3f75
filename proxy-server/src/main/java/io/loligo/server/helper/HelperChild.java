package io.loligo.server.helper;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One child of a {@link Helper}, which guards its fields. */
final class HelperChild {
  final int number;

  /** Its questions by channel, the oldest first; those that nobody waits for are among them. */
  final Map<Long, HelperQuestion> asked = new LinkedHashMap<>();

  /** Set at once; {@code @Nullable} only for the time in which it starts. */
  @Nullable ChildProcess process;

  long lastChannel;
  long answers;
  int unexpected;
  long lastAnswerNanos;

  /** The conversation that it is reserved for; null: none. */
  @Nullable HelperSession session;

  /** Whether it gets no more questions. */
  boolean closing;

  /** Whether this process has told it to end. */
  boolean told;

  HelperChild(int number, long nowNanos) {
    this.number = number;
    lastAnswerNanos = nowNanos;
  }

  /** It is reserved no more. */
  void endReservation() {
    HelperSession reserved = session;
    session = null;
    if (reserved != null) {
      reserved.child = null;
    }
  }

  ChildProcess process() {
    assert process != null : "it has started";
    return process;
  }
}
