package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An origin server that records no requests, so that a test's own memory does not grow: {@code
 * /SIZE/...} is answered with that many bytes, cacheable unless {@code no-store} is in the target.
 * Thread-safe: any thread.
 */
final class PlainOrigin implements AutoCloseable {
  private static final byte[] BLOCK = "x".repeat(65_536).getBytes(ISO_8859_1);

  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  PlainOrigin() throws IOException {
    listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    daemon(this::acceptAll);
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "plain-origin");
    thread.setDaemon(true);
    thread.start();
  }

  String url(String path) {
    return "http://127.0.0.1:" + listener.getLocalPort() + path;
  }

  /** Connections that are open. */
  int connections() {
    return open.size();
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        daemon(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      for (String head = WireMessage.readHead(in); head != null; head = WireMessage.readHead(in)) {
        String target = head.split(" ", 3)[1];
        long size = Long.parseLong(target.split("/", 3)[1]);
        String cacheable = target.contains("no-store") ? "no-store" : "max-age=1000";
        String answer =
            "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nCache-Control: %s\r\n\r\n"
                .formatted(size, cacheable);
        out.write(answer.getBytes(ISO_8859_1));
        for (long left = size; left > 0; left -= BLOCK.length) {
          out.write(BLOCK, 0, (int) Math.min(left, BLOCK.length));
        }
        out.flush();
      }
    } catch (IOException gone) {
      open.remove(socket); // the client went away
    } finally {
      open.remove(socket);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
