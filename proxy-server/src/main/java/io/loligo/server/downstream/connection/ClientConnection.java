package io.loligo.server.downstream.connection;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.Notes;
import io.loligo.core.message.Fields;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Shed;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tls.SessionFacts;
import io.loligo.server.transport.SocketEnds;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection, of any protocol: its channel, its place among the connections of its
 * address and its loop, and its lifetime. Confined to the channel's event loop.
 *
 * <p>A protocol is a subclass. It is called in this order: {@link #attached}, {@link #opened}, and
 * once or more {@link #gone}; {@link #releaseOwn} is the last call.
 */
public abstract class ClientConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  // neighbours in the list of open connections
  @Nullable ClientConnection previous;
  @Nullable ClientConnection next;
  boolean listed;

  private final ClientConnections clients;
  private final ListeningPort listening;
  private final InetSocketAddress client;
  private final Lifetime lifetime = new Lifetime();

  @SuppressWarnings("NullAway.Init") // set by handlerAdded, the first call
  private ChannelHandlerContext context;

  @SuppressWarnings("NullAway.Init") // set by handlerAdded, the first call
  private Channel channel;

  private ClientAddresses.@Nullable Count count;

  /** By a header of the PROXY protocol; null: the channel's. */
  private @Nullable InetSocketAddress local;

  private @Nullable Destination destination;
  private @Nullable Fields proxyHeader;
  private @Nullable String clientText;
  private @Nullable SessionFacts session;
  private Notes notes = Notes.NONE;
  private int trafficClass;
  private int packetMark;

  /** Of netfilter. */
  private long connectionMark = AclInput.UNREAD_MARK;

  /** Of the socket; null: {@link #channel}. */
  private @Nullable Channel carrier;

  private boolean begun;

  /** Null: it may grow as old as it likes. */
  private @Nullable Aging aging;

  private boolean old;

  /**
   * A connection accepted on {@code listening}, to be added to its channel's pipeline.
   *
   * @param client the client's address, which need not be the channel's
   */
  protected ClientConnection(
      ClientConnections clients, ListeningPort listening, InetSocketAddress client) {
    this.clients = clients;
    this.listening = listening;
    this.client = client;
  }

  private final class Lifetime extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      breakOff(true);
    }
  }

  /** It takes no further request at this age. */
  private final class Aging extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      old = true;
      drain();
    }
  }

  // ---- the duties of a protocol

  /** The channel is known; nothing is read yet. */
  protected abstract void attached();

  /** The connection is open and within its limits: begins to read. */
  protected abstract void opened();

  /** The connection is closed before it began, because its address has too many. */
  protected abstract void refused();

  /** The client is gone. Does nothing if it was gone before. */
  protected abstract void gone();

  /** Releases everything that the protocol holds, except for the record of a tunnel. */
  protected abstract void releaseOwn();

  /** Ends the exchanges in progress as aborted, and closes. */
  protected abstract void breakOff(boolean timedOut);

  /** Closes if idle, with a FIN, else after the exchange in progress. */
  protected abstract void drain();

  /**
   * Another process has the port: tells the client that this connection ends, if the protocol has a
   * message for that. Otherwise the next response does, see {@link #ends}.
   */
  protected void handOver() {}

  /**
   * Passes the record of each exchange in progress, and of a tunnel, to {@code to}, which borrows
   * it. The record is not complete yet.
   */
  protected void inProgress(Consumer<ExchangeRecord> to) {}

  /** Whether it was given away: bytes are relayed, nothing is exchanged. */
  protected abstract boolean tunnels();

  // ---- opening and closing

  @Override
  public final void handlerAdded(ChannelHandlerContext context) {
    this.context = context;
    this.channel = context.channel();
    ChannelConfig config = channel.config();
    config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    int high = clients.settings().streamBufferBytes;
    config.setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
    if (config.isAutoRead()) {
      config.setAutoRead(false);
    }
    attached();
    if (channel.isActive()) {
      open();
    }
  }

  @Override
  public final void channelActive(ChannelHandlerContext context) {
    open();
  }

  private void open() {
    if (begun) {
      return;
    }
    begun = true;
    if (count == null) {
      count = clients.addresses().opened(client.getAddress());
      clients.opened(this);
      int most = clients.settings().connectionsPerAddress;
      boolean limited = most >= 0 && !listening.configured().forNodes();
      if (limited && count.open() > most) {
        clients.shed(Shed.CLIENT_CONNECTIONS, client);
        refused();
        return;
      }
    }
    clients.timer().arm(lifetime, clients.settings().lifetimeMillis);
    opened();
  }

  /**
   * Gives this open connection to {@code next}, which takes its place in the pipeline, in the lists
   * and in the counts. It keeps its destination, unless {@code next} has its own. The last call of
   * a handshake.
   *
   * @param result of the handshake
   */
  protected final void continueAs(ClientConnection next, SessionFacts result) {
    next.session = result;
    next.local = local;
    next.proxyHeader = proxyHeader;
    next.notes = notes;
    if (next.destination == null) {
      next.destination = destination;
    }
    next.count = count;
    count = null;
    clients.replaced(this, next);
    context.pipeline().replace(this, null, next);
  }

  /**
   * Gives this open connection to {@code next}, whose client has another address. It counts for
   * that address from now on; if there are too many, it is closed. It keeps its destination, unless
   * {@code next} has its own.
   *
   * @param local the address that the client connected to; null: unknown
   */
  protected final void continueFor(ClientConnection next, @Nullable InetSocketAddress local) {
    ClientAddresses.Count before = count;
    assert before != null : "it is open";
    next.local = local;
    next.proxyHeader = proxyHeader;
    next.notes = notes;
    if (next.destination == null) {
      next.destination = destination;
    }
    next.count = clients.addresses().opened(next.client.getAddress());
    count = null;
    clients.addresses().closed(before);
    clients.replaced(this, next);
    int most = clients.settings().connectionsPerAddress;
    boolean limited = most >= 0 && !listening.configured().forNodes();
    boolean oneTooMany = limited && next.count.open() > most;
    next.begun = oneTooMany;
    context.pipeline().replace(this, null, next);
    if (oneTooMany) {
      clients.shed(Shed.CLIENT_CONNECTIONS, next.client);
      next.refused();
    }
  }

  /** The notes that rules have put on this connection. */
  public final Notes notes() {
    return notes;
  }

  /** Replaces {@link #notes()}. */
  public final void notes(Notes replaced) {
    notes = replaced;
  }

  /**
   * Gives this open connection to {@code next}. It had left the pipeline for a tunnel, whose bytes
   * are decrypted now. The last call of a protocol.
   */
  public final void continueDecrypted(ClientConnection next) {
    describe(next);
    next.count = count;
    count = null;
    clients.replaced(this, next);
    release();
    channel.pipeline().addLast(next);
  }

  /**
   * Tells {@code next}, which serves a part of this connection, about the client. It counts as a
   * connection of its own. Before {@code next} is added to a pipeline.
   */
  public final void describe(ClientConnection next) {
    next.local = local;
    next.proxyHeader = proxyHeader;
    next.notes = notes;
    next.connectionMark = connectionMark;
    next.carrier = carrier == null ? channel : carrier;
    next.session = session;
  }

  @Override
  public final void channelInactive(ChannelHandlerContext context) {
    gone();
    release();
  }

  @Override
  public final void handlerRemoved(ChannelHandlerContext context) {
    if (!tunnels()) {
      gone();
      release();
    }
  }

  /** The terminal method: releases everything except a tunnel's record. */
  protected final void release() {
    releaseOwn();
    clients.timer().forget(lifetime);
    if (aging != null) {
      clients.timer().forget(aging);
    }
    if (count != null) {
      clients.closed(this);
      clients.addresses().closed(count);
      count = null;
    }
  }

  /** Closes now; exchanges in progress end as aborted. */
  final void abort() {
    breakOff(false);
  }

  /** Makes the coming close look like a failure to the client, not like an end. */
  protected final void resetOnClose() {
    try {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException e) {
      LOG.debug("The socket of {} is gone already", channel, e);
    }
  }

  /**
   * Counts and tells that TLS with the client has failed.
   *
   * @param detail of the provider; null: none
   */
  protected final void noteTls(TlsFailure why, @Nullable Throwable detail) {
    clients.counters().tlsFailed(why);
    String text = "TLS: " + why.text() + (detail == null ? "" : ": " + detail.getMessage());
    HttpPort port = clients.terms().port(listening);
    String name = (port == null ? listening.configured() : port).name();
    ClosedConnections.log(clients, why, name, client, text);
  }

  /** The same for {@code cause}, if it is a record of the client that cannot be read. */
  private void noteBrokenRecord(Throwable cause) {
    if (!(cause instanceof SSLException)) {
      return;
    }
    switch (TlsFailure.of(cause)) {
      case GONE -> {} // it has only left without an announcement
      case RENEGOTIATION -> noteTls(TlsFailure.RENEGOTIATION, cause);
      case REFUSED -> noteTls(TlsFailure.REFUSED, cause);
      default -> noteTls(TlsFailure.MALFORMED, cause);
    }
  }

  /**
   * Tells of a failure of this connection, which has to be closed.
   *
   * @param what needed memory, if that was short
   */
  protected final void noteFailure(Throwable cause, String what) {
    if (cause instanceof IOException) {
      noteBrokenRecord(cause);
      LOG.debug("Client connection {} was reset", channel, cause);
    } else if (cause instanceof OutOfMemoryError noMemory) {
      clients.transit().shortage().met(noMemory, what);
    } else {
      LOG.error(
          "Client connection {} failed and is closed; next: report this defect, with the trace",
          channel,
          cause);
    }
  }

  // ---- facts

  /** It persists, from now on as long as {@code pconn_lifetime} says. */
  protected final void limitAge() {
    long ageMillis = clients.settings().ageMillis;
    if (ageMillis > 0) {
      aging = new Aging();
      clients.timer().arm(aging, ageMillis);
    }
  }

  /** Whether it ends after the exchange in progress. */
  public final boolean ends() {
    return old || clients.draining();
  }

  /** The traffic class of its packets, from 0 to 255; 0: the system's. */
  public final int trafficClass() {
    return trafficClass;
  }

  /** Notes {@link #trafficClass()}, which its channel has got. */
  public final void trafficClass(int value) {
    trafficClass = value;
  }

  /** Netfilter's mark of its packets; 0: none. */
  public final int packetMark() {
    return packetMark;
  }

  /** Notes {@link #packetMark()}, which its channel has got. */
  public final void packetMark(int mark) {
    packetMark = mark;
  }

  /** Netfilter's mark of the connection, as {@link AclInput#connectionMark()}. */
  public final long connectionMark() {
    return connectionMark;
  }

  /** Sets {@link #connectionMark()}. */
  public final void connectionMark(long mark) {
    connectionMark = mark;
  }

  /** The ends of its socket; null: it is closed. */
  public final @Nullable SocketEnds socketEnds() {
    return SocketEnds.of(carrier == null ? channel : carrier);
  }

  /** The connections of its loop. */
  public final ClientConnections clients() {
    return clients;
  }

  /** The address it was accepted on. */
  public final ListeningPort listening() {
    return listening;
  }

  protected final ChannelHandlerContext context() {
    return context;
  }

  public final Channel channel() {
    return channel;
  }

  /** The client's address. */
  public final InetSocketAddress client() {
    return client;
  }

  /** The address that the client connected to; null: unknown. */
  public final @Nullable InetSocketAddress local() {
    if (destination != null && destination.original() != null) {
      return destination.original();
    }
    if (local != null) {
      return local;
    }
    return channel.localAddress() instanceof InetSocketAddress inet ? inet : null;
  }

  /**
   * The server that the client means; null: the connection is neither intercepted nor decrypted.
   */
  public final @Nullable Destination destination() {
    return destination;
  }

  /** The header of the PROXY protocol as fields; null: there was none. */
  public final @Nullable Fields proxyHeader() {
    return proxyHeader;
  }

  /** Sets {@link #proxyHeader()}, for this connection and those that continue it. */
  protected final void proxyHeader(Fields header) {
    proxyHeader = header;
  }

  /** Sets {@link #destination()}. Before the connection is added to its channel's pipeline. */
  public final void destination(Destination meant) {
    destination = meant;
  }

  /** The client's address as text, without its port. */
  public final String clientText() {
    if (clientText == null) {
      clientText = NetUtil.toAddressString(client.getAddress());
    }
    return clientText;
  }

  /** TLS on this connection; null: there is none. */
  public final @Nullable SessionFacts session() {
    return session;
  }

  /** The counts of its address; null if the connection is closed. */
  public final ClientAddresses.@Nullable Count count() {
    return count;
  }
}
