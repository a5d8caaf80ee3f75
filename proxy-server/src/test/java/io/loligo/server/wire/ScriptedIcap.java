package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * An ICAP server that answers with the bytes of its script, one thread for each connection, and
 * notes its requests verbatim. Shares no code with the client. Thread-safe: any thread.
 */
final class ScriptedIcap implements AutoCloseable {
  /** The answer to a request. Runs on the connection's thread. */
  interface Script {
    void answer(Call call) throws Exception;
  }

  /** What comes where the content is not changed. */
  static final String NO_CONTENT = "ICAP/1.0 204 No Content\r\nISTag: \"1\"\r\n\r\n";

  private final ServerSocket listener;
  private final Thread acceptor = new Thread(this::acceptAll, "icap-accept");
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final List<Throwable> troubles = new CopyOnWriteArrayList<>();
  private final List<String> optionsHeads = new CopyOnWriteArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();
  private volatile Script script =
      call -> {
        call.readChunks();
        call.send(NO_CONTENT);
      };
  private volatile String options = "Allow: 204\r\nOptions-TTL: 3600\r\n";

  private ScriptedIcap(ServerSocket listener) {
    this.listener = listener;
  }

  static ScriptedIcap start() throws IOException {
    return start(0);
  }

  static ScriptedIcap start(int port) throws IOException {
    ScriptedIcap server =
        new ScriptedIcap(new ServerSocket(port, 512, InetAddress.getLoopbackAddress()));
    server.acceptor.setDaemon(true);
    server.acceptor.start();
    return server;
  }

  /** A server that speaks TLS. */
  static ScriptedIcap start(SSLContext tls) throws IOException {
    return start(tls, false);
  }

  /** A server that speaks TLS and refuses a client without a certificate. */
  static ScriptedIcap startWithClientAuth(SSLContext tls) throws IOException {
    return start(tls, true);
  }

  private static ScriptedIcap start(SSLContext tls, boolean clientAuth) throws IOException {
    SSLServerSocket listener =
        (SSLServerSocket)
            tls.getServerSocketFactory()
                .createServerSocket(0, 512, InetAddress.getLoopbackAddress());
    // before the first accept(): a waiting one has a copy of the settings
    listener.setNeedClientAuth(clientAuth);
    ScriptedIcap server = new ScriptedIcap(listener);
    server.acceptor.setDaemon(true);
    server.acceptor.start();
    return server;
  }

  /** One request. Confined to its connection's thread; its texts may be read by any. */
  static final class Call {
    private final Socket socket;
    private final InputStream in;
    private final String head;
    private final int connection;
    private final String heads;
    private final AtomicReference<String> body = new AtomicReference<>("");
    private final boolean hasBody;
    private volatile boolean ieof;

    private Call(Socket socket, InputStream in, String head, int connection) throws IOException {
      this.socket = socket;
      this.in = in;
      this.head = head;
      this.connection = connection;
      String places = WireMessage.field(head, "encapsulated");
      hasBody = places != null && places.contains("-body=") && !places.contains("null-body=");
      int bytes = places == null ? 0 : Integer.parseInt(places.replaceAll(".*=", ""));
      heads = new String(in.readNBytes(bytes), ISO_8859_1);
    }

    String head() {
      return head;
    }

    /** The heads inside. */
    String heads() {
      return heads;
    }

    /** The content read so far. */
    String body() {
      return body.get();
    }

    boolean ieof() {
      return ieof;
    }

    /** The number of its connection, from 1. */
    int connection() {
      return connection;
    }

    /** Reads chunks up to the last one: a preview, or the rest. */
    String readChunks() throws IOException {
      StringBuilder all = new StringBuilder();
      if (!hasBody) {
        return "";
      }
      for (String chunk = readChunk(); chunk != null; chunk = readChunk()) {
        all.append(chunk);
      }
      return all.toString();
    }

    /** Reads one chunk; null: the last one. */
    String readChunk() throws IOException {
      String line = readLine();
      ieof |= line.equals("0; ieof");
      int size = Integer.parseInt(line.replaceAll(";.*", ""), 16);
      String chunk = new String(in.readNBytes(size), ISO_8859_1);
      body.accumulateAndGet(chunk, String::concat);
      if (!readLine().isEmpty()) {
        throw new IOException("no line end after a chunk");
      }
      return size == 0 ? null : chunk;
    }

