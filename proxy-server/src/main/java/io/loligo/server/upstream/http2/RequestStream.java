package io.loligo.server.upstream.http2;

import io.loligo.core.http1.Framing;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.record.HopTls;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.server.upstream.pool.ResponseEvents;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its response, as a stream of a connection. Confined to the connection's event
 * loop.
 *
 * <pre>
 * NEW      given, nothing sent: send
 * HEAD     the final head is awaited: content, endContent, cancel
 * CONTENT  head delivered: content, endContent, read, cancel
 * OVER     no event follows
 * </pre>
 *
 * <p>The connection forgets a stream when both directions have ended, or when it is reset. Content
 * that the exchange has not read by then stays here.
 */
final class RequestStream implements Lease {
  /** 1xx responses before the final one; more of them are refused. */
  static final int MAX_INTERIM = 32;

  /** Longest wait for 100 before content is sent anyway (RFC 9110 10.1.1). */
  static final int CONTINUE_MILLIS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(RequestStream.class);

  private enum Phase {
    NEW,
    HEAD,
    CONTENT,
    OVER
  }

  private final MultiplexedConnection connection;
  private final Deadline deadline = new Deadline();
  private Phase phase = Phase.NEW;
  private int id;

  // the exchange
  private @Nullable ResponseEvents events;
  private @Nullable FetchTimings timings;
  private int methodId;
  private long sentNanos;
  private boolean answered;
  private int interims;

  // sending
  private @Nullable OutgoingContent content;

  /** Whether the exchange may give content. */
  private boolean sending;

  /** Whether the end of the request was not sent. */
  private boolean outputOpen;

  private boolean awaitingContinue;

  /** Whether the sender of content was told to wait. */
  private boolean withheld;

  /** Announced bytes that were not given; negative: not announced. */
  private long unsent;

  // receiving
  private @Nullable ResponseContent received;

  /** Bytes of the content, see {@link ContentLength}. */
  private long contentLength;

  /** Announced bytes that have not arrived; negative: not announced. */
  private long missing;

  private boolean inputOpen = true;
  private @Nullable Fields trailers;

  /** The reason for the failure that follows the content at hand. */
  private @Nullable FetchFailure cut;

  private boolean wanted;
  private boolean pumping;

  /** Pace of a response that has begun to arrive; null if no wait was needed. */
  private @Nullable Pace pace;

  /** A stream that has not begun. */
  RequestStream(MultiplexedConnection connection) {
    this.connection = connection;
  }

  /** Its number; 0: it has not begun. */
  int id() {
    return id;
  }

  /** Its content on the way to the server; null: it has none. */
  @Nullable OutgoingContent content() {
    return content;
  }

  @Override
  public Endpoint endpoint() {
    return connection.endpoint();
  }

  @Override
  public @Nullable InetSocketAddress localAddress() {
    return connection.localAddress();
  }

  @Override
  public @Nullable HopTls secured() {
    return connection.facts();
  }

  /** The listener of the exchange, which has not ended. */
  private ResponseEvents listener() {
    ResponseEvents listener = events;
    assert listener != null : "no exchange";
    return listener;
  }

  private FetchTimings record() {
    FetchTimings record = timings;
    assert record != null : "no exchange";
    return record;
  }

  @Override
  public boolean mayBeRefused() {
    return true;
  }

  // ---- sending

  @Override
  public void send(
      OutgoingRequest outgoing, RequestForm form, FetchTimings record, ResponseEvents listener) {
    assert phase == Phase.NEW : phase;
    phase = Phase.HEAD;
    events = listener;
    timings = record;
    methodId = outgoing.methodId();
    sentNanos = connection.nanos();
    sending = outgoing.hasContent();
    outputOpen = sending;
    awaitingContinue = sending && outgoing.expectContinue();
    unsent = outgoing.contentLength();
    if (sending) {
      content = connection.newContent();
    }
    id = connection.nextNumber();
    int bytes = connection.begin(this, outgoing, form);
    if (bytes < 0) {
      id = 0; // the server never hears of it
      fail(
          Kind.REQUEST_HEAD_TOO_LARGE,
          ErrorCode.CANCEL,
          "the head is larger than SETTINGS_MAX_HEADER_LIST_SIZE");
      return;
    }
    record.bytesOut += bytes;
    connection.flushes().afterTasks();
    if (sending && !awaitingContinue && phase == Phase.HEAD) {
      listener.readyForContent();
    }
    watch();
  }

