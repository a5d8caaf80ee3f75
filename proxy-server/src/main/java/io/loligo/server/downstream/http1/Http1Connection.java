package io.loligo.server.downstream.http1;

import io.loligo.core.config.ProxyConfig.HttpPort;
import io.loligo.core.config.ProxyConfig.Timeouts;
import io.loligo.core.http1.Framing;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientTerms;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.connection.LoopScratch;
import io.loligo.server.downstream.connection.LoopScratch.HeadParser;
import io.loligo.server.downstream.stream.Paces;
import io.loligo.server.downstream.stream.ResponsePacing;
import io.loligo.server.exchange.ClientEvents;
import io.loligo.server.exchange.ClientStream;
import io.loligo.server.exchange.OutgoingHead;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Shed;
import io.loligo.server.record.Stage;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.loligo.server.transport.ReadSize;
import io.loligo.server.transport.SmallPieces;
import io.loligo.server.transport.WriteTally;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.tunnel.ChannelByteStream;
import io.loligo.store.memory.MemoryShortage;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's HTTP/1 connection, and the stream of the exchange in progress on it. Confined to the
 * channel's event loop.
 *
 * <pre>
 * HEAD       idle, or a head is arriving
 * EXCHANGE   a request is being answered; ends when the last octet of the answer was written
 * DRAINING   answered; the rest of the request's content is read and dropped
 * LINGERING  answered, output shut: what the client still sends is dropped so that it sees the
 *            answer, not a reset
 * TUNNEL     given away; only the record is left
 * CLOSED
 * </pre>
 *
 * <p>Requests are answered one at a time; octets behind the one in progress stay in {@link
 * #unread}, and while it holds some nothing more is read. While an exchange runs one read is always
 * outstanding, so that a client that leaves is noticed.
 *
 * <p>Calls into the exchange are counted in {@link #depth}: what it asks for meanwhile (flush, next
 * piece of content, end) is done when it has returned. Calls out of the blue never call back into
 * the exchange before they return.
 *
 * <p>A peer owes octets while a head is partial, while content is waited for that is incomplete,
 * and while octets of an answer are queued for it: then it has to keep a {@link Pace}. Nothing of
 * that is kept for an idle connection.
 *
 * <p>For a 101 the stream adds {@code Connection: upgrade}; the Upgrade field stands among the
 * lines.
 */
public final class Http1Connection extends ClientConnection implements ClientStream {
  /** Octets of a read while heads are expected. */
  static final int HEAD_READ_BYTES = 4_096;

  /** Most octets of unwanted request content that are read to keep a connection. */
  static final int DRAIN_LIMIT_BYTES = 65_536;

  /** Most octets read and dropped behind the last answer. */
  static final int LINGER_LIMIT_BYTES = 1 << 20;

  /** Time given to either, milliseconds. */
  static final int LINGER_MILLIS = 2_000;

  /** Time a client that sent FIN waits for octets of its answer, milliseconds. */
  static final int LEAVING_MILLIS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(Http1Connection.class);

  private enum State {
    HEAD,
    EXCHANGE,
    DRAINING,
    LINGERING,
    TUNNEL,
    CLOSED
  }

  private final ClientConnections loop;
  private final ReadSize readSize;
  private final ReadTimeout readTimeout = new ReadTimeout();

  /** Of a tunnel; null: none has begun. */
  private Runnable endTunnel;

  private Leaving leaving;
  private ResponsePacing pacing;

  // the connection
  private ChannelHandlerContext context;
  private Channel channel;
  private Tally tally;
  private Answer answer;
  private Runnable resumption;
  private State state = State.HEAD;
  private ByteBuf unread;

  /** What of {@link #unread} is entered in the ledger. */
  private int charged;

  /** Before the request that is to come, as far as they were skipped. */
  private int emptyLines;

  private PartialHead partial;
  private int keptHeadBytes;
  private long acceptNanos;
  private int served;
  private int depth;
  private int discardedBytes;
  private boolean readPending;
  private boolean inputShut;
  private boolean resuming;
  private boolean flushDue;
  private boolean writableDue;

  // the configuration of the exchange in progress, or of the last one
  private ClientTerms terms;
  private HttpPort port;
  private boolean portGone;

  // the exchange in progress
  private ExchangeRecord record;
  private ClientEvents events;
  private RequestContent content;
  private long answerNanos;
  private boolean connectMethod;
  private boolean persistent;
  private boolean awaitsContinue;
  private boolean contentWanted;
  private boolean contentBroken;
  private boolean complete;
  private boolean closing;
  private boolean cut;

  /** Whether it ends for want of memory, which who answers is told at its end. */
  private boolean withoutMemory;

  /** Whether it counts among those of its address. */
  private boolean counted;

  /** A connection accepted on {@code listening}, to be added to its channel's pipeline. */
  public Http1Connection(ClientConnections loop, ListeningPort listening) {
    super(loop, listening);
    this.loop = loop;
    this.readSize = new ReadSize(HEAD_READ_BYTES, loop.transit());
    adopt(loop.terms());
  }

  /** Of a port that was closed while it was accepted or since, the last configuration holds. */
  private void adopt(ClientTerms newTerms) {
    terms = newTerms;
    HttpPort now = newTerms.port(listening());
    portGone = now == null;
    if (now != null) {
      port = now;
    } else if (port == null) {
      port = listening().configured();
    }
  }

  private final class Tally extends WriteTally {
    Tally(Channel channel) {
      super(channel);
    }

    @Override
    protected void progressed() {
      written();
    }
  }

  private final class ReadTimeout extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      readTimedOut();
    }
  }

  /** The client sent FIN and its answer has not moved since. */
  private final class Leaving extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      breakOff(false);
    }
  }

  // ---- opening and closing

  @Override
  protected void attached() {
    context = context();
    channel = channel();
    tally = new Tally(channel);
    answer = new Answer(context, tally);
    channel.config().setRecvByteBufAllocator(readSize);
  }

  @Override
  protected void opened() {
    acceptNanos = loop.time().nanos();
    loop.timer()
        .arm(
            readTimeout,
            loop.draining() ? LINGER_MILLIS : loop.settings().timeouts().requestStart());
    readMore();
  }

  @Override
  protected void refused() {
    closeNow();
  }

  @Override
  protected void gone() {
    clientGone(false);
  }

  @Override
  protected void releaseOwn() {
    releaseUnread();
    if (partial != null) {
      partial.release(loop.scratch());
      partial = null;
    }
    loop.timer().forget(readTimeout);
    forgetPacing();
    if (leaving != null) {
      loop.timer().forget(leaving);
    }
  }

  /** Ends an exchange whose client is gone. Does nothing where none is in progress. */
  private void clientGone(boolean timedOut) {
    State before = state;
    if (before == State.TUNNEL || before == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    if (before == State.EXCHANGE) {
      record.aborted = true;
      record.timedOut |= timedOut;
      ClientEvents told = complete && !withoutMemory ? null : events;
      events = null;
      if (told != null) {
        tellGone(told);
      }
      conclude();
    } else if (before == State.HEAD && partial != null) {
      begin(null, partial.length());
      record.url = "error:transaction-end-before-headers";
      record.aborted = true;
      record.timedOut = timedOut;
      conclude();
    }
  }

  private void tellGone(ClientEvents told) {
    depth++;
    try {
      told.gone();
    } catch (Throwable e) {
      LOG.error("An exchange failed when its client left", e);
    } finally {
      depth--;
    }
  }

  @Override
  protected void breakOff(boolean timedOut) {
    if (state == State.TUNNEL) {
      // with the other end, which may have much to write still, and nobody who takes it
      record.timedOut |= timedOut;
      endTunnel.run();
      return;
    }
    if (state == State.EXCHANGE && flushDue) {
      flushDue = false;
      channel.flush();
    }
    if (state == State.EXCHANGE) {
      resetOnClose();
    }
    clientGone(timedOut);
    channel.close();
  }

  private void closeNow() {
    state = State.CLOSED;
    channel.close();
  }

  private void close(boolean linger) {
    releaseUnread();
    if (linger && !inputShut && channel instanceof DuplexChannel duplex) {
      state = State.LINGERING;
      discardedBytes = 0;
      loop.timer().arm(readTimeout, LINGER_MILLIS);
      duplex.shutdownOutput();
      readMore();
    } else {
      closeNow();
    }
  }

  /**
   * {@inheritDoc} An idle client sees a FIN, and no reset if its next request crosses it. The first
   * request of a new connection is very likely on its way: it is waited for.
   */
  @Override
  protected void drain() {
    if (state != State.HEAD || partial != null || unread != null) {
      return;
    }
    if (served == 0) {
      loop.timer().arm(readTimeout, LINGER_MILLIS);
    } else {
      close(true);
    }
  }

  @Override
  protected boolean tunnels() {
    return state == State.TUNNEL;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException) {
      LOG.debug("Client connection {} broke", channel, cause);
    } else if (cause instanceof OutOfMemoryError noMemory) {
      outOfMemory(noMemory, "the connection");
    } else {
      LOG.error("Client connection {} failed", channel, cause);
    }
    breakOff(false);
  }

  private void outOfMemory(OutOfMemoryError cause, String what) {
    MemoryShortage.OF_PROCESS.met(cause, what + " of " + NetUtil.toSocketAddressString(client()));
    if (record == null) {
      loop.counters().clientShed(Shed.MEMORY);
    } else {
      record.shed = Shed.MEMORY;
      record.errorCode = "ERR_OVERLOADED";
      record.errorDetail = cause.toString();
    }
  }

  private void readTimedOut() {
    switch (state) {
      case HEAD -> {
        if (partial == null) {
          closeNow();
        } else {
          headTimedOut();
        }
      }
      case EXCHANGE -> {
        contentTimedOut();
      }
      default -> {
        closeNow();
      }
    }
  }

  /** 408 where the answer has not begun, else the connection is cut. */
  private void contentTimedOut() {
    Pace pace = content == null ? null : content.pace();
    record.timedOut = true;
    if (pace != null && pace.late(loop.timer().tick())) {
      record.requestFailure = ParseFailure.TOO_SLOW;
      record.errorDetail = ParseFailure.TOO_SLOW.text();
    }
    if (answer.headSent() || events == null || !contentWanted) {
      breakOff(true);
      return;
    }
    contentBroken = true;
    closing = true;
    releaseUnread();
    contentArrived();
    tellContentFailed(ParseFailure.TOO_SLOW);
    settle();
  }

  // ---- reading

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    readPending = false;
    ByteBuf in = (ByteBuf) message;
    switch (state) {
      case HEAD -> {
        keep(in);
        serve();
      }
      case EXCHANGE -> {
        if (content != null && content.pace() != null) {
          content.pace().moved(loop.timer().tick(), in.readableBytes());
        }
        keep(in);
        pump();
        settle();
        serve();
      }
      case DRAINING -> {
        keep(in);
        dropContent();
        serve();
      }
      case LINGERING -> {
        discardedBytes += in.readableBytes();
        in.release();
        if (discardedBytes > LINGER_LIMIT_BYTES) {
          closeNow();
        }
      }
      default -> {
        in.release();
      }
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    readMore();
  }

  private void readMore() {
    charge();
    if (!readPending
        && unread == null
        && !inputShut
        && state != State.CLOSED
        && state != State.TUNNEL) {
      readPending = true;
      context.read();
    }
  }

  private void keep(ByteBuf in) {
    if (!in.isReadable()) {
      in.release();
    } else if (unread == null) {
      unread = in;
    } else if (unread instanceof CompositeByteBuf all) {
      all.addComponent(true, in);
    } else {
      // only what is left when the client's FIN arrived comes without being asked for
      unread =
          channel
              .alloc()
              .compositeBuffer(Integer.MAX_VALUE)
              .addComponent(true, unread)
              .addComponent(true, in);
    }
  }

  private void releaseUnread() {
    if (unread != null) {
      unread.release();
      unread = null;
    }
    charge();
  }

  /** Enters what waits to be looked at: whatever memory it takes, it is there already. */
  private void charge() {
    int now = unread == null ? 0 : SizeClass.of(unread);
    if (now > charged) {
      loop.transit().force(now - charged);
    } else if (now < charged) {
      loop.transit().release(charged - now);
    }
    charged = now;
  }

  private void releaseUnreadIfEmpty() {
    if (unread != null && !unread.isReadable()) {
      releaseUnread();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event != ChannelInputShutdownEvent.INSTANCE) {
      return;
    }
    inputShut = true;
    switch (state) {
      case HEAD -> {
        endOfInput();
      }
      case EXCHANGE -> {
        if (contentWanted) {
          pump();
          settle();
        }
        expectLeaving();
      }
      case DRAINING, LINGERING -> {
        closeNow();
      }
      default -> {}
    }
  }

  /**
   * A FIN may mean that the client is gone or that it only has no more to say. With {@code
   * half_closed_clients off} it gets {@value #LEAVING_MILLIS} ms without a sign of its answer.
   */
  private void expectLeaving() {
    if (state == State.EXCHANGE && !terms.settings().connections().halfClosedClients()) {
      if (leaving == null) {
        leaving = new Leaving();
      }
      loop.timer().arm(leaving, LEAVING_MILLIS);
    }
  }

  /** No further request can arrive on this idle connection. */
  private void endOfInput() {
    clientGone(false);
    closeNow();
  }

  // ---- heads

  /** Answers the requests at hand, one after the other, as far as they are answered at once. */
  private void serve() {
    while (state == State.HEAD && unread != null) {
      parseHead();
    }
    if (state == State.HEAD && inputShut) {
      endOfInput();
    }
  }

  private void parseHead() {
    if (partial != null) {
      parseRest();
      return;
    }
    skipEmptyLines();
    if (unread == null) {
      return;
    }
    if (served > 0) {
      acceptNanos = loop.time().nanos();
    }
    LoopScratch scratch = loop.scratch();
    byte[] bytes = scratch.bytes();
    HeadParser spare = scratch.takeParser();
    Http1RequestParser parser = spare.parser();
    parser.skipped(emptyLines);
    emptyLines = 0;
    Http1RequestParser.Result result;
    int from = unread.readerIndex();
    int available = Math.min(unread.readableBytes(), bytes.length);
    int length = 0;
    do {
      int more = Math.min(available - length, Math.max(HEAD_READ_BYTES, length));
      unread.getBytes(from + length, bytes, length, more);
      length += more;
      result = parser.parse(bytes, length, spare.head());
    } while (result == Http1RequestParser.Result.NEED_MORE && length < available);
    switch (result) {
      case COMPLETE -> {
        unread.skipBytes(spare.head().end());
        releaseUnreadIfEmpty();
        request(spare.head());
        scratch.giveParser(spare);
      }
      case FAILED -> {
        ParseFailure failure = parser.failure();
        scratch.giveParser(spare);
        refuse(failure, length);
      }
      default -> {
        unread.skipBytes(length);
        releaseUnreadIfEmpty();
        partial = partialHead(spare, bytes, length);
        partial.arm(loop.timer(), readTimeout);
        refuseIfTooMuch();
      }
    }
  }

  private PartialHead partialHead(HeadParser spare, byte[] bytes, int length) {
    Timeouts timeouts = loop.settings().timeouts();
    Pace pace = Paces.ofRequest(timeouts.progress());
    if (pace != null) {
      pace.owed(loop.timer().tick());
    }
    long endTick = loop.timer().deadline(timeouts.request());
    return new PartialHead(spare, bytes, length, bytes.length, pace, endTick, loop.counters());
  }

  private void parseRest() {
    partial.moved(loop.timer().tick(), unread.readableBytes());
    Http1RequestParser.Result result = partial.parse(unread);
    releaseUnreadIfEmpty();
    switch (result) {
      case COMPLETE -> {
        PartialHead done = partial;
        partial = null;
        request(done.head());
        done.release(loop.scratch());
      }
      case FAILED -> {
        refusePartial(partial.parser().failure());
      }
      default -> {
        partial.arm(loop.timer(), readTimeout);
        refuseIfTooMuch();
      }
    }
  }

  private void refuseIfTooMuch() {
    if (partial.full()) {
      refusePartial(ParseFailure.HEAD_TOO_LARGE);
    } else if (loop.counters().headsAreTooMany()) {
      shedPartial();
    }
  }

  private void shedPartial() {
    int length = partial.length();
    partial.release(loop.scratch());
    partial = null;
    loop.timer().cancel(readTimeout);
    begin(null, length);
    record.url = "error:transaction-end-before-headers";
    answerAndClose(() -> terms.handler().shed(this, ContentLength.NONE, Shed.MEMORY));
  }

  private void refusePartial(ParseFailure failure) {
    int length = partial.length();
    partial.release(loop.scratch());
    partial = null;
    refuse(failure, length);
  }

  /**
   * Empty lines before a request are ignored (RFC 9112 section 2.2) and start no timeout. More than
   * a few are refused by the parser, however they are cut.
   */
  private void skipEmptyLines() {
    int at = unread.readerIndex();
    int end = unread.writerIndex();
    while (at + 1 < end
        && emptyLines < Http1RequestParser.MAX_EMPTY_LINES
        && unread.getShort(at) == ('\r' << 8 | '\n')) {
      at += 2;
      emptyLines++;
    }
    if (at != unread.readerIndex()) {
      unread.readerIndex(at);
      releaseUnreadIfEmpty();
    }
  }

  private void begin(RequestHead head, int octets) {
    if (terms != loop.terms()) {
      adopt(loop.terms());
    }
    long now = loop.time().nanos();
    tally.restart();
    loop.counters().clientBusy();
    record = loop.scratch().takeRecord();
    record.startNanos = now;
    record.startMillis = loop.time().millis();
    record.stage(Stage.CLIENT_CONNECT, now - acceptNanos);
    record.client = client();
    record.clientText = clientText();
    record.local = channel.localAddress() instanceof InetSocketAddress inet ? inet : null;
    record.portName = port.name();
    record.request = head;
    record.method = head == null ? ExchangeRecord.NO_METHOD : head.method();
    record.clientBytesIn = octets;
    content = null;
    events = null;
    answerNanos = 0;
    answer.start(true, false);
    connectMethod = false;
    persistent = false;
    awaitsContinue = false;
    contentWanted = false;
    contentBroken = false;
    complete = false;
    closing = false;
    cut = false;
    withoutMemory = false;
    flushDue = false;
    writableDue = false;
  }

  private void request(RequestHead head) {
    loop.timer().cancel(readTimeout);
    begin(head, head.end());
    Framing framing = MessageFraming.of(head);
    boolean version11 = head.version() >= 11;
    answer.start(version11, head.methodId() == Method.HEAD);
    connectMethod = head.methodId() == Method.CONNECT;
    if (framing.failure() != null) {
      refused(framing.failure());
      snapshot(head);
      return;
    }
    Fields fields = head.fields();
    persistent = persistent(head);
    if (framing.kind() == Framing.Kind.LENGTH || framing.kind() == Framing.Kind.CHUNKED) {
      Pace pace = Paces.ofRequest(terms.settings().timeouts().progress());
      content = new RequestContent(framing, terms.settings().limits(), pace);
      ParseFailure failure = unread == null ? null : content.preview(unread);
      if (failure != null) {
        // nobody is to hear of a request that is known to be malformed
        content = null;
        refused(failure);
        snapshot(head);
        return;
      }
      awaitsContinue =
          version11
              && !content.ended()
              && unread == null
              && fields.hasToken(FieldName.EXPECT, "100-continue");
      readSize.streamBuffer(terms.settings().streamBufferBytes());
    }
    state = State.EXCHANGE;
    depth++;
    try {
      Shed shed = shed(head);
      ClientEvents told =
          shed == null
              ? terms.handler().request(this, head, framing.contentLength())
              : terms.handler().shed(this, framing.contentLength(), shed);
      if (withoutMemory) {
        events = told;
      } else if (state == State.EXCHANGE && !complete && !cut) {
        events = told;
        if (told == null) {
          throw new IllegalStateException("nobody answers: no events for an unfinished answer");
        }
      }
    } catch (Throwable e) {
      failed(e);
    } finally {
      depth--;
    }
    pump();
    settle();
    snapshot(head);
  }

  /** Why this request is not taken on; null: it is. */
  private Shed shed(RequestHead head) {
    if (isOneTooMany()) {
      return Shed.CLIENT_REQUESTS;
    }
    // small ones are within what loligo_max_requests_in_progress allows for
    boolean large = head.end() > HEAD_READ_BYTES;
    return large && loop.counters().headsAreTooMany() ? Shed.MEMORY : null;
  }

  /** Whether the client's address has too many in progress; counts this one where that matters. */
  private boolean isOneTooMany() {
    int most = terms.settings().connections().load().requestsPerAddress();
    counted = most > 0 && count() != null;
    return counted && count().begin() > most;
  }

  /** A proxy keeps no connection to an HTTP/1.0 client, a gateway may (RFC 9112 section 9.3). */
  private boolean persistent(RequestHead head) {
    Fields fields = head.fields();
    if (has(fields, "close")) {
      return false;
    }
    return head.version() >= 11
        || (isForGateway(head) && fields.hasToken(FieldName.CONNECTION, "keep-alive"));
  }

  /** Whether the client takes us for the server: it would have given a proxy the whole URL. */
  private boolean isForGateway(RequestHead head) {
    return switch (port().mode()) {
      case ACCEL -> true;
      case FORWARD ->
          head.targetStart() < head.targetEnd() && head.bytes()[head.targetStart()] == '/';
      case INTERCEPT -> false;
    };
  }

  private static boolean has(Fields fields, String option) {
    return fields.hasToken(FieldName.CONNECTION, option)
        || fields.hasToken(FieldName.PROXY_CONNECTION, option);
  }

  /** {@code head} leaves the scratch unless its exchange is over, or has it from there already. */
  private void snapshot(RequestHead head) {
    if (record == null || record.request == null) {
      return;
    }
    keptHeadBytes = record.request.end();
    loop.counters().headsKept(keptHeadBytes);
    if (record.request == head) {
      record.request = head.snapshot();
      if (record.target != null) {
        record.target = record.target.snapshot(record.request);
      }
    }
  }

  private void refuse(ParseFailure failure, int octets) {
    loop.timer().cancel(readTimeout);
    begin(null, octets);
    record.url =
        failure == ParseFailure.HEAD_TOO_LARGE || failure == ParseFailure.TARGET_TOO_LONG
            ? "error:request-too-large"
            : "error:invalid-request";
    refused(failure);
  }

  private void refused(ParseFailure failure) {
    answerAndClose(() -> terms.handler().refused(this, failure));
  }

  private void headTimedOut() {
    int length = partial.length();
    boolean tooSlow = partial.tooSlow(loop.timer().tick());
    partial.release(loop.scratch());
    partial = null;
    begin(null, length);
    record.url = "error:transaction-end-before-headers";
    record.timedOut = true;
    if (tooSlow) {
      record.requestFailure = ParseFailure.TOO_SLOW;
      record.errorDetail = ParseFailure.TOO_SLOW.text();
    }
    answerAndClose(() -> terms.handler().headTimedOut(this));
  }

  private void answerAndClose(Runnable answer) {
    state = State.EXCHANGE;
    closing = true;
    // whatever follows cannot be told apart: read and dropped until the client has the answer
    contentBroken = true;
    releaseUnread();
    depth++;
    try {
      answer.run();
    } catch (Throwable e) {
      failed(e);
    } finally {
      depth--;
    }
    settle();
  }

  @Override
  public void failed(Throwable cause) {
    boolean noMemory = cause instanceof OutOfMemoryError;
    if (cause instanceof OutOfMemoryError error) {
      outOfMemory(error, "an exchange");
    } else {
      LOG.error("An exchange with {} failed", NetUtil.toSocketAddressString(client()), cause);
    }
    if (state != State.EXCHANGE) {
      return;
    }
    ClientEvents told = events;
    events = null;
    if (told != null) {
      // it holds what others wait for, or memory
      tellGone(told);
    }
    closing = true;
    if (!noMemory) {
      record.errorDetail = cause.toString();
      record.errorCode = "ERR_INTERNAL";
    }
    if (!answer.headSent()) {
      FieldLines lines = new FieldLines(16);
      if (noMemory) {
        lines.add("Retry-After", "1");
      }
      head(OutgoingHead.of(noMemory ? 503 : 500, lines).content(0, true));
    } else if (!complete) {
      cut = true;
    }
    settle();
  }

  // ---- request content

  @Override
  public void readContent() {
    if (state != State.EXCHANGE) {
      return;
    }
    contentWanted = true;
    if (depth > 0) {
      return;
    }
    if (unread != null || inputShut || !contentMissing()) {
      resumeLater();
    } else {
      awaitContent();
    }
  }

  private boolean contentMissing() {
    return contentBroken || (content != null && !content.ended());
  }

  private void awaitContent() {
    Pace pace = content == null ? null : content.pace();
    boolean owed = pace != null && !awaitsContinue;
    if (owed) {
      pace.owed(loop.timer().tick());
    }
    if (owed || !readTimeout.armed()) {
      long timeoutMillis = terms.settings().timeouts().read();
      loop.timer().arm(readTimeout, loop.timer().deadline(timeoutMillis), owed ? pace : null);
    }
    readMore();
  }

  /** Delivers content as long as it is asked for and at hand. */
  private void pump() {
    if (depth > 0) {
      return;
    }
    while (contentWanted && events != null && state == State.EXCHANGE && !cut) {
      if (!deliver()) {
        if (inputShut) {
          breakOff(false);
        } else {
          awaitContent();
        }
        return;
      }
    }
  }

  /** One event; false where octets are missing. */
  private boolean deliver() {
    if (content == null || content.ended()) {
      deliverEnd();
      return true;
    }
    if (unread == null || contentBroken) {
      return false;
    }
    int before = unread.readerIndex();
    RequestContent.Step step = content.next(unread);
    record.clientBytesIn += unread.readerIndex() - before;
    switch (step) {
      case DATA -> {
        ByteBuf data = content.dataLength() < SmallPieces.ENOUGH_BYTES ? takeSmall() : takeData();
        record.clientBytesIn += data.readableBytes();
        contentArrived();
        tellContent(data);
        return true;
      }
      case END -> {
        releaseUnreadIfEmpty();
        deliverEnd();
        return true;
      }
      case FAILED -> {
        contentBroken = true;
        closing = true;
        record.requestFailure = content.failure();
        releaseUnread();
        contentArrived();
        tellContentFailed(content.failure());
        return true;
      }
      default -> {
        releaseUnreadIfEmpty();
        return false;
      }
    }
  }

  private ByteBuf takeData() {
    int length = content.dataLength();
    ByteBuf data;
    if (length == unread.readableBytes()) {
      data = unread;
      unread = null;
    } else {
      data = unread.readRetainedSlice(length);
    }
    return data;
  }

  /** The small piece at hand, and all that is at hand behind it. */
  private ByteBuf takeSmall() {
    if (content.dataLength() == unread.readableBytes()) {
      return takeData();
    }
    ByteBuf joined = null;
    RequestContent.Step step;
    do {
      joined = SmallPieces.join(joined, unread, content.dataLength(), channel.alloc());
      int before = unread.readerIndex();
      step = content.next(unread);
      record.clientBytesIn += unread.readerIndex() - before;
    } while (step == RequestContent.Step.DATA);
    if (step != RequestContent.Step.FAILED) {
      // of a failure the next one who asks is told
      releaseUnreadIfEmpty();
    }
    return joined;
  }

  private void contentArrived() {
    contentWanted = false;
    awaitsContinue = false;
    if (content != null && content.pace() != null) {
      content.pace().notOwed(loop.timer().tick());
    }
    loop.timer().cancel(readTimeout);
  }

  private void deliverEnd() {
    contentArrived();
    readSize.bytes(HEAD_READ_BYTES);
    Fields trailers = content == null ? null : content.trailers();
    depth++;
    try {
      events.contentEnd(trailers);
    } catch (Throwable e) {
      failed(e);
    } finally {
      depth--;
    }
  }

  private void tellContent(ByteBuf data) {
    depth++;
    try {
      events.content(data);
    } catch (Throwable e) {
      failed(e);
    } finally {
      depth--;
    }
  }

  private void tellContentFailed(ParseFailure failure) {
    depth++;
    try {
      events.contentFailed(failure);
    } catch (Throwable e) {
      failed(e);
    } finally {
      depth--;
    }
  }

  /** Drops content nobody wanted, up to a bound, so that the connection can be kept. */
  private void dropContent() {
    while (unread != null && !content.ended()) {
      int before = unread.readerIndex();
      RequestContent.Step step = content.next(unread);
      if (step == RequestContent.Step.DATA) {
        unread.skipBytes(content.dataLength());
      }
      discardedBytes += unread.readerIndex() - before;
      releaseUnreadIfEmpty();
      if (step == RequestContent.Step.FAILED || discardedBytes > DRAIN_LIMIT_BYTES) {
        close(true);
        return;
      }
    }
    if (content.ended()) {
      idle();
    } else if (inputShut) {
      closeNow();
    }
  }

  // ---- the answer

  @Override
  public EventLoop loop() {
    return channel.eventLoop();
  }

  @Override
  public ByteBufAllocator allocator() {
    return channel.alloc();
  }

  @Override
  public HttpPort port() {
    return port;
  }

  @Override
  public ExchangeRecord record() {
    return record;
  }

  @Override
  public int clientConnections() {
    return count() == null ? 0 : count().open();
  }

  @Override
  public void closeAfter() {
    closing = true;
  }

  @Override
  public void interim(ResponseHead head, FieldLines own) {
    if (!answering() || answer.headSent() || !answer.version11() || head.status() == 101) {
      return;
    }
    if (head.status() == 100 && awaitsContinue) {
      sendContinue();
      return;
    }
    if (written(() -> answer.writeInterim(head, own))) {
      flush();
    }
  }

  @Override
  public void sendContinue() {
    if (!answering() || answer.headSent() || !awaitsContinue || unread != null) {
      return;
    }
    awaitsContinue = false;
    if (!written(answer::writeContinue)) {
      return;
    }
    flush();
    if (readTimeout.armed()) {
      // it was waited for without being owed
      awaitContent();
    }
  }

  private boolean answering() {
    return state == State.EXCHANGE && !complete && !cut;
  }

  @Override
  public void head(OutgoingHead head) {
    if (!answering() || answer.headSent()) {
      return;
    }
    int status = head.status();
    boolean last = head.last();
    record.status = status;
    answerNanos = loop.time().nanos();
    answer.frame(head.contentLength());
    choosePersistence(status);
    boolean tunnelling = status == 101 || (connectMethod && status / 100 == 2);
    byte[] connection = answer.connectionLine(status == 101, tunnelling, closing);
    long before = answer.headBytes();
    try {
      answer.writeHead(head, connection);
    } catch (OutOfMemoryError e) {
      endFor(e, answer.headBytes() == before);
      return;
    }
    if (last) {
      completed();
    }
  }

  private void choosePersistence(int status) {
    int most = terms.settings().connections().maxRequestsPerConnection();
    closing |=
        !persistent
            || answer.untilClose()
            || loop.draining()
            || portGone
            || !terms.settings().connections().clientPersistent()
            || (most > 0 && served + 1 >= most)
            || contentBroken
            // a client that was not told to go on may send its content or not
            || awaitsContinue
            || (contentMissing() && !content.mayEndWithin(DRAIN_LIMIT_BYTES))
            // octets behind a refused CONNECT are not HTTP, whenever they come (RFC 9931)
            || (connectMethod && status / 100 != 2);
  }

  @Override
  public void content(ByteBuf content) {
    int length = content.readableBytes();
    if (!answering() || !answer.headSent() || answer.headMethod() || length == 0) {
      content.release();
    } else if (answer.exceeded(length)) {
      content.release();
      LOG.error(
          "An answer to {} is longer than announced", NetUtil.toSocketAddressString(client()));
      abort("answer longer than announced");
    } else {
      try {
        answer.writeContent(content);
      } catch (OutOfMemoryError e) {
        endFor(e, false);
      }
    }
  }

  @Override
  public void end(Fields trailers) {
    if (answering() && answer.headSent() && written(() -> answer.end(trailers))) {
      completed();
    }
  }

  /** Whether there was memory for that; else the answer is ended. */
  private boolean written(Runnable writing) {
    try {
      writing.run();
      return true;
    } catch (OutOfMemoryError e) {
      endFor(e, false);
      return false;
    }
  }

  /**
   * Ends the answer with what takes no memory: a 503 where nothing of its head is written yet, else
   * a cut. The caller goes on as if it had been written; it is told later that the client is gone.
   */
  private void endFor(OutOfMemoryError noMemory, boolean headMissing) {
    outOfMemory(noMemory, "an answer");
    withoutMemory = true;
    flushDue = true;
    if (headMissing) {
      answer.writeOverloaded();
      record.status = 503;
      closing = true;
      complete = true;
    } else {
      cut = true;
    }
    if (depth == 0) {
      resumeLater();
    }
  }

  private void completed() {
    if (answer.incomplete()) {
      LOG.error(
          "An answer to {} is shorter than announced", NetUtil.toSocketAddressString(client()));
      abort("answer shorter than announced");
      return;
    }
    complete = true;
    flushDue = true;
    settle();
  }

  @Override
  public void flush() {
    flushDue = true;
    settle();
  }

  @Override
  public boolean writable() {
    return answering() && channel.isWritable();
  }

  @Override
  public void abort(String why) {
    if (!answering()) {
      return;
    }
    cut = true;
    flushDue = true;
    if (record.errorDetail == null) {
      record.errorDetail = why;
    }
    settle();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (!channel.isWritable() || events == null || !answering()) {
      return;
    }
    if (depth > 0) {
      writableDue = true;
      resumeLater();
    } else {
      tellWritable();
    }
  }

  private void tellWritable() {
    depth++;
    try {
      events.writable();
    } catch (Throwable e) {
      failed(e);
    } finally {
      depth--;
    }
    pump();
    settle();
  }

  /** Flushes and ends the exchange, where due and nobody of it is on the stack below. */
  private void settle() {
    if (depth > 0) {
      return;
    }
    if (flushDue && state == State.EXCHANGE) {
      flushDue = false;
      depth++;
      context.flush();
      depth--;
      if (writableDue) {
        resumeLater();
      }
      if (tally.pending() && (pacing == null || !pacing.armed())) {
        beginPacing();
      }
    }
    if (state != State.EXCHANGE) {
      return;
    }
    if (cut) {
      finishCut();
    } else if (complete && !tally.pending() && !tally.failed()) {
      finish();
    }
  }

  /** A write made progress, from within Netty's flush. */
  private void written() {
    if (state != State.EXCHANGE) {
      return;
    }
    if (pacing != null && pacing.armed()) {
      pacing.progressed();
    }
    if (leaving != null && leaving.armed()) {
      loop.timer().arm(leaving, LEAVING_MILLIS);
    }
    if (complete && depth == 0 && !tally.pending()) {
      resumeLater();
    }
  }

  private void beginPacing() {
    if (pacing == null) {
      Timeouts timeouts = terms.settings().timeouts();
      pacing = new ResponsePacing(loop.timer(), timeouts, tally, channel, this::tookTooLittle);
    }
    pacing.begin();
  }

  private void tookTooLittle(boolean late) {
    if (late) {
      record.tookTooSlowly = true;
      record.errorDetail = "the client takes its answer too slowly";
    }
    breakOff(true);
  }

  private void forgetPacing() {
    if (pacing != null) {
      loop.timer().forget(pacing);
      pacing = null;
    }
  }

  private void resumeLater() {
    if (!resuming) {
      resuming = true;
      if (resumption == null) {
        resumption = this::resume;
      }
      channel.eventLoop().execute(resumption);
    }
  }

  private void resume() {
    resuming = false;
    if (depth > 0) {
      // an embedded loop runs tasks within calls: whoever is below goes on by itself
      return;
    }
    if (state == State.EXCHANGE) {
      if (writableDue) {
        writableDue = false;
        if (events != null && answering() && channel.isWritable()) {
          tellWritable();
        }
      }
      pump();
      settle();
    }
    serve();
    readMore();
  }

  private void finish() {
    conclude();
    served++;
    if (closing) {
      // unless it said so itself, the client may be sending its next request (RFC 9112 section 9.6)
      close(persistent || unread != null || contentMissing());
    } else if (contentMissing()) {
      state = State.DRAINING;
      discardedBytes = 0;
      loop.timer().arm(readTimeout, LINGER_MILLIS);
      dropContent();
    } else {
      idle();
    }
    if (state != State.CLOSED) {
      readAfterFinish();
    }
  }

  private void readAfterFinish() {
    if (state == State.HEAD && unread != null) {
      // harmless where the caller serves what is at hand anyway
      resumeLater();
    } else {
      readMore();
    }
  }

  private void idle() {
    state = State.HEAD;
    content = null;
    readSize.bytes(HEAD_READ_BYTES);
    if (inputShut && unread == null) {
      closeNow();
    } else if (loop.draining() && unread == null) {
      // its answer had begun before: it was not told
      close(true);
    } else {
      loop.timer().arm(readTimeout, loop.settings().timeouts().clientIdle());
    }
  }

  private void finishCut() {
    if (answer.untilClose()) {
      // a plain close would look like the end of the answer
      resetOnClose();
    }
    closeNow();
    conclude();
  }

  /** Completes the record and hands it over: the end of every exchange. */
  private void conclude() {
    if (withoutMemory && events != null) {
      ClientEvents told = events;
      events = null;
      tellGone(told);
    }
    ExchangeRecord done = record;
    record = null;
    events = null;
    loop.counters().clientIdle();
    if (leaving != null) {
      loop.timer().cancel(leaving);
    }
    forgetPacing();
    loop.timer().cancel(readTimeout);
    long now = loop.time().nanos();
    done.endMillis = loop.time().millis();
    done.clientBytesOut += tally.writtenBytes();
    done.clientHeadBytesOut = Math.min(answer.headBytes(), tally.writtenBytes());
    if (answer.headSent()) {
      done.stage(Stage.PROXY_REPLY, now - answerNanos);
    }
    done.stage(Stage.TOTAL, now - done.startNanos);
    if (counted) {
      counted = false;
      count().end();
    }
    try {
      loop.sink().finished(done);
    } catch (Throwable e) {
      LOG.error("An exchange could not be recorded", e);
    }
    loop.scratch().giveRecord(done);
    loop.counters().headsKept(-keptHeadBytes);
    keptHeadBytes = 0;
  }

  // ---- tunnels

  @Override
  public ByteStream detach() {
    if (withoutMemory) {
      return null;
    }
    if (!answering() || !answer.headSent()) {
      throw new IllegalStateException("no open answer to detach from");
    }
    flushDue = false;
    depth++;
    context.flush();
    depth--;
    state = State.TUNNEL;
    events = null;
    loop.timer().cancel(readTimeout);
    forgetPacing();
    readSize.streamBuffer(terms.settings().streamBufferBytes());
    ByteBuf early = unread == null ? Unpooled.EMPTY_BUFFER : unread;
    unread = null;
    charge();
    context.pipeline().remove(this);
    channel.closeFuture().addListener(closed -> releaseTunnel());
    endTunnel = channel::close; // until the other end is there
    return new ChannelByteStream(channel, early);
  }

  @Override
  public void tunnelBegun(Runnable end) {
    endTunnel = end;
  }

  @Override
  public void tunnelEnded(long bytesFromClient, long bytesToClient) {
    if (state != State.TUNNEL) {
      return;
    }
    state = State.CLOSED;
    record.clientBytesIn += bytesFromClient;
    record.clientBytesOut = bytesToClient;
    conclude();
    releaseTunnel();
  }

  /** A tunnel counts as open until its record is written too. */
  private void releaseTunnel() {
    if (state == State.CLOSED && !channel.isOpen()) {
      release();
    }
  }
}
