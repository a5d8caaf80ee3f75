package io.loligo.server.helper;

import io.loligo.server.jfr.FlightEvents;
import io.loligo.server.jfr.HelperCallEvent;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A question that a {@link Helper} was asked. Its fields are guarded by that helper. */
public final class HelperQuestion {
  private final Helper helper;
  private final Executor on;
  private final Consumer<HelperReply> then;

  /** Without channel and line end. */
  final byte[] line;

  final long askedNanos;

  /** Of the flight recorder; null: nothing records it. */
  private final @Nullable HelperCallEvent event = FlightEvents.helperCall();

  long sentNanos;
  long deadlineTick;

  /** How often it was asked again because it had no answer, or a broken one. */
  int repeats;

  /** How many children have ended with it. */
  int deaths;

  /** The child that has it, and under which number; null: it waits for one. */
  @Nullable HelperChild child;

  /** Its conversation; null: it is a question of its own. */
  @Nullable HelperSession session;

  long channel;
  boolean done;

  HelperQuestion(
      Helper helper, byte[] line, Executor on, Consumer<HelperReply> then, long askedNanos) {
    this.helper = helper;
    this.line = line;
    this.on = on;
    this.then = then;
    this.askedNanos = askedNanos;
  }

  /** The client that a child of its conversation would count for; null: none. */
  @Nullable Object client() {
    return session == null ? null : session.client;
  }

  /**
   * Nobody waits for the answer any more. Thread-safe: any thread. After this, on the executor of
   * the answer, no answer arrives unless its task is already queued there.
   */
  public void cancel() {
    if (helper.cancel(this)) {
      recordEvent("CANCELLED");
    }
  }

  /** Records the call: its result is {@code outcome}. Once; not while the helper is locked. */
  private void recordEvent(String outcome) {
    if (event != null) {
      event.answered(
          helper.program().name(),
          outcome,
          channel == 0 ? HelperCallEvent.NO_CHILD : sentNanos - askedNanos,
          line.length,
          repeats);
    }
  }

  /** Passes the answer on. An executor that has ended takes nothing, and nobody misses it. */
  void answer(HelperReply reply) {
    recordEvent(reply.result().name());
    try {
      on.execute(() -> then.accept(reply));
    } catch (RejectedExecutionException ended) {
      // its loop has ended, and so has the request
    }
  }
}