  @Override
  public void tunnel(
      OutgoingConnect to, RequestForm form, FetchTimings record, ResponseEvents listener) {
    throw new IllegalStateException("tunnels use connections of HTTP/1");
  }

  @Override
  public void keep() {
    phase = Phase.OVER;
    connection.reset(this, ErrorCode.NO_ERROR);
    connection.flushes().soon();
  }

  @Override
  public void raw() {
    throw new IllegalStateException("a stream is no raw connection");
  }

  @Override
  public ByteStream detach() {
    throw new IllegalStateException("phase: " + phase + " (expected: a connection of HTTP/1)");
  }

  @Override
  public void content(ByteBuf given) {
    int length = given.readableBytes();
    OutgoingContent queue = content;
    if (!sending || length == 0 || queue == null) {
      given.release();
      return;
    }
    awaitingContinue = false;
    if (unsent >= 0 && length > unsent) {
      given.release();
      fail(Kind.WRITE_FAILED, ErrorCode.CANCEL, "more request content than announced");
      return;
    }
    unsent -= unsent >= 0 ? length : 0;
    record().bytesOut += length;
    queue.add(given);
    connection.enqueue(this);
    watch();
  }

  @Override
  public void endContent(@Nullable Fields late) {
    OutgoingContent queue = content;
    if (!sending || queue == null) {
      return;
    }
    if (unsent > 0) {
      fail(Kind.WRITE_FAILED, ErrorCode.CANCEL, "less request content than announced");
      return;
    }
    sending = false;
    awaitingContinue = false;
    queue.end(lines(late));
    connection.enqueue(this);
    watch();
  }

  private static @Nullable FieldLines lines(@Nullable Fields late) {
    if (late == null || late.count() == 0) {
      return null;
    }
    FieldLines lines = new FieldLines(128);
    for (int i = 0; i < late.count(); i++) {
      lines.add(late, i);
    }
    return lines;
  }

  @Override
  public boolean writable() {
    boolean takesMore = !sending || takesMore();
    if (withheld == takesMore) {
      withheld = !takesMore;
      watch();
    }
    return takesMore;
  }

  private boolean takesMore() {
    return content == null || content.takesMore();
  }

  /** A frame was passed on, with {@code bytes} beside its content; {@code last} ends the stream. */
  void emitted(int bytes, boolean last) {
    if (timings != null) {
      timings.bytesOut += bytes;
    }
    if (last) {
      outputOpen = false;
      leaveIfEnded();
    } else if (withheld && takesMore()) {
      withheld = false;
      connection.later(this::tellWritable); // not from within a flush
    }
    watch();
  }

  private void tellWritable() {
    if (sending && !awaitingContinue && writable()) {
      guarded(Step.WRITABLE);
    }
  }

  // ---- receiving

  /** {@code bytes} of frames arrived for it. */
  private void arrived(int bytes) {
    FetchTimings record = record();
    record.bytesIn += bytes;
    if (!answered) {
      answered = true;
      record.firstByteNanos = connection.nanos() - sentNanos;
    }
    if (pace != null) {
      pace.moved(connection.timer().tick(), bytes);
    }
  }

  /** Whether a field block that arrives is a head, not trailers. */
  boolean awaitsHead() {
    return phase == Phase.HEAD;
  }

  /**
   * A head arrived, in {@code bytes} of frames.
   *
   * @param failure why it is refused, or null
   * @param head borrowed; valid without a failure
   */
  void head(ResponseHead head, @Nullable ParseFailure failure, int bytes, boolean last) {
    arrived(bytes);
    if (failure != null) {
      refuse(failure);
    } else if (head.status() < 200) {
      if (last) {
        refuse(ParseFailure.BAD_FRAME);
      } else {
        guarded(Step.INTERIM, head);
      }
    } else {
      finalHead(head, last);
    }
    watch();
  }

