package io.loligo.server.downstream.http2;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.FrameReader;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.RequestComposer;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.http2.FloodGuard.Kind;
import io.loligo.server.http2.FlushTurn;
import io.loligo.server.http2.FrameInput;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortMode;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tls.TlsEnd;
import io.loligo.server.transport.ReadSize;
import io.loligo.server.transport.WriteTally;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's HTTP/2 connection (RFC 9113). Confined to the channel's event loop.
 *
 * <p>It reads all the time: the windows bound unread content, {@link FloodGuard} bounds frames that
 * ask for nothing, and while the client does not take the answers to its frames, nothing is read.
 *
 * <pre>
 * PREFACE  the first bytes are awaited
 * OPEN     streams begin and end, also after the first of two GOAWAYs
 * LEAVING  GOAWAY was sent: streams end, none begins
 * LINGERING  output shut: what the client still sends is dropped so that it sees the last frames,
 *            not a reset
 * CLOSED
 * </pre>
 */
public final class Http2Connection extends ClientConnection {
  /** SETTINGS_MAX_CONCURRENT_STREAMS. */
  public static final int MAX_STREAMS = 100;

  /** Time for the answer to the PING behind the first GOAWAY, milliseconds. */
  static final int FAREWELL_MILLIS = 1_000;

  /** The content of that PING. */
  static final long FAREWELL_PING = 0x676f_6f64_2062_7965L;

  /** Time in which a client has to leave after GOAWAY, milliseconds. */
  static final int LINGER_MILLIS = 2_000;

  /** Most bytes read and dropped after GOAWAY and the last response. */
  static final int LINGER_LIMIT_BYTES = 1 << 20;

  private static final int READ_BYTES = 16_384;

  /** Window of the connection: as many streams can be full of unread content as fit. */
  private static final int STREAMS_IN_WINDOW = 16;

  /** Streams that a connection keeps to use again. */
  private static final int SPARE_STREAMS = 16;

  /** Streams reset by this side, of which frames may still arrive. */
  private static final int RESET_MEMORY = 128;

  private static final byte[] PREFACE = Frames.PREFACE.getBytes(StandardCharsets.US_ASCII);
  private static final Logger LOG = LoggerFactory.getLogger(Http2Connection.class);

  private enum State {
    PREFACE,
    OPEN,
    LEAVING,
    LINGERING,
    CLOSED
  }

  private final ClientConnections clients;
  private final LoopCodecs codecs;
  private final FrameReader frames;
  private final FrameInput input;
  private final ClientFrames events;
  private final IntObjectMap<Http2Stream> streams = new IntObjectHashMap<>(8);
  private final ArrayDeque<Http2Stream> spare = new ArrayDeque<>(2);
  private final int[] resets = new int[RESET_MEMORY];
  private final Idle idle = new Idle();
  private final Farewell farewell = new Farewell();
  private final int streamWindow;
  private final int connectionWindow;

  @SuppressWarnings("NullAway.Init") // set by attached, the first call
  private Output output;

  @SuppressWarnings("NullAway.Init") // set by attached, the first call
  private FlushTurn flushes;

  private State state = State.PREFACE;
  private int lastStream;
  private int resetCount;
  private int served;
  private int discardedBytes;
  private int receiveWindow;
  private int readBytes;

  /** Whether the client has read our settings: until then its windows are the usual ones. */
  private boolean settled;

  private boolean readPending;
  private boolean tellDue;

  /** A connection accepted on {@code listening}, to be added to its channel's pipeline. */
  public Http2Connection(
      ClientConnections clients, ListeningPort listening, InetSocketAddress client) {
    super(clients, listening, client);
    this.clients = clients;
    this.codecs = LoopCodecs.of(clients);
    this.events = new ClientFrames(this, codecs, clients.time(), listening.configured().forNodes());
    this.frames = new FrameReader(events, codecs.limits().maxHeadBytes(), codecs.room());
    this.input = new FrameInput(clients.transit());
    this.streamWindow = Math.max(READ_BYTES, clients.settings().streamBufferBytes);
    this.connectionWindow = STREAMS_IN_WINDOW * streamWindow;
  }

  /**
   * Creates the shared objects of its connections, so that a lack of memory shows before there are
   * any.
   */
  public static void prepare(ClientConnections clients) {
    LoopCodecs.of(clients);
  }

