package io.loligo.server.helper;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Questions of one conversation with a {@link Helper}: a child that answers the first one with
 * {@link HelperResult#CHALLENGE} is reserved, and gets the next one. Any other answer ends the
 * reservation. The conversations of one client hold {@link HelperChildren#ofOneClient} children at
 * most; others of that client wait. Thread-safe: any thread; one question at a time. Its fields are
 * guarded by the helper.
 */
public final class HelperSession {
  private final Helper helper;

  /** The client that its child counts for; null: it counts for none. */
  final @Nullable Object client;

  /** The child that is reserved, or has a question of this; null: none. */
  @Nullable HelperChild child;

  /** The question without an answer; null: none. */
  @Nullable HelperQuestion asked;

  /** Whether a child has answered with a challenge, so that only that child can go on. */
  boolean bound;

  /** The time of the last answer. */
  long answeredNanos;

  boolean ended;

  HelperSession(Helper helper, @Nullable Object client) {
    this.helper = helper;
    this.client = client;
  }

  /** Whether it has ended, or its child is gone. Guarded by the helper. */
  boolean isOver() {
    return ended || (bound && child == null);
  }

  /**
   * Asks the next question. Never blocks. {@link HelperResult#DIED}: the child is gone, or has been
   * given to another conversation because this one has been idle for too long.
   *
   * @param question without line end, as for {@link Helper#ask}; at most {@value
   *     Helper#MAX_SESSION_LINE_BYTES} bytes
   * @param on runs {@code then}, once
   */
  public void ask(byte[] question, Executor on, Consumer<HelperReply> then) {
    helper.ask(this, question, on, then);
  }

  /**
   * No more questions follow: the child is free, once it has answered. A question that waits for a
   * child gets {@link HelperResult#REFUSED}. Any number of calls.
   */
  public void end() {
    helper.end(this);
  }
}
