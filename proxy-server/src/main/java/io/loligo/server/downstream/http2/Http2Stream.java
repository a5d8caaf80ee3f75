package io.loligo.server.downstream.http2;

import io.loligo.core.http1.Framing;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.http2.ErrorCode;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.WebSocketHandshake;
import io.loligo.server.downstream.stream.ExchangeStream;
import io.loligo.server.downstream.stream.Paces;
import io.loligo.server.downstream.stream.ResponseWriter;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.transport.ResponseTally;
import io.loligo.server.tunnel.ByteStream;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One stream of an HTTP/2 connection: one exchange. The object serves another stream when that was
 * answered. Confined to the client's event loop.
 *
 * <pre>
 * SPARE    no stream
 * RUNNING  a request is being answered
 * TUNNEL   given away: its bytes are a tunnel's, and only the record is left
 * ENDED    answered, reset, or its client is gone
 * </pre>
 */
final class Http2Stream extends ExchangeStream implements StreamContent.Reader {
  private enum State {
    SPARE,
    RUNNING,
    TUNNEL,
    ENDED
  }

  // for Output
  final StreamTally tally = new StreamTally(this);
  final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(2);
  int id;
  long sendWindow;
  int queuedBytes;
  boolean endQueued;
  @Nullable FieldLines trailers;
  int urgency;
  boolean incremental;
  boolean isReady;
  int readyAs;

  private final Http2Connection connection;
  private final Output output;
  private final StreamWriter writer;
  private State state = State.SPARE;
  private @Nullable StreamContent content;
  private @Nullable StreamBytes tunnel;
  private boolean webSocket;
  private boolean inputEnded;
  private boolean outputEnded;
  private boolean wasFull;

  /** Bytes that the client may send. */
  private int receiveWindow;

  /** Bytes read since the last WINDOW_UPDATE. */
  private int readBytes;

  Http2Stream(Http2Connection connection, Output output, LoopCodecs codecs) {
    super(connection);
    this.connection = connection;
    this.output = output;
    this.writer = new StreamWriter(this, output, codecs);
  }

  /** Becomes stream {@code number} with windows as the settings of both sides say. */
  void open(int number, int sendBytes, int receiveBytes) {
    id = number;
    sendWindow = sendBytes;
    receiveWindow = receiveBytes;
    readBytes = 0;
    endQueued = false;
    trailers = null;
    urgency = 3;
    incremental = false;
    content = null;
    inputEnded = false;
    outputEnded = false;
    wasFull = false;
    tunnel = null;
    state = State.RUNNING;
  }

  /** Sets its place among the streams of the connection (RFC 9218). */
  void prioritize(int newUrgency, boolean isIncremental) {
    urgency = newUrgency;
    incremental = isIncremental;
  }

  // ---- the request

  /** Serves the request of {@code head}, borrowed. */
  void request(RequestHead head, boolean ended, long acceptNanos) {
    inputEnded = ended;
    begin(head, head.end(), acceptNanos);
    writer.start(head.methodId() == Method.HEAD);
    webSocket = WebSocketHandshake.isOurs(head);
    Framing framing = MessageFraming.of(head);
    boolean announced = framing.kind() == Framing.Kind.LENGTH;
    ParseFailure refused =
        webSocket && announced && framing.length() > 0
            ? ParseFailure.CONTENT_OF_CONNECT
            : framing.failure();
    if (refused != null) {
      refuse(refused);
      snapshot(head);
      return;
    }
    if (ended && announced && framing.length() > 0) {
      snapshot(head);
      malformed(ParseFailure.BAD_CONTENT_LENGTH);
      return;
    }
    long contentLength =
        announced ? framing.length() : ended ? ContentLength.NONE : ContentLength.UNKNOWN;
    if (!ended) {
      content =
          new StreamContent(
              allocator(),
              connection.clients().transit(),
              announced ? framing.length() : ContentLength.UNKNOWN,
              Paces.ofRequest(terms().settings()),
              this);
    }
    if (content != null && head.methodId() != Method.CONNECT && !webSocket) {
      expect(content, head.fields().hasToken(FieldName.EXPECT, "100-continue"));
    } else {
      // the bytes of a tunnel are no content
      contentLength = ContentLength.NONE;
    }
    handle(head, contentLength);
  }

