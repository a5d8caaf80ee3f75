package io.loligo.server.downstream.stream;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.Decryption;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Shed;
import io.loligo.server.shaping.Limit;
import io.loligo.server.tls.HostCertificates;
import io.loligo.server.transport.ResponseTally;
import io.loligo.server.tunnel.ByteStream;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of a client's connection, the common part of all versions of HTTP: the calls between the
 * connection and the exchange in progress, the response, and the end. Serves one exchange after the
 * other. Confined to the channel's event loop.
 *
 * <p>Calls into the exchange are counted in {@link ExchangeCalls}: its requests in the meantime
 * (flush, next piece of content, end) are carried out when it has returned. Other calls never call
 * back into the exchange before they return.
 *
 * <p>A client owes bytes while content is waited for that is incomplete ({@link ContentPump}), and
 * while bytes of a response are queued for it ({@link ResponsePacing}): then it has to keep a pace.
 * An idle stream keeps no such state.
 *
 * <p>An exchange runs from {@link #begin} to {@link #conclude}. A version is a subclass: it tells
 * by {@link #running} whether the exchange is in progress, reads the content, and writes the
 * response.
 */
public abstract class ExchangeStream extends ConnectedStream {
  /** Bytes from which a head counts as large. */
  private static final int LARGE_HEAD_BYTES = 4_096;

  private static final Logger LOG = LoggerFactory.getLogger(ExchangeStream.class);

  private final ExchangeRecording recording;
  private final ContentPump pump;
  private final ExchangeCalls calls;
  private final ResponseFlow flow;
  private final ClientResponse response;

  /** Of a tunnel; null: none has begun. */
  private @Nullable Runnable endTunnel;

  // the exchange in progress
  private @Nullable ClientEvents events;
  private boolean closing;

  /** A stream of {@code connection}, which is attached to its channel. */
  protected ExchangeStream(ClientConnection connection) {
    super(connection);
    this.recording = new ExchangeRecording(connection);
    this.pump = new ContentPump(this, clients().timer());
    this.calls = new ExchangeCalls(this);
    this.flow = new ResponseFlow(this, calls);
    this.response = new ClientResponse(this, recording, pump, flow);
  }

  // ---- the duties of a version

  /** Whether an exchange is in progress and its client is there. */
  protected abstract boolean running();

  /** Whether it is a tunnel now. */
  protected abstract boolean tunnelling();

  /** Writes the response; the same object at all times. */
  protected abstract ResponseWriter writer();

  /** Writes the final head, borrowed, and the content in its block. */
  protected abstract void writeHead(OutgoingHead head);

  /** Counts the bytes of the response; the same object at all times. */
  protected abstract ResponseTally tally();

  /**
   * Passes the written bytes to the socket.
   *
   * @return false: that is postponed, and {@link #flushed} follows
   */
  protected abstract boolean flushWrites();

  /** Whether content can be written that leaves soon. */
  protected abstract boolean takesMore();

  /** Whether bytes of the request's content are at hand. */
  protected abstract boolean contentAtHand();

  /** Whether the client sends nothing more. */
  protected abstract boolean inputEnded();

  /** Asks for bytes, if no more of them are at hand. */
  protected abstract void readMore();

  /** Drops the bytes of the request's content that are at hand. */
  protected abstract void dropInput();

  /** All of the request's content was received. */
  protected abstract void contentComplete();

  /** Ends the exchange as aborted, together with the stream's carrier. */
  protected abstract void breakOff(boolean timedOut);

  /** The client took bytes of the response. */
  protected abstract void progressed();

  /** The response is written; the exchange is concluded. Continues with the next one, or ends. */
  protected abstract void finished();

  /** The response is truncated: closes so that no client takes it for complete. */
  protected abstract void closeCut();

  /** The record is about to be passed on. */
  protected abstract void concluding();

  /** Postponed work is done: continues with the bytes at hand. */
  protected abstract void resumed();

  /** Gives the bytes of both directions away; the response's head was flushed. */
  protected abstract ByteStream giveAway();

  /** The tunnel will be decrypted: another connection takes the place of this one. */
  protected void decrypting() {}

  /** Closes a tunnel that has no other end yet. */
  protected abstract void closeTunnel();

  /** The tunnel has ended and its record was passed on. */
  protected abstract void tunnelOver();

  // ---- the record

  /**
   * Begins an exchange; its record exists from now on.
   *
   * @param head of the request, borrowed; null: unknown
   * @param bytes of the head received
   * @param acceptNanos earliest time of its first byte
   */
  protected final void begin(@Nullable RequestHead head, int bytes, long acceptNanos) {
    begin(head, bytes, acceptNanos, clients().time().nanos());
  }

  /**
   * The same.
   *
   * @param nowNanos monotonic clock
   */
  protected final void begin(
      @Nullable RequestHead head, int bytes, long acceptNanos, long nowNanos) {
    adoptTerms();
    tally().restart();
    recording.begin(head, bytes, acceptNanos, nowNanos, port().name());
    pump.begin();
    events = null;
    closing = false;
    response.begin();
    flow.begin();
  }

  /**
   * Copies {@code head} out of the scratch array, unless its exchange is over or has copied it
   * already.
   */
  protected final void snapshot(RequestHead head) {
    recording.snapshot(head);
  }

  /** Completes the record and passes it on: the end of every exchange. */
  protected final void conclude() {
    if (response.isEndedEarly() && events != null) {
      ClientEvents told = events;
      events = null;
      tellGone(told);
    }
    ExchangeRecord done = recording.end();
    events = null;
    concluding();
    flow.forgetPacing();
    response.forgetLimit();
    pump.cancel();
    recording.handOver(done, pump.bytesIn(), tally(), writer());
  }

  /** Forgets the timers: nothing is served any more. */
  public final void release() {
    flow.forgetPacing();
    response.forgetLimit();
    pump.release();
  }

  // ---- the request

  /**
   * The handler's answer to a request, and the content it asks for. {@link #running} is true.
   *
   * @param contentLength bytes of its content
   */
  protected final void handle(RequestHead head, long contentLength) {
    calls.enter();
    try {
      Shed shed = shed(head);
      ClientEvents told =
          shed == null
              ? terms().handler().request(this, head, contentLength)
              : terms().handler().shed(this, contentLength, shed);
      if (response.isEndedEarly()) {
        events = told;
      } else if (response.isOpen() && !response.endWaits()) {
        events = told;
        if (told == null) {
          throw new IllegalStateException("no events for an unfinished response");
        }
      }
    } catch (Throwable e) {
      failed(e);
    } finally {
      calls.leave();
    }
    pump.pump();
    settle();
    snapshot(head);
  }

  /** Why this request is refused; null: it is accepted. */
  private @Nullable Shed shed(RequestHead head) {
    int most = terms().settings().requestsPerAddress;
    if (recording.isOneTooMany(most) && !port().forNodes()) {
      return Shed.CLIENT_REQUESTS;
    }
    // small ones are covered by loligo_max_requests_in_progress
    boolean large = head.end() > LARGE_HEAD_BYTES;
    return large && clients().counters().headsAreTooMany() ? Shed.MEMORY : null;
  }

  /** A response by {@code answer}, after which nothing from the client is read. */
  protected final void answerAndClose(Runnable answer) {
    closing = true;
    // the following bytes cannot be separated: they are read and dropped until the client has the
    // response
    pump.giveUp();
    calls.run(answer);
    settle();
  }

  /** The client is gone: ends the exchange in progress. {@link #running} is false. */
  public final void clientGone(boolean timedOut) {
    record().aborted = true;
    record().timedOut |= timedOut;
    ClientEvents told = response.isComplete() && !response.isEndedEarly() ? null : events;
    events = null;
    if (told != null) {
      tellGone(told);
    }
    conclude();
  }

  private void tellGone(ClientEvents told) {
    calls.enter();
    try {
      told.gone();
    } catch (Throwable e) {
      LOG.error(
          "An exchange failed when its client left; next: report this defect, with the trace", e);
    } finally {
      calls.leave();
    }
  }

  @Override
  public final void failed(Throwable cause) {
    boolean noMemory = cause instanceof OutOfMemoryError;
    if (cause instanceof OutOfMemoryError error) {
      outOfMemory(error, "an exchange");
    } else {
      LOG.error(
          "An exchange with {} failed: the client gets 500, or a cut response; next: report this"
              + " defect, with the trace",
          clientAddress(),
          cause);
    }
    if (!running()) {
      return;
    }
    ClientEvents told = events;
    events = null;
    if (told != null) {
      // it holds memory, or something for which others wait
      tellGone(told);
    }
    closing = true;
    if (!noMemory) {
      record().errorDetail = cause.toString();
      record().errorCode = "ERR_INTERNAL";
    }
    if (!writer().headSent()) {
      FieldLines lines = new FieldLines(16);
      if (noMemory) {
        lines.add("Retry-After", "1");
      }
      head(OutgoingHead.of(noMemory ? 503 : 500, lines).content(0, true));
    } else {
      response.cutOff();
    }
    settle();
  }

  /** There was no memory for {@code what}. */
  public final void outOfMemory(OutOfMemoryError cause, String what) {
    clients().transit().shortage().met(cause, what + " of " + clientAddress());
    ExchangeRecord record = recording.record();
    if (record == null) {
      clients().counters().clientShed(Shed.MEMORY);
    } else {
      record.shed = Shed.MEMORY;
      record.errorCode = "ERR_OVERLOADED";
      record.errorDetail = cause.toString();
    }
  }

  // ---- the request's content

  /**
   * The request has content.
   *
   * @param awaitsContinue whether the client waits for 100 before it sends any
   */
  protected final void expect(ContentSource source, boolean awaitsContinue) {
    pump.expect(source, awaitsContinue);
  }

  @Override
  public final void readContent() {
    if (running()) {
      pump.want();
    }
  }

  @Override
  public final boolean contentMissing() {
    return pump.isMissing();
  }

  /** {@code bytes} of the request's content arrived. */
  public final void contentMoved(int bytes) {
    pump.moved(bytes);
  }

  /** Forgets the content of the last exchange. */
  public void forgetContent() {
    pump.forget();
  }

  /** Bytes arrived: continues if they were waited for. */
  public final void inputArrived() {
    pump.pump();
    settle();
  }

  /** The client sends nothing more: continues if content was waited for. */
  public final void inputEnds() {
    if (pump.isWanted()) {
      pump.pump();
      settle();
    }
  }

  /** Whether a call of the exchange is on the stack below. */
  final boolean isInCall() {
    return calls.isInCall();
  }

  /** Whether the exchange has to be told of content. */
  final boolean listens() {
    return events != null && running() && !response.isCut();
  }

  /** Whether the exchange can still respond that content did not come in time. */
  final boolean mayAnswerLate() {
    return events != null && !writer().headSent();
  }

  private ClientEvents listener() {
    ClientEvents told = events;
    assert told != null : "nobody listens";
    return told;
  }

  final void tellContent(ByteBuf data) {
    calls.content(listener(), data);
  }

  final void tellContentEnd(@Nullable Fields trailers) {
    calls.contentEnd(listener(), trailers);
  }

  final void tellContentFailed(ParseFailure failure) {
    calls.contentFailed(listener(), failure);
  }

  // ---- the response

  @Override
  public final void forwarded() {
    recording.forwarded();
  }

  @Override
  @SuppressWarnings("NullAway") // null only between two exchanges, when nobody asks
  public final ExchangeRecord record() {
    return recording.record();
  }

  /** Passes the record of the exchange in progress to {@code to}, if there is one. */
  public final void inProgress(Consumer<ExchangeRecord> to) {
    ExchangeRecord record = recording.record();
    if (record != null) {
      to.accept(record);
    }
  }

  @Override
  public final void closeAfter() {
    closing = true;
  }

  @Override
  public final void interim(ResponseHead head, FieldLines own) {
    response.interim(head, own);
  }

  @Override
  public final void acknowledge() {
    response.acknowledge();
  }

  @Override
  public final void sendContinue() {
    response.sendContinue();
  }

  @Override
  public final void head(OutgoingHead head) {
    response.head(head);
  }

  @Override
  public final @Nullable Limit limit() {
    return response.limit();
  }

  @Override
  public final void content(ByteBuf content) {
    response.content(content);
  }

  @Override
  public final void end(@Nullable Fields trailers) {
    response.end(trailers);
  }

  /** The exchange has ended, its response has not: it is told nothing more. */
  final void forgetExchange() {
    events = null;
  }

  @Override
  public final void flush() {
    flow.flushLater();
    settle();
  }

  @Override
  public final boolean writable() {
    return response.isOpen() && takesMore() && !response.contentWaits();
  }

  @Override
  public final void abort(String why) {
    response.abort(why);
  }

  /** {@link #takesMore} is true again. */
  public final void socketWritable() {
    if (events == null || !response.isOpen() || response.contentWaits()) {
      return;
    }
    if (calls.isInCall()) {
      flow.writableLater();
    } else {
      tellWritable();
    }
  }

  /** No content waits for pools any more. */
  final void limitedContentPassed() {
    if (running() && takesMore()) {
      socketWritable();
    }
  }

  private void tellWritable() {
    calls.writable(listener());
    pump.pump();
    settle();
  }

  /** Flushes and ends the exchange, if due and no call of it is on the stack below. */
  final void settle() {
    if (calls.isInCall()) {
      return;
    }
    flow.flushIfDue();
    if (!running()) {
      return;
    }
    if (response.isCut()) {
      closeCut();
      conclude();
    } else if (response.isComplete() && !tally().pending() && !tally().failed()) {
      conclude();
      finished();
    }
  }

  /** Bytes of a postponed flush were passed on: ends the exchange if those were the last. */
  protected final void flushed() {
    if (!running()) {
      return;
    }
    flow.progressed();
    if (calls.isInCall()) {
      resumeLater();
    } else {
      flow.awaitClient();
      settle();
    }
  }

  /** The tally grew, perhaps from within Netty's flush. */
  protected final void written() {
    if (!running()) {
      return;
    }
    flow.progressed();
    if (response.isComplete() && !calls.isInCall() && !tally().pending()) {
      resumeLater();
    }
  }

  /** Continues when no call of the exchange is on the stack below. */
  public final void resumeLater() {
    calls.resumeLater();
  }

  /** Does what was postponed: no call of the exchange is on the stack below. */
  final void resume() {
    if (running()) {
      if (flow.takeWritableDue() && events != null && writable()) {
        tellWritable();
      }
      pump.pump();
      settle();
    }
    resumed();
  }

  // ---- tunnels

  @Override
  public final @Nullable ByteStream detach() {
    if (response.isEndedEarly()) {
      return null;
    }
    if (!response.isOpen() || !writer().headSent()) {
      throw new IllegalStateException("no open response to detach from");
    }
    flow.flushLast();
    events = null;
    pump.cancel();
    flow.forgetPacing();
    endTunnel = this::closeTunnel; // until the other end is there
    return giveAway();
  }

  @Override
  public final void tunnelBegun(Runnable end) {
    endTunnel = end;
  }

  @Override
  public final void tunnelEnded(long bytesFromClient, long bytesToClient) {
    if (!tunnelling()) {
      return;
    }
    record().clientBytesIn += bytesFromClient;
    record().clientBytesOut = bytesToClient;
    conclude();
    tunnelOver();
  }

  @Override
  public final @Nullable Decryption decryption() {
    HostCertificates hosts = clients().hosts(port());
    return hosts == null ? null : new TunnelDecryption(this, connection(), hosts);
  }

  /**
   * Ends the tunnel as a whole: the other end may still have much to write, and there is no reader.
   */
  public final void breakTunnel(boolean timedOut) {
    record().timedOut |= timedOut;
    assert endTunnel != null : "it is no tunnel";
    endTunnel.run();
  }

  // ---- facts

  /** Whether a flush was requested and is not done; it is not due any more. */
  public final boolean takeFlushDue() {
    return flow.takeFlushDue();
  }

  /** Whether the connection has to end after this response. */
  public final boolean closing() {
    return closing;
  }

  /** Whether the request's content is malformed or will not be read. */
  protected final boolean contentBroken() {
    return pump.isBroken();
  }

  /** Whether the client waits for 100 (Continue), which was not sent. */
  protected final boolean awaitsContinue() {
    return pump.awaitsContinue();
  }
}
