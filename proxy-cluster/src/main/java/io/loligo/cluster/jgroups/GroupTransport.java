package io.loligo.cluster.jgroups;

import java.io.DataInput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.protocols.BasicTCP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.AsciiString;
import org.jgroups.util.Bits;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.PassRegularMessagesUpDirectly;
import org.jspecify.annotations.Nullable;

/** The transport of the engine: TCP through a {@link GroupServer}. The engine calls it. */
final class GroupTransport extends BasicTCP {
  private static final int CONNECT_MILLIS = 1_000;
  private static final int GREETING_READ_MILLIS = 1_000;

  /** Bytes of one frame; a node sends 64,000 and lists of members. */
  static final int MAX_BYTES = 256 << 10;

  /** Version and flags. */
  private static final int HEAD_BYTES = 3;

  private static final int FIRST_WITH_GOOD_VIRTUAL_THREADS = 25;
  private static final int MAX_THREADS = 64;

  private final GroupSockets sockets;
  private final Refusals refusals;
  private final EngineBounds bounds;

  /** The member of each connection, by the address that it said. */
  private final Map<Address, Address> sources = new ConcurrentHashMap<>();

  private @Nullable GroupServer server;

  GroupTransport(GroupSockets sockets, Refusals refusals, EngineBounds bounds) {
    this.sockets = sockets;
    this.refusals = refusals;
    this.bounds = bounds;
    // on the thread that reads: nothing waits between the connection and the protocols
    msgProcessingPolicy(new PassRegularMessagesUpDirectly());
    set();
  }

  /** Sets all that matters. Also called after the engine has read the JVM's properties. */
  void set() {
    InetSocketAddress listen = (InetSocketAddress) sockets.listen();
    setBindAddress(listen.getAddress());
    setBindPort(listen.getPort());
    setPortRange(0);
    setExternalAddr(null);
    setExternalPort(0);
    tcpNodelay(true);
    setSockConnTimeout(CONNECT_MILLIS);
    setPeerAddrReadTimeout(GREETING_READ_MILLIS);
    enableSuspectEvents(true);
    deferClientBindAddr(true);
    logDetails(false);
    useVirtualThreads(Runtime.version().feature() >= FIRST_WITH_GOOD_VIRTUAL_THREADS);
    getThreadPool().setMaxThreads(MAX_THREADS);
    getThreadPool().setIncreaseMaxSizeDynamically(false);
  }

  @Override
  public void start() throws Exception {
    GroupServer made =
        new GroupServer(getThreadFactory(), sockets, bind_addr, bind_port, getTimer(), refusals);
    made.peerAddressReadTimeout(peer_addr_read_timeout);
    made.usePeerConnections(true)
        .socketFactory(sockets)
        .receiver(this)
        .timeService(time_service)
        .socketConnectionTimeout(sock_conn_timeout)
        .tcpNodelay(tcp_nodelay)
        .deferClientBinding(defer_client_bind_addr)
        .log(log)
        .logDetails(false)
        .addConnectionListener(this);
    server = made;
    super.start();
  }

  @Override
  public void stop() {
    super.stop();
    if (server != null) {
      server.stop();
    }
    sockets.close();
  }

  @Override
  protected void handleConnect() throws Exception {
    if (server != null) {
      server.start();
    }
    connected = true;
    super.handleConnect();
  }

  @Override
  protected void handleDisconnect() {
    super.handleDisconnect();
    connected = false;
    if (server != null) {
      server.stop();
    }
  }