  /** Refuses a request that is beyond a limit, or not supported, with a response. */
  void refused(ParseFailure failure, int bytes, boolean ended, long acceptNanos) {
    inputEnded = ended;
    begin(null, bytes, acceptNanos);
    writer.start(false);
    record().url =
        failure == ParseFailure.UNSUPPORTED_PROTOCOL
            ? "error:invalid-request"
            : "error:request-too-large";
    refuse(failure);
  }

  private void refuse(ParseFailure failure) {
    answerAndClose(() -> terms().handler().refused(this, failure));
  }

  /** Records a request that is malformed, and resets its stream. */
  void malformedHead(ParseFailure failure, int bytes, long acceptNanos) {
    begin(null, bytes, acceptNanos);
    writer.start(false);
    record().url = "error:invalid-request";
    malformed(failure);
  }

  private void malformed(ParseFailure failure) {
    record().requestFailure = failure;
    record().errorDetail = failure.text();
    connection.streamError(id, ErrorCode.PROTOCOL_ERROR);
  }

  /** Its window changes by {@code bytes}, perhaps to less than nothing (RFC 9113 section 6.9.2). */
  void receivesMore(int bytes) {
    receiveWindow += bytes;
  }

  /** DATA: {@code payload}, borrowed. */
  void data(ByteBuf payload, int flowBytes, boolean ends) {
    receiveWindow -= flowBytes;
    if (receiveWindow < 0 && flowBytes > 0) {
      reset(ErrorCode.FLOW_CONTROL_ERROR);
      return;
    }
    int padding = flowBytes - payload.readableBytes();
    if (padding > 0) {
      read(padding);
    }
    inputEnded = ends;
    StreamContent to = content;
    if (to == null || contentBroken()) {
      // the response did not need it
      connection.read(payload.readableBytes());
      return;
    }
    if (!to.add(payload) || (ends && !to.finish(null))) {
      malformed(ParseFailure.CONTENT_LENGTH_OF_DATA);
      return;
    }
    if (tunnel != null) {
      tunnel.arrived();
      return;
    }
    contentMoved(flowBytes);
    inputArrived();
  }

  /** Trailers, which end the content; null: they are malformed. */
  void trailers(@Nullable Fields fields) {
    inputEnded = true;
    StreamContent to = content;
    if (fields == null || tunnel != null) {
      malformed(ParseFailure.BAD_TRAILER);
    } else if (to != null && !contentBroken()) {
      if (to.finish(fields)) {
        inputArrived();
      } else {
        malformed(ParseFailure.CONTENT_LENGTH_OF_DATA);
      }
    }
  }

  /** Whether the client has sent END_STREAM. */
  boolean hasEndedInput() {
    return inputEnded;
  }

  @Override
  public void read(int bytes) {
    connection.read(bytes);
    if (inputEnded || (state != State.RUNNING && state != State.TUNNEL)) {
      return;
    }
    readBytes += bytes;
    if (readBytes >= connection.streamWindow() / 2) {
      receiveWindow += readBytes;
      connection.windowUpdate(id, readBytes);
      readBytes = 0;
    }
  }

  // ---- ends

  /** RST_STREAM of the client, or its connection is gone. */
  void gone(boolean timedOut) {
    if (state == State.RUNNING) {
      state = State.ENDED;
      clientGone(timedOut);
      left(false);
    } else if (state == State.TUNNEL) {
      endTunnel();
    }
  }

  /** Resets the stream; its exchange ends as aborted. */
  void reset(ErrorCode why) {
    if (state == State.RUNNING || state == State.TUNNEL) {
      connection.reset(this, why);
      gone(false);
    }
  }

  @Override
  protected void breakOff(boolean timedOut) {
    if (state == State.RUNNING) {
      connection.reset(this, ErrorCode.CANCEL);
      gone(timedOut);
    }
  }

  @Override
  protected void closeCut() {
    state = State.ENDED;
    connection.reset(this, ErrorCode.INTERNAL_ERROR);
    connection.later(() -> left(false));
  }

  @Override
  protected void finished() {
    state = State.ENDED;
    if (!inputEnded) {
      connection.reset(this, ErrorCode.NO_ERROR);
    }
    left(true);
  }

