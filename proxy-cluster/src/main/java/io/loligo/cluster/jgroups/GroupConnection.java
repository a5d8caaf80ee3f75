package io.loligo.cluster.jgroups;

import java.net.Socket;
import java.util.concurrent.Future;
import javax.net.ssl.SSLException;
import org.jgroups.Address;
import org.jgroups.blocks.cs.TcpConnectionNonBlocking;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection to another node, with a bounded queue of messages to it. A node that hangs holds up
 * the thread of this queue, and no other.
 */
final class GroupConnection extends TcpConnectionNonBlocking {
  /** Messages of at most 64 KB that wait; further ones are dropped, and sent again later. */
  static final int MAX_WAITING = 128;

  private static final int HANDSHAKE_MILLIS = 2_000;
  private static final int CLOSE_MILLIS = 500;

  private final GroupServer group;

  /** Whether the thread of the queue writes now. */
  private volatile boolean writing;

  /** To {@code peer}; not yet connected. */
  GroupConnection(Address peer, GroupServer group) throws Exception {
    super(peer, group, MAX_WAITING);
    this.group = group;
  }

  /** From a node that connected, and was admitted. Reads its greeting: blocks. */
  GroupConnection(Socket admitted, GroupServer group) throws Exception {
    super(admitted, group, MAX_WAITING);
    this.group = group;
  }

  @Override
  protected void connect(Address peer, boolean greet) throws Exception {
    Future<?> deadline = group.closeLater(sock, HANDSHAKE_MILLIS);
    try {
      super.connect(peer, greet);
    } catch (SSLException e) {
      if (!deadline.isDone()) {
        group.refusals().notTrusted(((IpAddress) peer).getIpAddress(), e);
      }
      throw e;
    } finally {
      deadline.cancel(false);
    }
  }

  @Override
  protected void doSend(byte @Nullable [] data, int offset, int length, boolean flush)
      throws Exception {
    writing = true;
    super.doSend(data, offset, length, flush);
    writing = false;
  }

  /** Does not wait for a thread that writes, which flushes itself. */
  @Override
  public void flush() {
    if (!writing) {
      writing = true;
      super.flush();
      writing = false;
    }
  }

  /** Says goodbye, unless the other node does not read: the view would wait for it here. */
  @Override
  protected void closeGracefully() {
    if (writing) {
      return;
    }
    Future<?> deadline = group.closeLater(sock, CLOSE_MILLIS);
    super.closeGracefully();
    deadline.cancel(false);
  }
}