  private void interim(ResponseHead head) {
    if (++interims > MAX_INTERIM) {
      refuse(ParseFailure.TOO_MANY_INTERIM);
    } else if (head.status() == 100 && awaitingContinue) {
      awaitingContinue = false;
      listener().readyForContent();
    } else {
      listener().interim(head);
    }
  }

  private void finalHead(ResponseHead head, boolean last) {
    Framing framing = MessageFraming.of(head, methodId);
    ParseFailure failure = framing.failure();
    if (failure == null && last && framing.length() > 0) {
      failure = ParseFailure.CONTENT_LENGTH_OF_DATA;
    }
    if (failure != null) {
      refuse(failure);
      return;
    }
    if (awaitingContinue || (sending && head.status() >= 300)) {
      stopSending(); // the server has decided without the rest of the content
    }
    missing = framing.length();
    received = connection.newReceived();
    phase = Phase.CONTENT;
    if (last) {
      inputEnded(null);
      // the exchange of a validation has ended when the listener returns
      record().lastByteNanos = connection.nanos() - sentNanos;
    }
    contentLength =
        framing.kind() == Framing.Kind.UNTIL_CLOSE
            ? (last ? 0 : ContentLength.UNKNOWN) // the stream delimits it
            : framing.contentLength();
    guarded(Step.HEAD, head);
    pump();
  }

  /** Content arrived: {@code payload}, borrowed and read. */
  void data(ByteBuf payload, int flowBytes, boolean last) {
    int length = payload.readableBytes();
    arrived(Frames.HEADER_BYTES + flowBytes);
    ResponseContent into = received;
    if (into == null || !inputOpen) {
      refuse(ParseFailure.BAD_FRAME); // before the head, or after the end
      return;
    }
    if (missing >= 0) {
      missing -= length;
      if (missing < 0) {
        refuse(ParseFailure.CONTENT_LENGTH_OF_DATA);
        return;
      }
    }
    if (!into.add(payload, flowBytes)) {
      refuse(ParseFailure.BAD_FRAME, ErrorCode.FLOW_CONTROL_ERROR);
      return;
    }
    if (last) {
      inputEnded(null);
    }
  }

  /**
   * Trailers arrived, in {@code bytes} of frames.
   *
   * @param late null: they are malformed
   */
  void trailers(@Nullable Fields late, int bytes, boolean last) {
    arrived(bytes);
    if (!inputOpen || (late != null && !last)) {
      refuse(ParseFailure.BAD_FRAME);
    } else if (late == null) {
      refuse(ParseFailure.BAD_TRAILER);
    } else {
      inputEnded(late);
    }
  }

  private void inputEnded(@Nullable Fields late) {
    if (missing > 0) {
      refuse(ParseFailure.CONTENT_LENGTH_OF_DATA);
      return;
    }
    inputOpen = false;
    trailers = late;
    leaveIfEnded();
  }

  private void leaveIfEnded() {
    if (!inputOpen && !outputOpen) {
      connection.ended(this);
    }
  }

  @Override
  public void read() {
    if (phase == Phase.CONTENT) {
      wanted = true;
      pump();
    }
  }

  /** Delivers content at hand as far as the exchange wants it. */
  void pump() {
    if (!pumping) {
      pumping = true;
      try {
        guarded(Step.PUMP);
      } finally {
        pumping = false;
      }
      watch();
    }
  }

  private void advance() {
    while (phase == Phase.CONTENT) {
      ResponseContent from = received;
      assert from != null : "content without a head";
      if (from.isEmpty()) {
        endIfEnded();
        return;
      }
      if (!wanted) {
        return;
      }
      wanted = false;
      int most = connection.readBytes();
      int bytes = 0;
      while (phase == Phase.CONTENT && bytes < most && !from.isEmpty()) {
        ByteBuf piece = from.take();
        bytes += piece.readableBytes();
        listener().received(piece);
      }
      if (phase == Phase.CONTENT) {
        if (inputOpen) {
          connection.windowUpdate(id, from.credit());
        }
        from.charge();
        if (from.isEmpty() && !inputOpen) {
          endIfEnded();
        } else {
          listener().readComplete();
        }
      }
    }
  }

