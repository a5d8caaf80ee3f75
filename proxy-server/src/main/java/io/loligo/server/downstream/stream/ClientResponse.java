package io.loligo.server.downstream.stream;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.shaping.Limit;
import io.loligo.server.upstream.PeerHop;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One response after the other, in the order of {@link ClientStream}: interim heads, the head, the
 * content and its end, and what becomes of it without memory. Content may wait for the pools of its
 * client ({@link LimitedContent}). Confined to the channel's event loop.
 *
 * <pre>
 * open      more of it may be written
 * complete  everything is written
 * cut       it is truncated
 * </pre>
 */
final class ClientResponse {
  private static final int FAILED = 500;
  private static final Logger LOG = LoggerFactory.getLogger(ClientResponse.class);

  private final ExchangeStream stream;
  private final ExchangeRecording recording;
  private final ContentPump pump;
  private final ResponseFlow flow;

  /** Content that waits for pools; null: the response in progress has no limit. */
  private @Nullable LimitedContent limited;

  /** Whether a node was told that the request has arrived. */
  private boolean acknowledged;

  private boolean complete;
  private boolean cut;

  /** Whether it ends for lack of memory or by a failed hook: the exchange is told at its end. */
  private boolean endsEarly;

  ClientResponse(
      ExchangeStream stream, ExchangeRecording recording, ContentPump pump, ResponseFlow flow) {
    this.stream = stream;
    this.recording = recording;
    this.pump = pump;
    this.flow = flow;
  }

  /** A response begins. */
  void begin() {
    acknowledged = false;
    complete = false;
    cut = false;
    endsEarly = false;
  }

  /** Whether more of it may be written. */
  boolean isOpen() {
    return stream.running() && !complete && !cut;
  }

  /** Whether everything is written. */
  boolean isComplete() {
    return complete;
  }

  /** Whether it is truncated. */
  boolean isCut() {
    return cut;
  }

  /** Whether it ended before the exchange, for lack of memory or by a failed hook. */
  boolean isEndedEarly() {
    return endsEarly;
  }

  // ---- heads

  /** See {@link ClientStream#interim}. */
  void interim(ResponseHead head, FieldLines own) {
    ResponseWriter writer = stream.writer();
    if (!isOpen() || writer.headSent() || !writer.takesInterim() || head.status() == 101) {
      return;
    }
    if (head.status() == 100 && pump.awaitsContinue()) {
      sendContinue();
      return;
    }
    FieldLines lines = ReplyFields.interim(head, own);
    stream.terms().handler().ruleInterim(stream, head.status(), lines);
    if (written(() -> writer.writeInterim(head.status(), lines))) {
      stream.flush();
    }
  }

  /** See {@link ClientStream#acknowledge}. */
  void acknowledge() {
    ResponseWriter writer = stream.writer();
    if (isOpen() && !acknowledged && !writer.headSent() && writer.takesInterim()) {
      acknowledged = true;
      FieldLines none = new FieldLines(0);
      if (written(() -> writer.writeInterim(PeerHop.ACKNOWLEDGED, none))) {
        stream.flush();
      }
    }
  }

  /** See {@link ClientStream#sendContinue}. */
  void sendContinue() {
    ResponseWriter writer = stream.writer();
    if (!isOpen() || writer.headSent() || !pump.awaitsContinue() || stream.contentAtHand()) {
      return;
    }
    pump.continues();
    if (!written(writer::writeContinue)) {
      return;
    }
    stream.flush();
    pump.continued();
  }

  /** See {@link ClientStream#head}. */
  void head(OutgoingHead head) {
    ResponseWriter writer = stream.writer();
    if (!isOpen() || writer.headSent()) {
      return;
    }
    boolean last = head.last();
    recording.answers(head.status());
    long before = writer.headBytes();
    try {
      OutgoingHead ruled = stream.terms().handler().ruled(stream, head, writer.headMethod());
      if (ruled == null) {
        endForHook();
        return;
      }
      Limit limit = stream.terms().handler().limit(stream, ruled, writer.headMethod());
      if (limit != null) {
        limited = new LimitedContent(stream, this, limit);
        limited.head(ruled);
        return;
      }
      stream.writeHead(ruled);
    } catch (OutOfMemoryError e) {
      endFor(e, writer.headBytes() == before);
      return;
    }
    if (last) {
      completed();
    }
  }

