package io.loligo.junit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opentest4j.AssertionFailedError;

/**
 * A scripted origin on a free port of 127.0.0.1, which speaks HTTP/1.1 and closes each connection
 * after its response. A path without a response gets 404. Dates follow the {@link TestClock}.
 * Thread-safe: any thread.
 */
public final class TestOrigin {
  private static final int MAX_LINE_BYTES = 64 << 10;
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final TestClock clock;
  private final ServerSocket listening;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "loligo-origin");
            thread.setDaemon(true);
            return thread;
          });
  private final Map<String, OriginResponse> responses = new ConcurrentHashMap<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** Guarded by itself. */
  private final List<OriginRequest> requests = new ArrayList<>();

  private TestOrigin(TestClock clock) throws IOException {
    this.clock = clock;
    listening = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
  }

  static TestOrigin start(TestClock clock) throws IOException {
    TestOrigin origin = new TestOrigin(clock);
    origin.threads.execute(origin::accept);
    return origin;
  }

  /**
   * The URL of {@code path} at this origin.
   *
   * @param path with a slash at its begin, and a query if there is one
   */
  public String url(String path) {
    return "http://127.0.0.1:" + listening.getLocalPort() + path;
  }

  /**
   * Responds to requests for {@code path} from now on.
   *
   * @param path without the query
   * @param content text, in UTF-8
   * @return the response, which may be changed
   */
  public OriginResponse respond(String path, String content) {
    OriginResponse response = new OriginResponse(content.getBytes(UTF_8));
    responses.put(path, response);
    return response;
  }

  /** The requests that have reached this origin, in their order. */
  public List<OriginRequest> requests() {
    synchronized (requests) {
      return List.copyOf(requests);
    }
  }

  /** Asserts the number of requests that have reached this origin. */
  public void assertRequests(int expected) {
    List<OriginRequest> all = requests();
    if (all.size() != expected) {
      throw new AssertionFailedError(
          "requests that reached the origin: "
              + all.size()
              + " (expected: "
              + expected
              + "): "
              + all,
          expected,
          all.size());
    }
  }

  /**
   * Asserts the number of requests for {@code path} that have reached this origin.
   *
   * @param path without the query
   */
  public void assertRequests(String path, int expected) {
    List<OriginRequest> all = requests();
    long actual = all.stream().filter(request -> request.path().equals(path)).count();
    if (actual != expected) {
      throw new AssertionFailedError(
          "requests for " + path + ": " + actual + " (expected: " + expected + ") of " + all,
          expected,
          actual);
    }
  }

  void close() {
    closeQuietly(listening);
    open.forEach(TestOrigin::closeQuietly);
    threads.shutdownNow();
  }

  private static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      // nobody waits for it
    }
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        open.add(socket);
        threads.execute(() -> serve(socket));
      } catch (IOException | RuntimeException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      OriginRequest request = read(in);
      if (request != null) {
        synchronized (requests) {
          requests.add(request);
        }
        respond(request, socket.getOutputStream());
      }
    } catch (IOException e) {
      // the proxy has closed the connection
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(socket);
    }
  }

  private void respond(OriginRequest request, OutputStream out)
      throws IOException, InterruptedException {
    OriginResponse response = responses.get(request.path());
    OriginResponse.State state =
        response == null
            ? new OriginResponse("not found".getBytes(UTF_8)).status(404).state()
            : response.state();
    if (!state.delay().isZero()) {
      TimeUnit.NANOSECONDS.sleep(state.delay().toNanos());
    }
    StringBuilder head = new StringBuilder("HTTP/1.1 " + state.status() + " \r\n");
    head.append("Date: ").append(DATE.format(clock.instant())).append("\r\n");
    state.fields().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    boolean bodiless = state.status() == 204 || state.status() == 304;
    if (!bodiless) {
      head.append("Content-Length: ").append(state.content().length).append("\r\n");
    }
    head.append("Connection: close\r\n\r\n");
    out.write(head.toString().getBytes(ISO_8859_1));
    if (!bodiless && !request.method().equals("HEAD")) {
      long whole = state.content().length;
      long sent = state.cutAfterBytes() < 0 ? whole : Math.min(whole, state.cutAfterBytes());
      out.write(state.content(), 0, (int) sent);
    }
    out.flush();
  }

  private static @Nullable OriginRequest read(InputStream in) throws IOException {
    String line = line(in);
    if (line.isEmpty()) {
      return null;
    }
    String[] words = line.split(" ", -1);
    List<Map.Entry<String, String>> fields = new ArrayList<>();
    for (String field = line(in); !field.isEmpty(); field = line(in)) {
      int colon = field.indexOf(':');
      fields.add(Map.entry(field.substring(0, colon), field.substring(colon + 1).strip()));
    }
    OriginRequest head = new OriginRequest(words[0], words[1], fields, new byte[0]);
    String length = head.field("Content-Length");
    byte[] content = new byte[0];
    if ("chunked".equalsIgnoreCase(head.field("Transfer-Encoding"))) {
      content = chunks(in);
    } else if (length != null) {
      content = in.readNBytes(Integer.parseInt(length));
    }
    return new OriginRequest(words[0], words[1], fields, content);
  }

  private static byte[] chunks(InputStream in) throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (int size = chunk(in); size > 0; size = chunk(in)) {
      content.write(in.readNBytes(size));
      line(in);
    }
    while (!line(in).isEmpty()) {
      // a trailer
    }
    return content.toByteArray();
  }

  private static int chunk(InputStream in) throws IOException {
    return Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
  }

  /** A line without its end; empty at the end of the stream. */
  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      if (line.size() == MAX_LINE_BYTES) {
        throw new EOFException("line too long");
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(ISO_8859_1);
  }
}
