package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.proxyprotocol.ProxyHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * An origin server that answers with the bytes of its script, one thread per connection, and
 * records its requests verbatim. Thread-safe: any thread.
 */
final class ScriptedOrigin implements AutoCloseable {
  /** The response to one path. Runs on the connection's thread. */
  interface Script {
    void answer(Call call) throws Exception;
  }

  private static final Script NOT_FOUND =
      call -> call.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");

  private final ServerSocket listener;
  private final Thread acceptor = new Thread(this::acceptAll, "origin-accept");
  private final Map<String, Scripted> scripts = new ConcurrentHashMap<>();
  private final List<WireMessage> requests = new CopyOnWriteArrayList<>();
  private final LinkedBlockingQueue<String> arrivals = new LinkedBlockingQueue<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<Throwable> troubles = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final SSLSocketFactory tls;
  private final List<ProxyHeader> proxyHeaders = new CopyOnWriteArrayList<>();
  private volatile boolean wantsProxyHeader;
  private volatile Scripted otherwise;

  /** {@code tls} is null for clear text. */
  private ScriptedOrigin(ServerSocket listener, SSLSocketFactory tls, Script otherwise) {
    this.listener = listener;
    this.tls = tls;
    this.otherwise = new Scripted(otherwise);
  }

  /** A script and the number of requests it was given. Guarded by {@code requests}. */
  private static final class Scripted {
    private final Script script;
    private int requests;

    private Scripted(Script script) {
      this.script = script;
    }
  }

  static ScriptedOrigin start() throws IOException {
    return start(InetAddress.getLoopbackAddress(), 0);
  }

  static ScriptedOrigin start(InetAddress address, int port) throws IOException {
    return start(address, port, NOT_FOUND);
  }

  /** One that answers by {@code otherwise} from its first request on. */
  static ScriptedOrigin start(InetAddress address, int port, Script otherwise) throws IOException {
    return started(new ScriptedOrigin(new ServerSocket(port, 512, address), null, otherwise));
  }

  /** One that speaks TLS. */
  static ScriptedOrigin startSecure(SSLContext context) throws IOException {
    return startSecure(InetAddress.getLoopbackAddress(), 0, context, NOT_FOUND);
  }

  /** One that speaks TLS, at this place. */
  static ScriptedOrigin startSecure(
      InetAddress address, int port, SSLContext context, Script otherwise) throws IOException {
    ServerSocket listener = new ServerSocket(port, 512, address);
    return started(new ScriptedOrigin(listener, context.getSocketFactory(), otherwise));
  }

  private static ScriptedOrigin started(ScriptedOrigin origin) {
    origin.acceptor.setDaemon(true);
    origin.acceptor.start();
    return origin;
  }

  /** One request and the way back. Confined to its connection's thread. */
  static final class Call {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final String head;
    private final int connection;
    private final int number;
    private final Consumer<WireMessage> read;
    private WireMessage whole;

    private Call(
        Socket socket,
        InputStream in,
        String head,
        int connection,
        int number,
        Consumer<WireMessage> read)
        throws IOException {
      this.read = read;
      this.number = number;
      this.connection = connection;
      this.socket = socket;
      this.in = in;
      this.out = socket.getOutputStream();
      this.head = head;
    }

    String head() {
      return head;
    }

    /** The address of the other end. */
    InetSocketAddress peer() {
      return (InetSocketAddress) socket.getRemoteSocketAddress();
    }

    /** Number of the connection it came by, from 1. */
    int connection() {
      return connection;
    }

    /**
     * Number of this request among those of its script, from 1, in the order in which {@link
     * #awaitRequest} sees them.
     */
    int number() {
      return number;
    }

    String field(String name) {
      return WireMessage.field(head, name);
    }

    /** Reads the content, if that was not done yet. */
    WireMessage whole() throws IOException {
      if (whole == null) {
        whole = WireMessage.readRequestBody(head, in);
        read.accept(whole);
      }
      return whole;
    }

    void send(String bytes) throws IOException {
      send(bytes.getBytes(ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
    }

    /** Sends a 200 with these field lines and a Content-Length. */
    void ok(String body, String... fieldLines) throws IOException {
      send(response("200 OK", body, fieldLines));
    }

    InputStream in() {
      return in;
    }

    void close() throws IOException {
      socket.close();
    }

    /** The session of a connection with TLS. */
    ExtendedSSLSession session() {
      return (ExtendedSSLSession) ((SSLSocket) socket).getSession();
    }

    /** The protocol chosen by ALPN; empty: none. */
    String protocol() {
      return ((SSLSocket) socket).getApplicationProtocol();
    }

    /** Ends the origin's direction only. */
    void endOutput() throws IOException {
      socket.shutdownOutput();
    }

    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  /** A response with a Content-Length. */
  static String response(String status, String body, String... fieldLines) {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + "\r\n");
    for (String line : fieldLines) {
      head.append(line).append("\r\n");
    }
    return head.append("Content-Length: ")
        .append(body.length())
        .append("\r\n\r\n")
        .append(body)
        .toString();
  }

  /** Answers {@code path} (with its query) by {@code script}. */
  ScriptedOrigin on(String path, Script script) {
    scripts.put(path, new Scripted(script));
    return this;
  }

  /** Answers {@code path} with these bytes. */
  ScriptedOrigin on(String path, String bytes) {
    return on(
        path,
        call -> {
          call.whole();
          call.send(bytes);
        });
  }

  /** Answers {@code path} with a 200 of this body and these field lines. */
  ScriptedOrigin onOk(String path, String body, String... fieldLines) {
    return on(path, response("200 OK", body, fieldLines));
  }

  /** The response to paths without a script. */
  ScriptedOrigin otherwise(Script script) {
    otherwise = new Scripted(script);
    return this;
  }

  /** Expects a header of the PROXY protocol at the start of each connection from now on. */
  void expectProxyHeaders() {
    wantsProxyHeader = true;
  }

  /** The headers so far: one for each connection that sent one. */
  List<ProxyHeader> proxyHeaders() {
    return List.copyOf(proxyHeaders);
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket socket = listener.accept();
        sockets.add(socket);
        int number = connections.incrementAndGet();
        Thread thread = new Thread(() -> serve(socket, number), "origin-connection");
        thread.setDaemon(true);
        thread.start();
      }
    } catch (IOException closed) {
      arrivals.clear();
    }
  }