  /** Ends the exchange if the response has ended, or was cut off. */
  private void endIfEnded() {
    FetchFailure failure = cut;
    if (failure != null) {
      failNow(failure);
    } else if (!inputOpen) {
      complete();
    }
  }

  /** Enters content that stays in the ledger. */
  void settle() {
    if (received != null) {
      received.charge();
    }
  }

  // ---- ends

  private void complete() {
    record().lastByteNanos = connection.nanos() - sentNanos;
    ResponseEvents listener = listener();
    Fields late = trailers;
    leave();
    // the server has decided without the rest of the request (RFC 9113 section 8.1)
    connection.reset(this, ErrorCode.CANCEL);
    listener.end(late);
  }

  /** The response breaks a rule. */
  private void refuse(ParseFailure failure) {
    refuse(failure, ErrorCode.PROTOCOL_ERROR);
  }

  private void refuse(ParseFailure failure, ErrorCode why) {
    connection.home().refused(failure);
    boolean tooLarge =
        failure == ParseFailure.HEAD_TOO_LARGE || failure == ParseFailure.TOO_MANY_FIELDS;
    Kind kind = tooLarge ? Kind.HEAD_TOO_LARGE : Kind.INVALID_RESPONSE;
    cutOff(kind, failure.text());
    connection.reset(this, why);
  }

  /** A frame of the stream breaks a rule of frames. */
  void malformed(ErrorCode why) {
    refuse(ParseFailure.BAD_FRAME, why);
  }

  /** Nothing more arrives: fails, after the content at hand was delivered. */
  private void cutOff(Kind kind, String detail) {
    FetchFailure failure = new FetchFailure(kind, endpoint() + ": " + detail);
    inputOpen = false;
    if (phase == Phase.CONTENT && received != null && !received.isEmpty()) {
      cut = failure;
      stopSending();
      pump();
    } else {
      failNow(failure);
    }
  }

  private void fail(Kind kind, ErrorCode why, String detail) {
    failNow(new FetchFailure(kind, endpoint() + ": " + detail));
    connection.reset(this, why);
  }

  private void failNow(FetchFailure failure) {
    ResponseEvents listener = events;
    if (listener != null) {
      boolean any = answered;
      leave();
      listener.failed(failure, any);
    }
  }

  /** Forgets the exchange. */
  private void leave() {
    phase = Phase.OVER;
    connection.timer().forget(deadline);
    events = null;
    timings = null;
    pace = null;
    stopSending();
    if (received != null) {
      received.release();
    }
  }

  private void stopSending() {
    sending = false;
    awaitingContinue = false;
    withheld = false;
    if (content != null) {
      connection.forgetOutput(this);
      content.release();
    }
  }

  @Override
  public void cancel() {
    if (phase == Phase.OVER) {
      return;
    }
    leave();
    connection.reset(this, ErrorCode.CANCEL);
  }

  /** {@inheritDoc} Other streams of the connection go on. */
  @Override
  public void giveUp() {
    cancel();
    connection.leave(ErrorCode.NO_ERROR);
  }

  /** The server reset the stream, which the connection has forgotten. */
  void resetByServer(ErrorCode why) {
    outputOpen = false;
    if (!inputOpen) {
      stopSending(); // it does not need the rest of the request
      return;
    }
    inputOpen = false;
    if (phase == Phase.HEAD && !answered) {
      switch (why) {
        case REFUSED_STREAM -> failNow(unprocessed(Kind.NOT_PROCESSED, "stream refused"));
        case HTTP_1_1_REQUIRED -> failNow(unprocessed(Kind.HTTP_1_REQUIRED, "HTTP/1.1 required"));
        default -> {
          answered = true; // the request has arrived
          failNow(new FetchFailure(Kind.NO_ANSWER, endpoint() + ": stream reset, " + why));
        }
      }
    } else {
      truncated("stream reset, " + why);
    }
  }

  /** The connection is going away, and the server has not looked at the request. */
  void notProcessed(ErrorCode why) {
    outputOpen = false;
    inputOpen = false;
    String detail = "going away, " + why;
    if (answered) {
      truncated(detail);
    } else {
      boolean oldVersion = why == ErrorCode.HTTP_1_1_REQUIRED;
      failNow(unprocessed(oldVersion ? Kind.HTTP_1_REQUIRED : Kind.NOT_PROCESSED, detail));
    }
  }

