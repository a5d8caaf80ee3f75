package io.loligo.cluster.jgroups;

import java.io.DataInput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.BasicTCP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.util.AsciiString;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;

/** The transport of the engine: TCP through a {@link GroupServer}. The engine calls it. */
final class GroupTransport extends BasicTCP {
  private static final int CONNECT_MILLIS = 1_000;
  private static final int GREETING_READ_MILLIS = 1_000;

  /** Bytes of one message of the engine; a longer length is that of an attack or a defect. */
  private static final int MAX_BYTES = 4 << 20;

  private static final int FIRST_WITH_GOOD_VIRTUAL_THREADS = 25;
  private static final int MAX_THREADS = 64;

  private final GroupSockets sockets;
  private final Refusals refusals;
  private @Nullable GroupServer server;

  GroupTransport(GroupSockets sockets, Refusals refusals) {
    this.sockets = sockets;
    this.refusals = refusals;
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
    setMaxLength(MAX_BYTES);
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
        .setMaxLength(max_length)
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

  /** Takes the whole frame, so that a message in it cannot be longer. */
  @Override
  public void receive(Address sender, DataInput in, int length) throws Exception {
    if (length < 0) {
      throw new IOException("a frame of " + length + " bytes");
    }
    byte[] frame = new byte[length];
    in.readFully(frame);
    receive(sender, frame, 0, length);
  }

  @Override
  protected void handleSingleMessage(DataInput in, boolean multicast) {
    try {
      Message message = EngineMessages.read((ByteArrayDataInputStream) in);
      if (multicast || !unicastDestMismatch(message.getDest())) {
        msg_processing_policy.process(message, message.isFlagSet(Message.Flag.OOB));
        msg_stats.received(message);
      }
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      log.error("a frame cannot be read", e);
    }
  }

  @Override
  protected void handleMessageBatch(DataInput in, boolean multicast) {
    try {
      for (MessageBatch batch :
          EngineMessages.readBatch((ByteArrayDataInputStream) in, multicast)) {
        msg_stats.received(batch);
        processBatch(batch, batch.mode() == MessageBatch.Mode.OOB);
      }
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      log.error("a frame cannot be read", e);
    }
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
