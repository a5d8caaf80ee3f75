package io.loligo.server.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Passes the bytes between a node and the peer port of another one on. Thread-safe. */
final class PeerTap implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int peerPort;
  private final List<Socket> sockets = new ArrayList<>();
  private int connections;
  private boolean holding;
  private boolean held;

  /** To {@code peerPort} of this machine. */
  PeerTap(int peerPort) throws IOException {
    this.peerPort = peerPort;
    start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** The number of connections so far. */
  synchronized int connections() {
    return connections;
  }

  /** Closes all connections; new ones are accepted. */
  synchronized void breakAll() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    sockets.clear();
    holding = false;
  }

  /** Drops requests from now on, until {@link #breakAll}. */
  synchronized void hold() {
    holding = true;
    held = false;
  }

  /** Waits until a request was dropped. */
  synchronized void awaitHeld() throws InterruptedException {
    while (!held) {
      wait();
    }
  }

  private synchronized boolean holds() {
    held |= holding;
    notifyAll();
    return holding;
  }

  private void accept() {
    try {
      while (true) {
        Socket node = server.accept();
        Socket peer = new Socket(InetAddress.getLoopbackAddress(), peerPort);
        synchronized (this) {
          connections++;
          sockets.add(node);
          sockets.add(peer);
        }
        start(() -> pass(node, peer, true));
        start(() -> pass(peer, node, false));
      }
    } catch (IOException closed) {
      // the test has ended
    }
  }

  private void pass(Socket from, Socket to, boolean requests) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] bytes = new byte[8_192];
      for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
        if (!requests || !holds()) {
          out.write(bytes, 0, length);
        }
      }
    } catch (IOException broken) {
      // so both are closed
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "peer tap");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    breakAll();
  }
}
