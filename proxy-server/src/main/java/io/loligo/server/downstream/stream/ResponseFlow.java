package io.loligo.server.downstream.stream;

import org.jspecify.annotations.Nullable;

/**
 * The way of a response's bytes to the client: flushes that wait until no call of the exchange is
 * on the stack below, the pace of the client, and the news that it takes more. Confined to the
 * channel's event loop.
 */
final class ResponseFlow {
  private final ExchangeStream stream;
  private final ExchangeCalls calls;
  private @Nullable ResponsePacing pacing;
  private boolean flushDue;
  private boolean writableDue;

  ResponseFlow(ExchangeStream stream, ExchangeCalls calls) {
    this.stream = stream;
    this.calls = calls;
  }

  /** A response begins: nothing is due. */
  void begin() {
    flushDue = false;
    writableDue = false;
  }

  /** A flush is due. */
  void flushLater() {
    flushDue = true;
  }

  /** Whether a flush was due; it is not any more. */
  boolean takeFlushDue() {
    boolean due = flushDue;
    flushDue = false;
    return due;
  }

  /** Flushes, if that is due. No call of the exchange is on the stack below. */
  void flushIfDue() {
    if (!flushDue || !stream.running()) {
      return;
    }
    flushDue = false;
    calls.enter();
    boolean done = stream.flushWrites();
    calls.leave();
    if (writableDue) {
      calls.resumeLater();
    }
    if (done) {
      awaitClient();
    }
  }

  /** Flushes for the last time: the bytes that follow are not of the response. */
  void flushLast() {
    flushDue = false;
    calls.enter();
    stream.flushWrites();
    calls.leave();
  }

  /** The exchange has to be told that the client takes more, when no call of it is on the stack. */
  void writableLater() {
    writableDue = true;
    calls.resumeLater();
  }

  /** Whether the exchange has to be told so; it has not to any more. */
  boolean takeWritableDue() {
    boolean due = writableDue;
    writableDue = false;
    return due;
  }

  /** The client has to take the bytes that are queued for it, if there are any. */
  void awaitClient() {
    if (stream.tally().pending() && (pacing == null || !pacing.armed())) {
      if (pacing == null) {
        pacing =
            new ResponsePacing(
                stream.clients().timer(),
                stream.terms().settings(),
                stream.tally(),
                stream.channel(),
                this::tookTooLittle);
      }
      pacing.begin();
    }
  }

  private void tookTooLittle(boolean late) {
    if (late) {
      stream.record().tookTooSlowly = true;
      stream.record().errorDetail = "the client reads its response too slowly";
    }
    stream.breakOff(true);
  }

  /** The client took some of them, perhaps all. */
  void progressed() {
    if (pacing != null && pacing.armed()) {
      pacing.progressed();
    }
    stream.progressed();
  }

  /** The client owes nothing any more. */
  void forgetPacing() {
    if (pacing != null) {
      stream.clients().timer().forget(pacing);
      pacing = null;
    }
  }
}
