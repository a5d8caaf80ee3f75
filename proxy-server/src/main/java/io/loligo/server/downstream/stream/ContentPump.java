package io.loligo.server.downstream.stream;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Gives an exchange the content of its request, one piece per request for it, and waits for missing
 * bytes of the client: for a limited time, and at a pace. Confined to the client's event loop.
 */
final class ContentPump {
  private final ExchangeStream stream;
  private final LoopTimer timer;
  private @Nullable Waiting waiting;

  // the exchange in progress
  private @Nullable ContentSource source;
  private boolean wanted;
  private boolean broken;
  private boolean awaitsContinue;

  /** The pump of {@code stream}. */
  ContentPump(ExchangeStream stream, LoopTimer timer) {
    this.stream = stream;
    this.timer = timer;
  }

  /** Created when content is waited for. */
  private final class Waiting extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      timedOut();
    }
  }

  /** An exchange begins; it has no content so far. */
  void begin() {
    source = null;
    wanted = false;
    broken = false;
    awaitsContinue = false;
  }

  /** As in {@link ExchangeStream#expect}. */
  void expect(ContentSource content, boolean waitsForContinue) {
    source = content;
    awaitsContinue = waitsForContinue;
  }

  /** Content is no longer read: it is malformed, or its end is unknown. */
  void giveUp() {
    broken = true;
    stream.dropInput();
  }

  /** Whether {@link #giveUp} was called. */
  boolean isBroken() {
    return broken;
  }

  /** Whether bytes of it are still to come, or that is unknown. */
  boolean isMissing() {
    return broken || (source != null && !source.ended());
  }

  /** Bytes of it received and read so far, with its framing. */
  long bytesIn() {
    return source == null ? 0 : source.bytesIn();
  }

  /** Whether the client waits for 100 (Continue), which was not sent. */
  boolean awaitsContinue() {
    return awaitsContinue;
  }

  /** 100 (Continue) is about to be sent. */
  void continues() {
    awaitsContinue = false;
  }

  /** 100 (Continue) was sent: the client owes content now, if that is waited for. */
  void continued() {
    if (waiting != null && waiting.armed()) {
      await();
    }
  }

  /** The exchange asks for the next piece. */
  void want() {
    wanted = true;
    if (stream.isInCall()) {
      return;
    }
    if (stream.contentAtHand() || stream.inputEnded() || !isMissing()) {
      stream.resumeLater();
    } else {
      await();
    }
  }

  /** Whether the exchange has asked, and waits. */
  boolean isWanted() {
    return wanted;
  }

  private void await() {
    Pace owed = source == null || awaitsContinue ? null : source.pace();
    if (owed != null) {
      owed.owed(timer.tick());
    }
    if (waiting == null) {
      waiting = new Waiting();
    }
    if (owed != null || !waiting.armed()) {
      long timeoutMillis = stream.terms().settings().readMillis;
      timer.arm(waiting, timer.deadline(timeoutMillis), owed);
    }
    stream.readMore();
  }

  /** {@code bytes} arrived. */
  void moved(int bytes) {
    if (source != null && source.pace() != null) {
      source.pace().moved(timer.tick(), bytes);
    }
  }

  /** Delivers content as long as it is requested and at hand. */
  void pump() {
    if (stream.isInCall()) {
      return;
    }
    while (wanted && stream.listens()) {
      if (!deliver()) {
        if (stream.inputEnded()) {
          stream.breakOff(false);
        } else {
          await();
        }
        return;
      }
    }
  }

  /** One event; false if bytes are missing. */
  private boolean deliver() {
    if (source == null || source.ended()) {
      deliverEnd();
      return true;
    }
    if (broken) {
      return false;
    }
    switch (source.next()) {
      case DATA -> {
        ByteBuf data = source.take();
        arrived();
        stream.tellContent(data);
        return true;
      }
      case END -> {
        deliverEnd();
        return true;
      }
      case FAILED -> {
        ParseFailure failure = source.failure();
        stream.record().requestFailure = failure;
        fail(failure);
        return true;
      }
      default -> {
        return false;
      }
    }
  }

  private void deliverEnd() {
    arrived();
    stream.contentComplete();
    stream.tellContentEnd(source == null ? null : source.trailers());
  }

  private void fail(ParseFailure failure) {
    stream.closeAfter();
    giveUp();
    arrived();
    stream.tellContentFailed(failure);
  }

  private void arrived() {
    wanted = false;
    awaitsContinue = false;
    if (source != null && source.pace() != null) {
      source.pace().notOwed(timer.tick());
    }
    cancel();
  }

  /** 408 if the response has not begun, else the connection is cut. */
  private void timedOut() {
    Pace pace = source == null ? null : source.pace();
    ExchangeRecord record = stream.record();
    record.timedOut = true;
    if (pace != null && pace.late(timer.tick())) {
      record.requestFailure = ParseFailure.TOO_SLOW;
      record.errorDetail = ParseFailure.TOO_SLOW.text();
    }
    if (!wanted || !stream.mayAnswerLate()) {
      stream.breakOff(true);
      return;
    }
    fail(ParseFailure.TOO_SLOW);
    stream.settle();
  }

  /** Content is no longer waited for. */
  void cancel() {
    if (waiting != null) {
      timer.cancel(waiting);
    }
  }

  /** Forgets the content of the last exchange. */
  void forget() {
    source = null;
  }

  /** The terminal method. */
  void release() {
    if (waiting != null) {
      timer.forget(waiting);
    }
  }
}
