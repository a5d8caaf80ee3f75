package io.loligo.server.downstream.tls;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.jfr.FlightEvents;
import io.loligo.server.jfr.TlsHandshakeEvent;
import io.loligo.server.jfr.TlsHandshakeEvent.Side;
import io.loligo.server.record.Shed;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tls.ClientHello;
import io.loligo.server.tls.SessionFacts;
import io.loligo.server.tls.TlsEnd;
import io.loligo.server.transport.ReadSize;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection until its TLS handshake is over. Confined to the channel's event loop.
 *
 * <pre>
 * HELLO       the first message arrives; it chooses the certificate
 * WAITING     the certificate is being made
 * HANDSHAKE   Netty's handler is in the pipeline before this one
 * OVER        the protocol that ALPN chose has taken its place, or it is closed
 * </pre>
 *
 * <p>It counts among the connections of its address and its loop from the start, so that limits and
 * a drain cover it. Its bytes are entered in the ledger of bytes in transit: those of the first
 * message, then {@value #HANDSHAKE_BYTES} for the state of the provider, and all that the client
 * sends after its first message, because the provider may have to keep it. If they do not fit, it
 * is closed, and others do not notice.
 */
public final class TlsHandshake extends ClientConnection {
  /** Bytes that a handshake takes while it waits for the client, {@code idle.py} measures them. */
  public static final int HANDSHAKE_BYTES = 8 << 10;

  private static final int READ_BYTES = 4_096;

  /** Time that a handshake has left when a drain begins, milliseconds. */
  private static final int DRAIN_MILLIS = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(TlsHandshake.class);

  private enum State {
    HELLO,
    WAITING,
    HANDSHAKE,
    OVER
  }

  private final ClientConnections clients;
  private final HandshakeContexts contexts;
  private final Deadline deadline = new Deadline();
  private State state = State.HELLO;
  private @Nullable ByteBuf hello;
  private @Nullable ClientHello read;
  private @Nullable SslHandler tls;

  /** Of the flight recorder; null: none began. */
  private @Nullable TlsHandshakeEvent event;

  private final Input input = new Input();
  private int charged;

  /** A connection accepted on {@code listening}, to be added to its channel's pipeline. */
  public TlsHandshake(
      ClientConnections clients,
      ListeningPort listening,
      InetSocketAddress client,
      HandshakeContexts contexts) {
    super(clients, listening, client);
    this.clients = clients;
    this.contexts = contexts;
  }

  private final class Deadline extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      fail(TlsFailure.TIMEOUT, null);
    }
  }

  /** Before Netty's handler: enters what the client sends. */
  private final class Input extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf in = (ByteBuf) message;
      if (admits(in.readableBytes())) {
        context.fireChannelRead(in);
      } else {
        in.release();
      }
    }
  }

  // ---- opening and closing

  @Override
  protected void attached() {
    channel().config().setRecvByteBufAllocator(new ReadSize(READ_BYTES, clients.transit()));
  }

  @Override
  protected void opened() {
    long millis = clients.settings().handshakeMillis;
    clients.timer().arm(deadline, clients.closesIdle() ? DRAIN_MILLIS : millis);
    context().read();
  }

  /** Begins with {@code early}, which were received before this was added. Takes them. */
  public void begin(ByteBuf early) {
    if (state == State.HELLO) {
      add(early);
      look();
    } else {
      early.release();
    }
  }

  @Override
  protected void refused() {
    state = State.OVER;
    channel().close();
  }

  @Override
  protected void gone() {
    if (state == State.HANDSHAKE || (state != State.OVER && hello != null)) {
      note(TlsFailure.GONE, null);
    }
    state = State.OVER;
  }

  @Override
  protected void releaseOwn() {
    state = State.OVER;
    clients.timer().forget(deadline);
    if (hello != null) {
      hello.release();
      hello = null;
    }
    charge(0);
  }

  @Override
  protected void breakOff(boolean timedOut) {
    if (timedOut) {
      fail(TlsFailure.TIMEOUT, null);
    } else {
      end();
    }
  }

  @Override
  protected void drain() {
    clients.timer().arm(deadline, DRAIN_MILLIS);
  }

  @Override
  protected boolean tunnels() {
    return false;
  }

  private void fail(TlsFailure why, @Nullable Throwable detail) {
    if (state != State.OVER) {
      note(why, detail);
      end();
    }
  }

  private void note(TlsFailure why, @Nullable Throwable detail) {
    recordEvent(null, why.text());
    noteTls(why, detail);
    contexts.failed(why);
  }

  /** {@code handler}: of a connection that is secure. {@code why}: it failed. Null: the other. */
  private void recordEvent(@Nullable SslHandler handler, @Nullable String why) {
    TlsHandshakeEvent begun = event;
    ClientHello first = read;
    event = null;
    if (begun != null && first != null) {
      begun.ended(
          Side.CLIENT,
          client(),
          first.serverName(),
          handler == null ? null : handler.engine().getSession(),
          handler == null ? null : handler.applicationProtocol(),
          why);
    }
  }

  /** Closes without a word: there is nobody who would understand it. */
  private void end() {
    state = State.OVER;
    channel().close();
  }

  private void charge(int bytes) {
    if (bytes > charged) {
      clients.transit().force(bytes - charged);
    } else if (bytes < charged) {
      clients.transit().release(charged - bytes);
    }
    charged = bytes;
  }

  // ---- the first message

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    switch (state) {
      case HELLO -> {
        add(in);
        look();
      }
      case WAITING -> add(in);
      default -> in.release();
    }
  }

  private void add(ByteBuf in) {
    if (hello == null) {
      hello = in;
    } else {
      try {
        hello.writeBytes(in);
      } finally {
        in.release();
      }
    }
    charge(hello.capacity());
  }

  private void look() {
    ByteBuf bytes = hello;
    assert bytes != null : "some have arrived";
    ClientHello first = ClientHello.read(bytes);
    switch (first.state()) {
      case INCOMPLETE -> {}
      case COMPLETE -> begin(first);
      case PLAINTEXT -> fail(TlsFailure.PLAINTEXT, null);
      case MALFORMED -> fail(TlsFailure.MALFORMED, null);
      case OVERSIZED -> fail(TlsFailure.OVERSIZED, null);
      case BAD_NAME -> fail(TlsFailure.SERVER_NAME, null);
    }
  }

  private void begin(ClientHello first) {
    read = first;
    event = FlightEvents.tlsHandshake();
    MemoryLedger transit = clients.transit();
    // the last part is for work that has begun
    if (transit.isScarce() || !transit.tryReserve(HANDSHAKE_BYTES)) {
      clients.shed(Shed.MEMORY, client());
      end();
      return;
    }
    charged += HANDSHAKE_BYTES;
    state = State.WAITING;
    contexts.handler(first, channel().alloc(), this::begin);
  }

  private void begin(@Nullable SslHandler handler) {
    if (state != State.WAITING) {
      if (handler != null) {
        ReferenceCountUtil.release(handler.engine());
      }
      return;
    }
    if (handler == null) {
      end();
      return;
    }
    ByteBuf bytes = hello;
    assert bytes != null : "they are the first message";
    charge(HANDSHAKE_BYTES);
    state = State.HANDSHAKE;
    hello = null;
    handler.setHandshakeTimeoutMillis(0); // the deadline of this object counts
    tls = handler;
    ChannelPipeline pipeline = context().pipeline();
    pipeline.addBefore(context().name(), null, input);
    pipeline.addBefore(context().name(), null, handler);
    pipeline.addBefore(context().name(), null, new TlsEnd(handler));
    // not from the head of the pipeline: the connection to a proxy may have TLS of its own
    ChannelHandlerContext first = pipeline.context(handler);
    try {
      handler.channelRead(first, bytes);
      handler.channelReadComplete(first);
    } catch (Exception e) {
      exceptionCaught(context(), e);
    }
  }

  /** Enters {@code bytes} that the client has sent; false: the connection is closed instead. */
  private boolean admits(int bytes) {
    if (state == State.OVER) {
      return false;
    }
    if (!clients.transit().tryReserve(bytes)) {
      clients.shed(Shed.MEMORY, client());
      end();
      return false;
    }
    charged += bytes;
    return true;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (state == State.HELLO) {
      context.read();
    }
  }

  // ---- the handshake

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent end && state == State.HANDSHAKE) {
      if (end.isSuccess()) {
        finished();
      } else {
        fail(TlsFailure.of(end.cause()), end.cause());
      }
    } else if (event == ChannelInputShutdownEvent.INSTANCE) {
      gone();
      channel().close();
    }
  }

  private void finished() {
    SslHandler handler = tls;
    ClientHello first = read;
    assert handler != null && first != null : "it has finished";
    clients.counters().handshakeDone();
    state = State.OVER;
    recordEvent(handler, null);
    context().pipeline().remove(input);
    SessionFacts session =
        contexts.decrypts()
            ? SessionFacts.decrypted(handler.engine(), first, session())
            : SessionFacts.of(handler.engine(), first);
    continueAs(contexts.next(handler.applicationProtocol()), session);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    Throwable inner =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    if (cause instanceof OutOfMemoryError noMemory) {
      clients.transit().shortage().met(noMemory, "a TLS handshake");
      end();
    } else if (state != State.OVER) {
      fail(TlsFailure.of(inner), inner);
    } else {
      LOG.debug("The handshake of {} ends", channel(), inner);
    }
  }
}