  private void serve(Socket plain, int connection) {
    try {
      if (wantsProxyHeader) {
        proxyHeaders.add(readProxyHeader(plain.getInputStream()));
      }
      serveBare(plain, connection);
    } catch (IOException gone) {
      // a proxy may close at any time; tests check the bytes that arrived
      arrivals.offer("closed " + gone.getMessage());
    } catch (Throwable trouble) {
      troubles.add(trouble);
    }
  }

  /** Reads not one byte more, so that TLS may follow. */
  private static ProxyHeader readProxyHeader(InputStream in) throws IOException {
    ByteBuf bytes = Unpooled.buffer();
    while (true) {
      ProxyHeader header = ProxyHeader.read(bytes);
      if (header.state() != ProxyHeader.State.INCOMPLETE) {
        assertThat(header.state()).isEqualTo(ProxyHeader.State.COMPLETE);
        return header;
      }
      int next = in.read();
      if (next < 0) {
        throw new EOFException("within the header of the PROXY protocol");
      }
      bytes.writeByte(next);
    }
  }

  private void serveBare(Socket plain, int connection) throws Exception {
    try (Socket socket = tls == null ? plain : secured(plain)) {
      plain.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (!socket.isClosed()) {
        String head = WireMessage.readHead(in);
        if (head == null) {
          return;
        }
        Scripted scripted = scripts.getOrDefault(path(head), otherwise);
        Call call = arrived(socket, in, head, connection, scripted);
        scripted.script.answer(call);
        if (!socket.isClosed()) {
          call.whole();
        }
      }
    }
  }

  private Socket secured(Socket plain) throws IOException {
    SSLSocket socket = (SSLSocket) tls.createSocket(plain, null, plain.getPort(), true);
    socket.setUseClientMode(false);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"http/1.1"});
    parameters.setWantClientAuth(true);
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** Notes the request; a test that has waited for it may replace its script. */
  private Call arrived(
      Socket socket, InputStream in, String head, int connection, Scripted scripted)
      throws IOException {
    synchronized (requests) {
      int place = requests.size();
      requests.add(new WireMessage(head, new byte[0], List.of(), head.length()));
      arrivals.add(path(head));
      int number = ++scripted.requests;
      return new Call(socket, in, head, connection, number, whole -> requests.set(place, whole));
    }
  }

  private static String path(String head) {
    String[] parts = head.substring(0, head.indexOf("\r\n")).split(" ", -1);
    return parts.length > 1 ? parts[1] : "";
  }

  /** Waits until a request for {@code path} has arrived that was not waited for before. */
  void awaitRequest(String path) throws InterruptedException {
    for (String arrived = ""; !path.equals(arrived); ) {
      arrived = arrivals.poll(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
      if (arrived == null) {
        throw new AssertionError("no request for " + path + " arrived at the origin");
      }
    }
  }

  int port() {
    return listener.getLocalPort();
  }

  String authority() {
    return "127.0.0.1:" + port();
  }

  String url(String path) {
    return (tls == null ? "http://" : "https://") + authority() + path;
  }

  /** The same under another name. */
  String url(String host, String path) {
    return (tls == null ? "http://" : "https://") + host + ":" + port() + path;
  }

  /** Ends all connections below TLS: without close_notify. */
  void cut() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** All requests so far; the content of one still running is not there yet. */
  List<WireMessage> requests() {
    return List.copyOf(requests);
  }

  WireMessage lastRequest() {
    return requests.get(requests.size() - 1);
  }

  /** How often {@code path} was asked for. */
  long fetches(String path) {
    return requests.stream().filter(request -> path(request.head()).equals(path)).count();
  }

  int connections() {
    return connections.get();
  }

  /** Refuses connections from now on and closes those that are there. */
  void stop() throws IOException {
    listener.close();
    try {
      // a thread inside accept keeps the port open until it is out
      acceptor.join();
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while stopping the origin");
    }
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  @Override
  public void close() throws IOException {
    stop();
    if (!troubles.isEmpty()) {
      throw new AssertionError("the origin's script failed", troubles.get(0));
    }
  }
}
