package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An origin whose content is a function of path, language and version, so that any of it can be
 * checked byte by byte; POST makes a new version. It keeps nothing else, and fails as it is told by
 * the first letter of a path:
 *
 * <table>
 *   <caption>paths</caption>
 *   <tr><td>/f</td><td>fresh for long</td></tr>
 *   <tr><td>/s</td><td>fresh for a second</td></tr>
 *   <tr><td>/k</td><td>the same, chunked</td></tr>
 *   <tr><td>/n</td><td>not to be stored</td></tr>
 *   <tr><td>/v</td><td>fresh for long, varies by language</td></tr>
 *   <tr><td>/l</td><td>fresh for long, large</td></tr>
 *   <tr><td>/x</td><td>fresh for long, breaks off now and then</td></tr>
 *   <tr><td>/e</td><td>fresh for a second, fails now and then</td></tr>
 * </table>
 */
final class SoakOrigin implements AutoCloseable {
  private static final int LARGE_BYTES = 400_000;
  private static final int SMALL_BYTES = 40_000;

  private static final Logger LOG = LoggerFactory.getLogger(SoakOrigin.class);

  private final ServerSocket listener;
  private final Map<String, AtomicLong> versions = new ConcurrentHashMap<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private SoakOrigin(ServerSocket listener) {
    this.listener = listener;
  }

  static SoakOrigin start() throws IOException {
    SoakOrigin origin = new SoakOrigin(new ServerSocket(0, 512, InetAddress.getLoopbackAddress()));
    daemon(origin::acceptAll);
    return origin;
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "soak-origin");
    thread.setDaemon(true);
    thread.start();
  }

  /** The content of {@code path} in that version. */
  static byte[] content(String path, String language, long version) {
    int most = path.startsWith("/l") ? LARGE_BYTES : SMALL_BYTES;
    Random random = new Random(path.hashCode() * 31L + version);
    byte[] bytes = new byte[random.nextInt(most)];
    random.nextBytes(bytes);
    byte[] line = (path + " " + tag(path, language, version) + "\n").getBytes(ISO_8859_1);
    byte[] all = Arrays.copyOf(line, line.length + bytes.length);
    System.arraycopy(bytes, 0, all, line.length, bytes.length);
    return all;
  }

  static String tag(String path, String language, long version) {
    return "\"" + version + (path.startsWith("/v") ? language : "") + "\"";
  }

  /** The version behind {@link #tag}. */
  static long version(String tag) {
    return Long.parseLong(tag.replaceAll("[^0-9]", ""));
  }

  /** Makes a new version; its number. */
  long change(String path) {
    return versions.computeIfAbsent(path, ignored -> new AtomicLong()).incrementAndGet();
  }

  /** The version it has now. */
  long current(String path) {
    return versions.computeIfAbsent(path, ignored -> new AtomicLong()).get();
  }

  int port() {
    return listener.getLocalPort();
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket socket = listener.accept();
        sockets.add(socket);
        daemon(() -> serve(socket));
      }
    } catch (IOException closed) {
      // by the end of the test
      sockets.clear();
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String head = WireMessage.readHead(in);
      while (head != null && answer(head, in, socket.getOutputStream())) {
        head = WireMessage.readHead(in);
      }
    } catch (IOException gone) {
      LOG.debug("a proxy closes what nobody wants any more", gone);
    } finally {
      sockets.remove(socket);
    }
  }

  /** Whether the connection may be used again. */
  private boolean answer(String head, InputStream in, OutputStream out) throws IOException {
    WireMessage.readRequestBody(head, in);
    String[] words = head.split(" ", 3);
    String path = words[1];
    boolean post = words[0].equals("POST");
    long version = post ? change(path) : current(path);
    long dice = System.nanoTime() >>> 8;
    if (path.startsWith("/e") && !post && dice % 3 == 0) {
      send(out, "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n", new byte[0]);
      return true;
    }
    String accepted = WireMessage.field(head, "accept-language");
    String language = accepted == null ? "" : accepted;
    byte[] content =
        post ? String.valueOf(version).getBytes(ISO_8859_1) : content(path, language, version);
    String tag = tag(path, language, version);
    String lines = "ETag: " + tag + "\r\n" + caching(path, post);
    if (!post && asksFor(head, tag)) {
      send(out, "HTTP/1.1 304 Not Modified\r\n" + lines + "\r\n", new byte[0]);
      return true;
    }
    if (words[0].equals("HEAD")) {
      lines += "Content-Length: " + content.length;
      send(out, "HTTP/1.1 200 OK\r\n" + lines + "\r\n\r\n", new byte[0]);
      return true;
    }
    if (path.startsWith("/k") && !post) {
      send(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + lines + "\r\n", new byte[0]);
      for (int at = 0; at < content.length; at += 7_000) {
        byte[] chunk = Arrays.copyOfRange(content, at, Math.min(content.length, at + 7_000));
        send(out, Integer.toHexString(chunk.length) + "\r\n", chunk);
        send(out, "\r\n", new byte[0]);
      }
      send(out, "0\r\n\r\n", new byte[0]);
      return true;
    }
    lines += "Content-Length: " + content.length + "\r\n\r\n";
    boolean whole = post || !path.startsWith("/x") || dice % 3 != 0;
    send(out, "HTTP/1.1 200 OK\r\n" + lines, whole ? content : Arrays.copyOf(content, 100));
    return whole;
  }

  private static boolean asksFor(String head, String tag) {
    String tags = WireMessage.field(head, "if-none-match");
    return tags != null && List.of(tags.split(" *, *", -1)).contains(tag);
  }

  private static String caching(String path, boolean post) {
    if (post || path.startsWith("/n")) {
      return "Cache-Control: no-store\r\n";
    }
    boolean brief = path.startsWith("/s") || path.startsWith("/k") || path.startsWith("/e");
    String vary = path.startsWith("/v") ? "Vary: Accept-Language\r\n" : "";
    return vary + "Cache-Control: max-age=" + (brief ? 1 : 1000) + "\r\n";
  }

  private static void send(OutputStream out, String head, byte[] content) throws IOException {
    out.write(head.getBytes(ISO_8859_1));
    out.write(content);
    out.flush();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
