package io.loligo.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.DefaultThreadFactory;
import org.jgroups.util.TimeScheduler3;
import org.junit.jupiter.api.Test;

class GroupServerTest {
  private static final int BACKLOG = 5;

  /** A node that left would else stay connected, and stand in the way of the one that returns. */
  @Test
  void aConnectionThatBeginsAfterTheStopIsClosed() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    DefaultThreadFactory threads = new DefaultThreadFactory("group-server-test", true);
    TimeScheduler3 timer = new TimeScheduler3();
    try (ServerSocket peer = new ServerSocket(0, BACKLOG, loopback)) {
      GroupSockets sockets = new GroupSockets(new InetSocketAddress(loopback, 0), () -> null);
      GroupServer server =
          new GroupServer(threads, sockets, loopback, 0, timer, new Refusals(System::nanoTime));
      server.start();
      server.stop();
      Connection late = server.getConnection(new IpAddress(loopback, peer.getLocalPort()));
      assertThat(late.isClosed()).isTrue();
    } finally {
      timer.stop();
    }
  }
}