  private FetchFailure unprocessed(Kind kind, String detail) {
    return new FetchFailure(kind, endpoint() + ": " + detail);
  }

  /** The connection is gone. */
  void connectionLost(Kind beforeHead, String detail) {
    outputOpen = false;
    if (!inputOpen) {
      stopSending();
      return;
    }
    inputOpen = false;
    if (phase == Phase.CONTENT && beforeHead == Kind.NO_ANSWER) {
      truncated(detail);
    } else {
      cutOff(beforeHead, detail);
    }
  }

  private void truncated(String detail) {
    connection.home().refused(ParseFailure.TRUNCATED);
    cutOff(phase == Phase.CONTENT ? Kind.TRUNCATED : Kind.INVALID_RESPONSE, detail);
  }

  /** Steps that call out of this class. */
  private enum Step {
    PUMP,
    WRITABLE,
    READY,
    INTERIM,
    HEAD
  }

  private void guarded(Step step) {
    guarded(step, null);
  }

  /** A fault in the listener ends only this exchange. */
  private void guarded(Step step, @Nullable ResponseHead head) {
    try {
      if (head != null) {
        give(step, head);
        return;
      }
      switch (step) {
        case PUMP -> advance();
        case WRITABLE -> listener().drained();
        default -> listener().readyForContent();
      }
    } catch (OutOfMemoryError e) {
      connection.shortage(e);
      fail(Kind.NO_MEMORY, ErrorCode.CANCEL, e.toString());
    } catch (RuntimeException | Error e) {
      LOG.warn("exchange with {} failed; next: report this defect, with the trace", endpoint(), e);
      fail(Kind.INVALID_RESPONSE, ErrorCode.CANCEL, "internal: " + e);
    }
  }

  private void give(Step step, ResponseHead head) {
    if (step == Step.INTERIM) {
      interim(head);
    } else {
      listener().head(head, contentLength);
    }
  }

  // ---- time

  /** Arms or disarms the deadline for the event that is awaited now. */
  private void watch() {
    if (events == null) {
      return;
    }
    LoopTimer timer = connection.timer();
    if (awaitingContinue) {
      if (!deadline.armed()) {
        timer.arm(deadline, CONTINUE_MILLIS);
      }
    } else if (outputOpen && (withheld || isOutputDue())) {
      timer.arm(deadline, connection.settings().writeMillis);
    } else if (!sending && inputOpen && (phase == Phase.HEAD || wanted)) {
      timer.arm(deadline, timer.deadline(connection.settings().readMillis), paceOwed());
      return;
    } else {
      timer.cancel(deadline);
    }
    if (pace != null) {
      pace.notOwed(timer.tick());
    }
  }

  private boolean isOutputDue() {
    return content != null && content.isDue();
  }

  /** The pace of content of known length; null: the server may be silent. */
  private @Nullable Pace paceOwed() {
    int least = connection.settings().minBytesPerSecond;
    long tick = connection.timer().tick();
    if (least == 0 || phase != Phase.CONTENT || missing < 0) {
      if (pace != null) {
        pace.notOwed(tick);
      }
      return null;
    }
    if (pace == null) {
      pace = new Pace(least, connection.settings().rateWindowMillis);
    }
    pace.owed(tick);
    return pace;
  }

  /** The deadline of 100, of a write or of a read. */
  private final class Deadline extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      if (awaitingContinue) {
        awaitingContinue = false;
        guarded(Step.READY);
        watch();
      } else if (outputOpen) {
        fail(Kind.WRITE_FAILED, ErrorCode.CANCEL, "request content was not read in time");
      } else if (pace != null && pace.late(connection.timer().tick())) {
        connection.home().refused(ParseFailure.TOO_SLOW);
        fail(Kind.READ_TIMEOUT, ErrorCode.CANCEL, "the response arrives too slowly");
      } else {
        fail(Kind.READ_TIMEOUT, ErrorCode.CANCEL, "no byte in time");
      }
    }
  }
}