    private String readLine() throws IOException {
      StringBuilder line = new StringBuilder();
      while (true) {
        int next = in.read();
        if (next < 0) {
          throw new EOFException("within a chunk");
        }
        if (next == '\n') {
          return line.substring(0, line.length() - 1);
        }
        line.append((char) next);
      }
    }

    void send(String bytes) throws IOException {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
    }

    /** Sends {@code bytes} with a flush behind each. */
    void sendSlowly(String bytes) throws IOException {
      for (int i = 0; i < bytes.length(); i++) {
        send(bytes.substring(i, i + 1));
      }
    }

    void close() throws IOException {
      socket.close();
    }
  }

  /** An ICAP response with a head inside. {@code body} null: no content. */
  static String adapted(String part, String inside, String body) {
    StringBuilder text = new StringBuilder("ICAP/1.0 200 OK\r\nISTag: \"1\"\r\n");
    text.append("Encapsulated: ").append(part).append("-hdr=0, ");
    text.append(body == null ? "null" : part).append("-body=").append(inside.length());
    text.append("\r\n\r\n").append(inside);
    if (body != null) {
      if (!body.isEmpty()) {
        text.append(Integer.toHexString(body.length())).append("\r\n").append(body).append("\r\n");
      }
      text.append("0\r\n\r\n");
    }
    return text.toString();
  }

  /** A response inside. */
  static String response(String status, String body, String... lines) {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + "\r\n");
    for (String line : lines) {
      head.append(line).append("\r\n");
    }
    return adapted("res", head + "\r\n", body);
  }

  /** {@code whole}, which has content, as a 206 with {@code last} in place of the last chunk. */
  static String partly(String whole, String last) {
    return whole
            .substring(0, whole.length() - "0\r\n\r\n".length())
            .replace("ICAP/1.0 200 OK", "ICAP/1.0 206 Partial Content")
        + last;
  }

  /** Answers everything but OPTIONS from now on. */
  ScriptedIcap on(Script answer) {
    script = answer;
    return this;
  }

  ScriptedIcap on(String bytes) {
    return on(
        call -> {
          call.readChunks();
          call.send(bytes);
        });
  }

  /** Field lines of the answer to OPTIONS, each with CRLF; null: no answer. */
  ScriptedIcap options(String lines) {
    options = lines;
    return this;
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket socket = listener.accept();
        sockets.add(socket);
        int number = sockets.size();
        Thread thread = new Thread(() -> serve(socket, number), "icap-connection");
        thread.setDaemon(true);
        thread.start();
      }
    } catch (IOException closed) {
      // by the test
    }
  }

  private void serve(Socket socket, int number) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (!socket.isClosed()) {
        String head = WireMessage.readHead(in);
        if (head == null) {
          ended.incrementAndGet();
          return;
        }
        Call call = new Call(socket, in, head, number);
        if (head.startsWith("OPTIONS ")) {
          optionsHeads.add(head);
          String lines = options;
          if (lines == null) {
            return;
          }
          String method = head.contains("/req") ? "REQMOD" : "RESPMOD";
          call.send("ICAP/1.0 200 OK\r\nMethods: " + method + "\r\n" + lines + "\r\n");
        } else {
          calls.add(call);
          script.answer(call);
        }
      }
    } catch (IOException gone) {
      // the proxy may close at any time
    } catch (Throwable trouble) {
      troubles.add(trouble);
    }
  }

  int port() {
    return listener.getLocalPort();
  }

  /** {@code icap_service} line of a service at this server. */
  String service(String name, String point, String... more) {
    String path = point.startsWith("req") ? "/req" : "/resp";
    return "icap_service " + name + " " + point + " " + uri(path) + " " + String.join(" ", more);
  }

  String uri(String path) {
    String scheme = listener instanceof SSLServerSocket ? "icaps" : "icap";
    return scheme + "://127.0.0.1:" + port() + path;
  }

  /** The messages so far. */
  List<Call> calls() {
    return List.copyOf(calls);
  }

  Call lastCall() {
    return calls.get(calls.size() - 1);
  }

  int optionsAsked() {
    return optionsHeads.size();
  }

  /** The head of the last request for options. */
  String lastOptions() {
    return optionsHeads.get(optionsHeads.size() - 1);
  }

  /** Connections that the proxy has closed between two requests. */
  int endedConnections() {
    return ended.get();
  }

  int connections() {
    return sockets.size();
  }

  /** Closes all connections; new ones are accepted. */
  void cut() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
    if (!troubles.isEmpty()) {
      throw new AssertionError("the script failed", troubles.get(0));
    }
  }
}