  /**
   * Takes the whole frame, so that a message in it cannot be longer.
   *
   * @throws IOException if no node sends such a frame: the connection is closed
   */
  @Override
  public void receive(Address sender, DataInput in, int length) throws Exception {
    if (length < 0 || length > MAX_BYTES) {
      throw closing(sender, "a frame of " + length + " bytes");
    }
    byte[] frame = new byte[length];
    in.readFully(frame);
    if (length <= HEAD_BYTES
        || sender.equals(local_physical_addr)
        || !versionMatch(Bits.readShort(frame, 0), sender)) {
      return;
    }
    byte flags = frame[HEAD_BYTES - 1];
    ByteArrayDataInputStream messages =
        new ByteArrayDataInputStream(frame, HEAD_BYTES, length - HEAD_BYTES);
    boolean multicast = (flags & MULTICAST) != 0;
    try {
      if ((flags & LIST) == 0) {
        take(sender, EngineMessages.read(messages), multicast);
      } else {
        for (MessageBatch batch : EngineMessages.readBatch(messages, multicast)) {
          take(sender, batch);
        }
      }
    } catch (ClosingException e) {
      throw e;
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      log.error("a frame cannot be read", e);
    }
  }

  private void take(Address sender, Message message, boolean multicast) throws ClosingException {
    check(sender, message.getSrc());
    if (multicast || !unicastDestMismatch(message.getDest())) {
      msg_stats.received(message);
      msg_processing_policy.process(message, message.isFlagSet(Message.Flag.OOB));
      bound(sender, message.getSrc());
    }
  }

  private void take(Address sender, MessageBatch batch) throws ClosingException {
    check(sender, batch.sender());
    msg_stats.received(batch); // protocols take messages out of it
    msg_processing_policy.process(batch, batch.mode() == MessageBatch.Mode.OOB);
    bound(sender, batch.sender());
  }

  /** A connection is that of one member: more could fill any number of tables. */
  private void check(Address sender, Address source) throws ClosingException {
    Address first = sources.putIfAbsent(sender, source);
    if (first != null && !first.equals(source)) {
      throw closing(sender, "those of several members");
    }
  }

  private void bound(Address sender, Address source) throws ClosingException {
    if (bounds.wasExcessive(source)) {
      throw closing(sender, "gaps, or parts of messages, without an end");
    }
  }

  private ClosingException closing(Address sender, String reason) {
    bounds.closed();
    refusals.excessive(((IpAddress) sender).getIpAddress(), reason);
    if (server != null) {
      server.closeConnection(sender);
    }
    return new ClosingException(reason);
  }

  /** Ends the thread that reads a connection. */
  private static final class ClosingException extends IOException {
    private static final long serialVersionUID = 1;

    ClosingException(String reason) {
      super(reason);
    }
  }

  /** Another process may have the address now. */
  @Override
  public void connectionEstablished(Connection connection) {
    sources.remove(connection.peerAddress());
    super.connectionEstablished(connection);
  }

  @Override
  public void connectionClosed(Connection connection) {
    sources.remove(connection.peerAddress());
    super.connectionClosed(connection);
  }

  @Override
  public void passMessageUp(Message message, boolean match, boolean all, boolean notOwn) {
    TpHeader header = match ? message.getHeader(id) : null;
    byte[] name = header == null ? null : header.clusterName();
    if (name != null) {
      compare(new AsciiString(name));
    }
    super.passMessageUp(message, match, all, notOwn);
  }

  @Override
  public void passBatchUp(MessageBatch batch, boolean match, boolean notOwn) {
    if (match && batch.clusterName() != null) {
      compare(batch.clusterName());
    }
    super.passBatchUp(batch, match, notOwn);
  }

  /** The engine drops messages of a cluster with another name. */
  private void compare(AsciiString name) {
    AsciiString own = cluster_name;
    if (own != null && !own.equals(name)) {
      refusals.otherCluster(own.toString(), name.toString());
    }
  }

  @Override
  public void send(Address to, byte[] data, int offset, int length) throws Exception {
    if (server != null) {
      server.send(to, data, offset, length);
    }
  }

  @Override
  public void retainAll(Collection<Address> members) {
    if (server != null) {
      server.retainAll(members, is_member);
    }
  }

  @Override
  protected @Nullable PhysicalAddress getPhysicalAddress() {
    return server == null ? null : (PhysicalAddress) server.localAddress();
  }

  @Override
  public String printConnections() {
    return server == null ? "" : server.printConnections();
  }

  @Override
  public BasicTCP clearConnections(boolean graceful) {
    if (server != null) {
      server.clearConnections(graceful);
    }
    return this;
  }
}