  // ---- content

  /** See {@link ClientStream#limit}. */
  @Nullable Limit limit() {
    return limited == null ? null : limited.limit();
  }

  /** Whether the exchange has ended the response, and content of it waits. */
  boolean endWaits() {
    return limited != null && limited.isEnded();
  }

  /** Whether content waits for pools. */
  boolean contentWaits() {
    return limited != null && limited.isWaiting();
  }

  /** Drops the content that waits. */
  void forgetLimit() {
    if (limited != null) {
      limited.close();
      limited = null;
    }
  }

  /** See {@link ClientStream#content}. */
  void content(ByteBuf content) {
    ResponseWriter writer = stream.writer();
    int length = content.readableBytes();
    if (!isOpen() || !writer.headSent() || writer.headMethod() || length == 0) {
      content.release();
    } else if (writer.exceeded(length + waitingBytes())) {
      content.release();
      LOG.error(
          "A response to {} is longer than announced, and is cut; next: report this defect, with"
              + " the URL",
          stream.clientAddress());
      abort("response longer than announced");
    } else if (limited != null) {
      limited.add(content);
    } else {
      writeContent(content);
    }
  }

  private int waitingBytes() {
    return limited == null ? 0 : (int) Math.min(Integer.MAX_VALUE / 2, limited.waitingBytes());
  }

  /** Writes content, taken. */
  void writeContent(ByteBuf content) {
    try {
      stream.writer().writeContent(content);
    } catch (OutOfMemoryError e) {
      endFor(e, false);
    }
  }

  // ---- ends

  /** See {@link ClientStream#end}. */
  void end(@Nullable Fields trailers) {
    if (!isOpen() || !stream.writer().headSent()) {
      return;
    }
    Fields passed =
        trailers == null ? null : stream.terms().handler().ruledTrailers(stream, trailers);
    if (limited != null && limited.isWaiting()) {
      limited.end(passed);
      stream.forgetExchange();
    } else {
      writeEnd(passed);
    }
  }

  /** Writes the end of the content. */
  void writeEnd(@Nullable Fields passed) {
    if (written(() -> stream.writer().end(passed))) {
      completed();
    }
  }

  /** Everything of the response is written. */
  void completed() {
    if (stream.writer().incomplete()) {
      LOG.error(
          "A response to {} is shorter than announced, and is cut; next: report this defect, with"
              + " the URL",
          stream.clientAddress());
      abort("response shorter than announced");
      return;
    }
    complete = true;
    stream.flush();
  }

  /** See {@link ClientStream#abort}. */
  void abort(String why) {
    if (!isOpen()) {
      return;
    }
    cut = true;
    flow.flushLater();
    if (stream.record().errorDetail == null) {
      stream.record().errorDetail = why;
    }
    stream.settle();
  }

  /** Truncates it, unless it is complete. */
  void cutOff() {
    if (!complete) {
      cut = true;
    }
  }

  /** Whether there was memory for the writing; if not, the response is ended. */
  private boolean written(Runnable writing) {
    try {
      writing.run();
      return true;
    } catch (OutOfMemoryError e) {
      endFor(e, false);
      return false;
    }
  }

  /** Ends the response with 500 in place of a head that the hook of the application spoiled. */
  private void endForHook() {
    recording.answers(FAILED);
    stream.record().errorCode = "ERR_INTERNAL";
    endsEarly = true;
    stream.closeAfter();
    stream.writeHead(OutgoingHead.of(FAILED, new FieldLines(16)).content(0, true));
    complete = true;
    flow.flushLater();
    if (!stream.isInCall()) {
      stream.resumeLater();
    }
  }

  /**
   * Ends the response without further memory: a 503 if nothing of its head is written yet, else a
   * cut. The caller continues as if it had been written; it is told later that the client is gone.
   */
  private void endFor(OutOfMemoryError noMemory, boolean headMissing) {
    stream.outOfMemory(noMemory, "an answer");
    endsEarly = true;
    flow.flushLater();
    if (headMissing) {
      stream.writer().writeOverloaded();
      stream.record().status = 503;
      stream.closeAfter();
      complete = true;
    } else {
      cut = true;
    }
    if (!stream.isInCall()) {
      stream.resumeLater();
    }
  }
}
