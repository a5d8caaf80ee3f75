package io.loligo.bench.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An origin with numbered objects, {@code /NUMBER}, each of a version. It answers after a time, and
 * counts requests, and those in progress for each object. A thread for each connection.
 * Thread-safe.
 */
final class CountedOrigin implements AutoCloseable {
  private static final int DELAY_MILLIS = 20;
  private static final int BACKLOG = 512;

  private final ServerSocket listener =
      new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  private final AtomicIntegerArray versions;
  private final AtomicIntegerArray inProgress;
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicLong requests = new AtomicLong();
  private final String padding;

  CountedOrigin(int objects, int bytes) throws IOException {
    versions = new AtomicIntegerArray(objects);
    inProgress = new AtomicIntegerArray(objects);
    padding = "x".repeat(bytes);
    daemon(this::acceptAll, "origin");
  }

  private static void daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  String url(int object) {
    return "http://127.0.0.1:" + listener.getLocalPort() + "/" + object;
  }

  /** The present version of {@code object}, which is the ETag of its responses. */
  int version(int object) {
    return versions.get(object);
  }

  /** {@code object} changes. */
  void change(int object) {
    versions.incrementAndGet(object);
  }

  /** Requests so far. */
  long requests() {
    return requests.get();
  }

  /** Requests for one object at the same time, at most, since the last call. */
  int takeMost() {
    return most.getAndSet(0);
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket socket = listener.accept();
        daemon(() -> serve(socket), "origin-connection");
      }
    } catch (IOException closed) {
      // the end
    }
  }

  private void serve(Socket opened) {
    try (Socket socket = opened) {
      socket.setTcpNoDelay(true);
      BufferedReader in =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
      OutputStream out = socket.getOutputStream();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String path = line.split(" ", 3)[1];
        while (line != null && !line.isEmpty()) {
          line = in.readLine();
        }
        out.write(answer(Integer.parseInt(path.substring(1))).getBytes(ISO_8859_1));
      }
    } catch (IOException gone) {
      // a proxy may close at any time
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String answer(int object) throws InterruptedException {
    requests.incrementAndGet();
    most.accumulateAndGet(inProgress.incrementAndGet(object), Math::max);
    try {
      Thread.sleep(DELAY_MILLIS);
      return "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nETag: \""
          + versions.get(object)
          + "\"\r\nContent-Length: "
          + padding.length()
          + "\r\n\r\n"
          + padding;
    } finally {
      inProgress.decrementAndGet(object);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