  /** No stream is open, or the client has to leave. */
  private final class Idle extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      if (state == State.PREFACE || state.compareTo(State.LEAVING) >= 0) {
        closeNow();
      } else {
        leave(ErrorCode.NO_ERROR);
      }
    }
  }

  /** The client does not answer the PING behind the first GOAWAY. */
  private final class Farewell extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      leave(ErrorCode.NO_ERROR);
    }
  }

  private final class SocketTally extends WriteTally {
    SocketTally(Channel channel) {
      super(channel);
    }

    @Override
    protected void progressed() {
      if (!flushes.isGathering() && !tellDue) {
        tellDue = true;
        later(Http2Connection.this::tookBytes);
      }
    }
  }

  private void tookBytes() {
    tellDue = false;
    if (state.compareTo(State.LINGERING) < 0) {
      flushes.unlessGathering();
      readMore();
    }
  }

  // ---- opening and closing

  @Override
  protected void attached() {
    channel().config().setRecvByteBufAllocator(new ReadSize(READ_BYTES, clients.transit()));
    output =
        new Output(context(), new SocketTally(channel()), clients.settings().streamBufferBytes);
    flushes = new FlushTurn(channel().eventLoop(), output, () -> state == State.CLOSED);
  }

  @Override
  protected void opened() {
    clients.timer().arm(idle, clients.settings().requestStartMillis);
    limitAge();
    ByteBuf out = output.control(64);
    Frames.header(out, 30, Frames.SETTINGS, 0, 0);
    Frames.setting(out, Frames.MAX_CONCURRENT_STREAMS, MAX_STREAMS);
    Frames.setting(out, Frames.INITIAL_WINDOW_SIZE, streamWindow);
    Frames.setting(out, Frames.MAX_HEADER_LIST_SIZE, codecs.limits().maxHeadBytes());
    Frames.setting(out, Frames.ENABLE_CONNECT_PROTOCOL, 1);
    Frames.setting(out, Frames.NO_RFC7540_PRIORITIES, 1);
    Frames.windowUpdate(out, 0, connectionWindow - Frames.DEFAULT_WINDOW_BYTES);
    receiveWindow = connectionWindow;
    flushes.unlessGathering();
    readMore();
  }

  @Override
  protected void refused() {
    closeNow();
  }

  @Override
  protected void gone() {
    if (state != State.CLOSED) {
      state = State.CLOSED;
      frames.stop();
      endStreams(false);
    }
  }

  private void endStreams(boolean timedOut) {
    for (Http2Stream stream : new ArrayList<>(streams.values())) {
      stream.gone(timedOut);
    }
  }

  @Override
  protected void inProgress(Consumer<ExchangeRecord> to) {
    streams.values().forEach(stream -> stream.inProgress(to));
  }

  @Override
  protected void releaseOwn() {
    input.close();
    clients.timer().forget(idle);
    clients.timer().forget(farewell);
    if (output != null) {
      output.close();
    }
    spare.forEach(Http2Stream::release);
    spare.clear();
  }

  @Override
  protected void breakOff(boolean timedOut) {
    if (state == State.CLOSED) {
      return;
    }
    if (!streams.isEmpty()) {
      resetOnClose();
    }
    state = State.CLOSED;
    frames.stop();
    endStreams(timedOut);
    channel().close();
  }

  private void closeNow() {
    if (state != State.CLOSED) {
      state = State.CLOSED;
      frames.stop();
      endStreams(false);
      channel().close();
    }
  }

  /** {@inheritDoc} The client hears of it; its streams end first. */
  @Override
  protected void drain() {
    if (state == State.OPEN) {
      depart();
    } else {
      leave(ErrorCode.NO_ERROR);
    }
  }

  /** {@inheritDoc} Before the preface, the first request makes it depart. */
  @Override
  protected void handOver() {
    if (state == State.OPEN) {
      depart();
    }
  }

  /**
   * Sends a GOAWAY that names no last stream, and the second one after a round trip, so that
   * streams on their way are answered (RFC 9113 section 6.8).
   */
  private void depart() {
    if (!farewell.armed()) {
      clients.timer().arm(farewell, FAREWELL_MILLIS);
      ByteBuf out = output.control(2 * (Frames.HEADER_BYTES + 8));
      Frames.goAway(out, Integer.MAX_VALUE, ErrorCode.NO_ERROR);
      Frames.ping(out, false, FAREWELL_PING);
      flushes.soon();
    }
  }

  /** Sends GOAWAY, and closes when no stream is left, or at once after an error. */
  void leave(ErrorCode why) {
    boolean told = state == State.LEAVING && why == ErrorCode.NO_ERROR;
    if (told || state.compareTo(State.LEAVING) > 0) {
      return;
    }
    clients.timer().cancel(farewell);
    boolean begun = state != State.PREFACE;
    state = State.LEAVING;
    if (begun) {
      Frames.goAway(output.control(Frames.HEADER_BYTES + 8), lastStream, why);
    }
    flushes.now();
    if (why != ErrorCode.NO_ERROR) {
      frames.stop();
      endStreams(false);
    }
    lingerIfEmpty();
  }

  private void lingerIfEmpty() {
    if (state == State.LEAVING && streams.isEmpty()) {
      // not within a call of the last stream
      later(this::linger);
    }
  }

  private void linger() {
    if (state != State.LEAVING) {
      return;
    }
    flushes.now();
    frames.stop();
    if (channel() instanceof DuplexChannel) {
      state = State.LINGERING;
      clients.timer().arm(idle, LINGER_MILLIS);
      TlsEnd.shutdownOutput(channel());
      readMore();
    } else {
      closeNow();
    }
  }

  @Override
  protected boolean tunnels() {
    return false;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    noteFailure(cause, "the connection");
    breakOff(false);
  }

  // ---- reading

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    readPending = false;
    ByteBuf in = (ByteBuf) message;
    if (state.compareTo(State.LINGERING) >= 0) {
      discardedBytes += in.readableBytes();
      in.release();
      if (discardedBytes > LINGER_LIMIT_BYTES) {
        closeNow();
      }
      return;
    }
    ByteBuf all = input.add(in, channel().alloc());
    flushes.gather();
    try {
      process(all);
    } finally {
      flushes.gathered();
      input.done();
    }
  }

  private void process(ByteBuf in) {
    if (state == State.PREFACE && !readPreface(in)) {
      return;
    }
    while (state.compareTo(State.LINGERING) < 0 && frames.read(in)) {
      // the events do the work
    }
  }

  private boolean readPreface(ByteBuf in) {
    int length = Math.min(PREFACE.length, in.readableBytes());
    for (int i = 0; i < length; i++) {
      if (in.getByte(in.readerIndex() + i) != PREFACE[i]) {
        broken("the client does not speak HTTP/2");
        Frames.goAway(output.control(Frames.HEADER_BYTES + 8), 0, ErrorCode.PROTOCOL_ERROR);
        state = State.LEAVING;
        frames.stop(); // what follows is no frame either
        lingerIfEmpty();
        return false;
      }
    }
    if (length < PREFACE.length) {
      return false;
    }
    in.skipBytes(PREFACE.length);
    state = State.OPEN;
    clients.timer().arm(idle, clients.settings().requestStartMillis);
    return true;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    input.charge();
    if (state.compareTo(State.LINGERING) < 0 && flushes.isDue()) {
      flushes.now();
    }
    readMore();
  }

  private void readMore() {
    boolean keepsUp = output.queuedBytes() < 4L * clients.settings().streamBufferBytes;
    if (!readPending && state != State.CLOSED && keepsUp) {
      readPending = true;
      context().read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event != ChannelInputShutdownEvent.INSTANCE) {
      return;
    }
    if (state == State.LINGERING) {
      closeNow();
    } else {
      // a client that sends no more cannot update windows
      breakOff(false);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel().isWritable() && state.compareTo(State.LINGERING) < 0) {
      flushes.soon();
    }
  }

  // ---- writing

  /** Runs {@code task} when the calls below have returned. */
  void later(Runnable task) {
    channel().eventLoop().execute(task);
  }

  /** The window of a stream in which the client may send, bytes. */
  int streamWindow() {
    return streamWindow;
  }

  /** WINDOW_UPDATE of a stream. */
  void windowUpdate(int stream, int bytes) {
    if (state != State.CLOSED) {
      Frames.windowUpdate(output.control(Frames.HEADER_BYTES + 4), stream, bytes);
      flushes.mark();
    }
  }

  /** {@code bytes} of content were read or dropped: the client may send as many again. */
  void read(int bytes) {
    readBytes += bytes;
    if (readBytes >= connectionWindow / 4 && state != State.CLOSED) {
      receiveWindow += readBytes;
      windowUpdate(0, readBytes);
      readBytes = 0;
    }
    if (flushes.isMarked()) {
      flushes.soon();
    }
  }

  /** Sends RST_STREAM. */
  void reset(Http2Stream stream, ErrorCode why) {
    if (state == State.CLOSED) {
      return;
    }
    resets[resetCount++ % RESET_MEMORY] = stream.id;
    output.reset(stream.id, why);
    flushes.soon();
  }

  /** Whether this side has reset {@code stream}, not long ago. */
  boolean wasReset(int stream) {
    for (int each : resets) {
      if (each == stream) {
        return true;
      }
    }
    return false;
  }

  /**
   * {@code stream} has ended.
   *
   * @param reusable whether it may serve another stream
   */
  void ended(Http2Stream stream, boolean reusable) {
    streams.remove(stream.id);
    stream.spare();
    if (reusable && spare.size() < SPARE_STREAMS && state != State.CLOSED) {
      spare.addLast(stream);
    } else {
      stream.release();
    }
    if (!streams.isEmpty()) {
      return;
    }
    clients.counters().clientIdle();
    if (state == State.CLOSED) {
      return;
    }
    if (state == State.LEAVING) {
      lingerIfEmpty();
    } else {
      clients.timer().arm(idle, clients.settings().idleMillis);
    }
  }

  // ---- for frames

  /** The stream with this number; null: it is not open. */
  @Nullable Http2Stream stream(int number) {
    return streams.get(number);
  }

  /** Adds the open streams to {@code all}. */
  void addStreams(List<Http2Stream> all) {
    all.addAll(streams.values());
  }

  /** The number of the last stream that has begun. */
  int lastStream() {
    return lastStream;
  }

  Output output() {
    return output;
  }

  /** Tells when its frames leave. */
  FlushTurn flushes() {
    return flushes;
  }

  /** DATA arrived; false: more than the window of the connection allows. */
  boolean receives(int flowBytes) {
    receiveWindow -= flowBytes;
    return receiveWindow >= 0;
  }

  /** The client has read our settings. */
  void settled() {
    if (!settled) {
      settled = true;
      for (Http2Stream stream : streams.values()) {
        stream.receivesMore(streamWindow - Frames.DEFAULT_WINDOW_BYTES);
      }
    }
  }

  /** The client answers a PING. */
  void pingAnswered(long data) {
    if (data == FAREWELL_PING && farewell.armed()) {
      leave(ErrorCode.NO_ERROR);
    }
  }

  /** The client broke a rule. */
  void connectionError(ErrorCode why, String detail) {
    frames.stop();
    broken("HTTP/2 ends with " + why + ": " + detail);
    leave(why);
  }

  private void broken(String why) {
    LogRateLimit limit = clients.logLimit(Http2Connection.class);
    if (limit.permits()) {
      LOG.info("{}: {}, {} so far", clientText(), why, limit.count());
    }
  }

  /** An error of one stream; too many of them end the connection. */
  void streamError(int number, ErrorCode why) {
    if (events.flood(Kind.RESET)) {
      return;
    }
    Http2Stream stream = streams.get(number);
    if (stream != null) {
      stream.reset(why);
    } else {
      resets[resetCount++ % RESET_MEMORY] = number;
      output.reset(number, why);
    }
  }

  /** A stream begins with the field block of a request. */
  void begin(int number, byte[] block, int length, boolean ended) {
    long acceptNanos = clients.time().nanos();
    HttpPort port = clients.terms().port(listening());
    RequestComposer composer = codecs.composer();
    composer.begin(destination() == null && (port == null || port.mode() == PortMode.FORWARD));
    if (!events.decode(block, length, composer)) {
      return;
    }
    lastStream = number;
    if (state == State.LEAVING) {
      return;
    }
    if (streams.size() >= MAX_STREAMS) {
      streamError(number, ErrorCode.REFUSED_STREAM);
      return;
    }
    if (ends()) {
      depart(); // the client hears of it before the response
    }
    ParseFailure failure = composer.finish();
    Http2Stream stream = open(number);
    if (failure == null) {
      stream.prioritize(composer.urgency(), composer.isIncremental());
      stream.request(composer.head(), ended, acceptNanos);
    } else if (failure.status() == 400) {
      stream.malformedHead(failure, length, acceptNanos);
    } else {
      stream.refused(failure, length, ended, acceptNanos);
    }
    int most = clients.settings().maxRequestsPerConnection;
    if (most > 0 && ++served >= most) {
      leave(ErrorCode.NO_ERROR);
    }
  }

  private Http2Stream open(int number) {
    Http2Stream free = spare.pollLast();
    Http2Stream stream = free != null ? free : new Http2Stream(this, output, codecs);
    if (streams.isEmpty()) {
      clients.counters().clientBusy();
      clients.timer().cancel(idle);
    }
    streams.put(number, stream);
    int receives = settled ? streamWindow : Frames.DEFAULT_WINDOW_BYTES;
    stream.open(number, output.streamWindow(), receives);
    return stream;
  }
}