  /**
   * Gives everything back.
   *
   * @param answered whether the exchange has ended by itself: only then nobody can write to this
   *     object any more, and it may serve another stream
   */
  private void left(boolean answered) {
    if (content != null) {
      content.release();
      content = null;
    }
    forgetContent();
    output.forget(this);
    for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
      piece.release();
    }
    queuedBytes = 0;
    endQueued = false;
    connection.ended(this, answered);
  }

  /** The object serves no stream any more. */
  void spare() {
    state = State.SPARE;
    id = 0;
  }

  // ---- output

  /** Adds content, taken, to the queue. */
  void queue(ByteBuf piece) {
    if (!piece.isReadable()) {
      piece.release();
      return;
    }
    pieces.addLast(piece);
    queuedBytes += piece.readableBytes();
    wasFull |= isFull();
  }

  /** Whether as much content waits as the stream's buffer holds. */
  boolean isFull() {
    return queuedBytes >= terms().settings().streamBufferBytes;
  }

  /** Whether a frame can be sent, as far as this stream is concerned. */
  boolean canSend() {
    return queuedBytes > 0 ? sendWindow > 0 : endQueued && !outputEnded;
  }

  /** Whether content or the end waits for being sent. */
  boolean hasOutput() {
    return queuedBytes > 0 || (endQueued && !outputEnded);
  }

  /** END_STREAM was sent. */
  void outputEnded() {
    outputEnded = true;
  }

  /** Whether there is room for content again, after there was none. */
  boolean takesMoreAgain() {
    if (wasFull && queuedBytes < terms().settings().streamBufferBytes / 2) {
      wasFull = false;
      return true;
    }
    return false;
  }

  /** Bytes of the connection were written. */
  void outputWritten() {
    if (tunnel != null) {
      tunnel.progressed();
    } else {
      flushed();
    }
  }

  /** There is room for content again. */
  void roomAgain() {
    if (tunnel != null) {
      tunnel.writable();
    } else {
      socketWritable();
    }
  }

  @Override
  protected ResponseTally tally() {
    return tally;
  }

  @Override
  protected ResponseWriter writer() {
    return writer;
  }

  @Override
  protected void writeHead(OutgoingHead head) {
    writer.writeHead(head);
  }

  @Override
  protected boolean flushWrites() {
    connection.flushes().afterTasks();
    return false;
  }

  @Override
  protected boolean takesMore() {
    return !isFull();
  }

  // ---- facts of the connection

  @Override
  protected boolean running() {
    return state == State.RUNNING;
  }

  @Override
  protected boolean tunnelling() {
    return state == State.TUNNEL;
  }

  @Override
  protected boolean contentAtHand() {
    return content != null && content.atHand();
  }

  @Override
  protected boolean inputEnded() {
    return false;
  }

  @Override
  protected void readMore() {
    // frames are always read: the windows limit what the client may send
  }

  @Override
  protected void dropInput() {
    if (content != null) {
      content.release();
    }
  }

  @Override
  protected void contentComplete() {}

  @Override
  protected void progressed() {}

  @Override
  protected void concluding() {}

  @Override
  protected void resumed() {
    connection.flushes().soon();
  }

  // ---- tunnels

  @Override
  protected ByteStream giveAway() {
    StreamContent input = content;
    if (input == null) {
      // END_STREAM came with the head
      input = new StreamContent(allocator(), connection.clients().transit(), -1, null, this);
      input.finish(null);
      content = input;
    }
    state = State.TUNNEL;
    StreamBytes given = new StreamBytes(this, connection, output, input);
    tunnel = given;
    return given;
  }

  /**
   * Closes the tunnel.
   *
   * @param complete whether both directions have ended
   * @param failed whether it shall look like a failure to the client
   */
  void closeTunnel(boolean complete, boolean failed) {
    if (state != State.TUNNEL) {
      return;
    }
    if (!complete) {
      // RFC 8441 section 5, RFC 9113 section 8.5
      ErrorCode failure = webSocket ? ErrorCode.CANCEL : ErrorCode.CONNECT_ERROR;
      connection.reset(this, failed ? failure : ErrorCode.NO_ERROR);
    }
    endTunnel();
  }

  /** The stream is over; the tunnel tells when its record is complete. */
  private void endTunnel() {
    StreamBytes ended = tunnel;
    if (ended != null) {
      ended.gone();
    }
  }

  @Override
  protected void closeTunnel() {
    closeTunnel(false, false);
  }

  @Override
  protected void tunnelOver() {
    state = State.ENDED;
    tunnel = null;
    left(false);
  }
}
