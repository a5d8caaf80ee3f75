package io.loligo.cluster.jgroups;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Address;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.blocks.cs.TcpConnection;
import org.jgroups.blocks.cs.TcpServer;
import org.jgroups.util.ThreadFactory;
import org.jgroups.util.TimeScheduler;
import org.jgroups.util.Util;

/**
 * Accepts connections of nodes, and connects to them. The engine's own server greets a client on
 * the thread that accepts, where a silent client holds up all others; this one does so on threads
 * of a small pool, within a time. No address has more than a part of the pool, and no failure ends
 * the thread that accepts.
 */
final class GroupServer extends TcpServer {
  private static final int GREETING_MILLIS = 3_000;
  private static final int MAX_GREETING = 64;

  /** Clients of one address that are greeted at the same time; more are closed at once. */
  private static final int MAX_GREETING_OF_ONE = 8;

  /** Connections with nodes; each may have as much wait as {@link EngineBounds} says. */
  static final int MAX_CONNECTIONS = 512;

  private static final long IDLE_SECONDS = 5;

  /** After a failure to accept, such as for want of a descriptor: it may last. */
  private static final long FAILED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Clients that are being greeted, by address. Guarded by itself. */
  private final Map<InetAddress, Integer> greeted = new HashMap<>();

  private final GroupSockets sockets;
  private final TimeScheduler timer;
  private final Refusals refusals;
  private final ThreadPoolExecutor greeting;

  /** Set before the connections are closed: one that comes later is closed at once. */
  private volatile boolean stopped;

  /** Takes {@code sockets}, which are bound. */
  GroupServer(
      ThreadFactory threads,
      GroupSockets sockets,
      InetAddress address,
      int port,
      TimeScheduler timer,
      Refusals refusals)
      throws Exception {
    super(threads, sockets, address, port, port, null, 0, 0);
    this.sockets = sockets;
    this.timer = timer;
    this.refusals = refusals;
    greeting =
        new ThreadPoolExecutor(
            0,
            MAX_GREETING,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> threads.newThread(task, "loligo-cluster-greeting"));
    acceptor = threads.newThread(new Accepting(), "loligo-cluster-accept");
  }

  Refusals refusals() {
    return refusals;
  }

  /**
   * Closes {@code socket} after a time, unless the result is cancelled; at once if the timer has
   * stopped.
   */
  Future<?> closeLater(Socket socket, int millis) {
    Future<?> later =
        timer.schedule(() -> Util.close(socket), millis, TimeUnit.MILLISECONDS, false);
    if (later == null) {
      Util.close(socket);
      return CompletableFuture.completedFuture(null);
    }
    return later;
  }

  @Override
  protected TcpConnection createConnection(Address peer) throws Exception {
    return new GroupConnection(peer, this);
  }

  /** A connection that outlived the server would be for its peer one with the next server here. */
  @Override
  public void handleOutgoingConnection(Address peer, Connection connection) throws Exception {
    super.handleOutgoingConnection(peer, connection);
    closeIfStopped(connection);
  }

  @Override
  public void handleIncomingConnection(Address peer, Connection connection) throws Exception {
    super.handleIncomingConnection(peer, connection);
    closeIfStopped(connection);
  }

  private void closeIfStopped(Connection connection) {
    if (stopped) {
      Util.close(connection);
    }
  }

  @Override
  public void stop() {
    stopped = true;
    super.stop();
    greeting.shutdownNow();
    sockets.close();
  }

  private final class Accepting extends Acceptor {
    @Override
    public void run() {
      while (!srv_sock.isClosed() && !Thread.currentThread().isInterrupted()) {
        try {
          handleAccept(srv_sock.accept());
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // or no thread could begin
          LockSupport.parkNanos(FAILED_NANOS);
        }
      }
    }

    @Override
    protected void handleAccept(Socket client) {
      InetAddress from = client.getInetAddress();
      boolean begins = false;
      try {
        if (mayBegin(from)) {
          greeting.execute(() -> greet(client, from));
          begins = true;
        }
      } catch (RejectedExecutionException busy) {
        end(from);
      } catch (OutOfMemoryError noThread) {
        end(from);
        throw noThread;
      } finally {
        if (!begins) {
          refusals.tooMany(from);
          Util.close(client);
        }
      }
    }
  }

  private boolean mayBegin(InetAddress from) {
    if (conns.size() >= MAX_CONNECTIONS) {
      return false;
    }
    synchronized (greeted) {
      int others = greeted.getOrDefault(from, 0);
      if (others == MAX_GREETING_OF_ONE) {
        return false;
      }
      greeted.put(from, others + 1);
      return true;
    }
  }

  private void end(InetAddress from) {
    synchronized (greeted) {
      greeted.computeIfPresent(from, (address, count) -> count > 1 ? count - 1 : null);
    }
  }

  private void greet(Socket client, InetAddress from) {
    Future<?> deadline = closeLater(client, GREETING_MILLIS);
    try {
      GroupConnection connection = new GroupConnection(sockets.admitted(client), this);
      deadline.cancel(false);
      handleIncomingConnection(connection.peerAddress(), connection);
    } catch (Exception e) {
      refusals.notAdmitted(from, e);
      Util.close(client);
    } finally {
      deadline.cancel(false);
      end(from);
    }
  }
}
