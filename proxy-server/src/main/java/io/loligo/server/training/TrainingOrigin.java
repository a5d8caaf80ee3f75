package io.loligo.server.training;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An origin on the loopback address, with a thread for each connection. The first segment of a path
 * tells how a response may be stored, the last is the number of its object.
 */
final class TrainingOrigin implements AutoCloseable {
  /** Fresh for a day. */
  static final String FRESH = "/fresh/";

  /** Validated at each request. */
  static final String VALIDATED = "/validated/";

  /** Never stored. */
  static final String PRIVATE = "/private/";

  private static final int BACKLOG = 128;
  private static final int MOST_BYTES = 256 << 10;

  private final ServerSocket socket;

  /** Its connections by the threads that serve them. */
  private final Map<Thread, Socket> connections = new ConcurrentHashMap<>();

  private final Thread accepting;
  private volatile DateText date = DateText.of(Instant.EPOCH);
  private final byte[] content = new byte[MOST_BYTES];

  TrainingOrigin() throws IOException {
    socket = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    accepting = daemon("training-origin", this::accept);
  }

  int port() {
    return socket.getLocalPort();
  }

  /** A thread that does not keep the process. */
  static Thread daemon(String name, Runnable task) {
    Thread thread = daemonOf(name, task);
    thread.start();
    return thread;
  }

  private static Thread daemonOf(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = socket.accept();
        Thread thread = daemonOf("training-origin", () -> serve(connection));
        connections.put(thread, connection);
        thread.start();
      }
    } catch (IOException closed) {
      // the training is over
    }
  }

  private void serve(Socket connection) {
    try (connection;
        OutputStream out = new BufferedOutputStream(connection.getOutputStream())) {
      connection.setTcpNoDelay(true);
      MessageInput in = new MessageInput(connection.getInputStream());
      @Nullable Message request = Message.request(in);
      while (request != null) {
        respond(request, out);
        out.flush();
        request = Message.request(in);
      }
    } catch (IOException | RuntimeException gone) {
      // the proxy closed it, or does not get its response
    } finally {
      connections.remove(Thread.currentThread());
    }
  }

  private void respond(Message request, OutputStream out) throws IOException {
    String path = request.path();
    int number = Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
    int size = size(number);
    String tag = "\"" + number + "\"";
    boolean unchanged = request.field("if-none-match").equals(tag);
    boolean chunked = number % 10 == 3;
    String head =
        "HTTP/1.1 "
            + (unchanged ? "304 Not Modified" : "200 OK")
            + "\r\nDate: "
            + date()
            + "\r\nServer: training\r\nContent-Type: text/html; charset=utf-8"
            + "\r\nLast-Modified: Fri, 27 Nov 2026 10:00:00 GMT\r\nETag: "
            + tag
            + "\r\nCache-Control: "
            + control(path)
            + furtherFields(number)
            + (chunked ? "\r\nTransfer-Encoding: chunked" : "\r\nContent-Length: " + size)
            + "\r\n\r\n";
    out.write(Message.bytes(head));
    if (unchanged || request.method().equals("HEAD")) {
      return;
    }
    if (chunked) {
      out.write(Message.bytes(Integer.toHexString(size) + "\r\n"));
      out.write(content, 0, size);
      out.write(Message.bytes("\r\n0\r\n\r\n"));
    } else {
      out.write(content, 0, size);
    }
  }

  /** The value of Date. It is made once a second: making one takes longer than a response. */
  private String date() {
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    DateText text = date;
    if (!text.second.equals(now)) {
      text = DateText.of(now);
      date = text;
    }
    return text.text;
  }

  private record DateText(Instant second, String text) {
    static DateText of(Instant second) {
      return new DateText(
          second, DateTimeFormatter.RFC_1123_DATE_TIME.format(second.atZone(ZoneOffset.UTC)));
    }
  }

  private static String control(String path) {
    if (path.startsWith(FRESH)) {
      return "max-age=86400";
    }
    return path.startsWith(VALIDATED) ? "max-age=0, must-revalidate" : "private, no-store";
  }

  /** As some origins send them: code that has seen each of them once stays as it is compiled. */
  private static String furtherFields(int number) {
    StringBuilder fields = new StringBuilder();
    if (number % 7 == 1) {
      fields.append("\r\nVary: Accept-Encoding");
    }
    if (number % 5 == 2) {
      fields.append("\r\nExpires: Fri, 01 Jan 2100 00:00:00 GMT");
    }
    if (number % 11 == 4) {
      fields.append("\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5");
    }
    if (number % 13 == 5) {
      fields.append("\r\nAge: 3\r\nVia: 1.1 front");
    }
    return fields.toString();
  }

  /** Bytes of an object: most are small, one in fifty is large. */
  private static int size(int number) {
    int mixed = (number * 0x9E3779B1) >>> 1;
    if (mixed % 50 == 0) {
      return (64 << 10) + mixed % (MOST_BYTES - (64 << 10));
    }
    return 512 + mixed % (mixed % 4 == 0 ? 30_000 : 8_000);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** Closes, and ends the connections and their threads; waits for each thread, at most so long. */
  void end(Duration atMost) throws IOException, InterruptedException {
    close();
    accepting.join(atMost.toMillis());
    for (Map.Entry<Thread, Socket> connection : connections.entrySet()) {
      connection.getValue().close();
      connection.getKey().join(atMost.toMillis());
    }
  }
}
