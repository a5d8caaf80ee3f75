package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * An origin that speaks HTTP/2 over TLS by the frames of its script, one thread per connection. A
 * client that offers HTTP/1.1 only gets the start line of its request as content. Thread-safe: any
 * thread.
 */
final class Http2Origin implements AutoCloseable {
  /** The response to one request, whose head has arrived. Runs on the connection's thread. */
  interface Script {
    void answer(Call call) throws Exception;
  }

  private final ServerSocket listener;
  private final SSLContext tls;
  private final int[] settings;
  private final Script script;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<Throwable> troubles = new CopyOnWriteArrayList<>();
  private final LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile CountDownLatch handshakes = new CountDownLatch(0);
  private volatile boolean http1;

  private Http2Origin(SSLContext tls, int[] settings, Script script) throws IOException {
    this.tls = tls;
    this.settings = settings;
    this.script = script;
    this.listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    Thread acceptor = new Thread(this::acceptAll, "h2-origin-accept");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  /** Starts one with these SETTINGS, as pairs of id and value. */
  static Http2Origin start(SSLContext tls, Script script, int... settings) throws IOException {
    return new Http2Origin(tls, settings, script);
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket socket = listener.accept();
        sockets.add(socket);
        CountDownLatch handshake = handshakes;
        int number = connections.incrementAndGet();
        Thread thread = new Thread(() -> serve(socket, number, handshake), "h2-origin-connection");
        thread.setDaemon(true);
        thread.start();
      }
    } catch (IOException closed) {
      seen.clear();
    }
  }

  private void serve(Socket plain, int number, CountDownLatch handshake) {
    try (SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true)) {
      plain.setTcpNoDelay(true);
      socket.setUseClientMode(false);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(
          http1 ? new String[] {"http/1.1"} : new String[] {"h2", "http/1.1"});
      socket.setSSLParameters(parameters);
      handshake.await();
      socket.startHandshake();
      if (!socket.getApplicationProtocol().equals("h2")) {
        serveHttp1(socket, number);
        return;
      }
      Connection connection = new Connection(socket, number);
      connection.begin();
      while (connection.read()) {
        // scripts run within
      }
    } catch (EOFException | SocketException gone) {
      seen.add("closed");
    } catch (IOException gone) {
      seen.add("closed " + gone.getMessage());
    } catch (Throwable trouble) {
      troubles.add(trouble);
    }
  }

  /** Answers one request after another with its own start line. */
  private void serveHttp1(SSLSocket socket, int number) throws IOException {
    InputStream in = new BufferedInputStream(socket.getInputStream());
    for (String head = WireMessage.readHead(in); head != null; head = WireMessage.readHead(in)) {
      String line = head.substring(0, head.indexOf("\r\n"));
      requests.add(number + " " + line);
      String answer = ScriptedOrigin.response("200 OK", line);
      if (line.startsWith("CONNECT ")) {
        answer = "HTTP/1.1 200 OK\r\n\r\n" + line;
      } else if (WireMessage.field(head, "Upgrade") != null) {
        answer =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
                + line;
      }
      socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
    }
  }

  /** One connection. Reads are confined to its thread; any thread may write. */
  final class Connection {
    private final SSLSocket socket;
    private final int number;
    private final DataInputStream in;
    private final OutputStream out;
    private final HpackDecoder decoder = new HpackDecoder(4_096, new HpackDecoder.Room());
    private final Map<Integer, Call> calls = new ConcurrentHashMap<>();

    private Connection(SSLSocket socket, int number) throws IOException {
      this.socket = socket;
      this.number = number;
      this.in = new DataInputStream(socket.getInputStream());
      this.out = socket.getOutputStream();
    }

    private void begin() throws IOException {
      in.readFully(new byte[Frames.PREFACE.length()]);
      ByteBuf payload = Unpooled.buffer();
      for (int i = 0; i < settings.length; i += 2) {
        Frames.setting(payload, settings[i], settings[i + 1]);
      }
      frame(Frames.SETTINGS, 0, 0, Http2Client.bytes(payload));
    }

    int number() {
      return number;
    }

    void frame(int type, int flags, int stream, byte[] payload) throws IOException {
      ByteBuf frame = Unpooled.buffer();
      Frames.header(frame, payload.length, type, flags, stream);
      frame.writeBytes(payload);
      raw(Http2Client.bytes(frame));
    }

    synchronized void raw(byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
    }

    void goAway(int last, ErrorCode why) throws IOException {
      ByteBuf frame = Unpooled.buffer();
      Frames.goAway(frame, last, why);
      raw(Http2Client.bytes(frame));
    }

    void openWindow(int stream, int bytes) throws IOException {
      ByteBuf frame = Unpooled.buffer();
      Frames.windowUpdate(frame, stream, bytes);
      raw(Http2Client.bytes(frame));
    }

    void close() throws IOException {
      socket.close();
    }

    /** Reads one frame; false: there is none. */
    private boolean read() throws Exception {
      byte[] header = new byte[Frames.HEADER_BYTES];
      in.readFully(header);
      ByteBuf fields = Unpooled.wrappedBuffer(header);
      byte[] payload = new byte[fields.readUnsignedMedium()];
      int type = fields.readUnsignedByte();
      int flags = fields.readUnsignedByte();
      int stream = fields.readInt();
      in.readFully(payload);
      boolean last = (flags & Frames.END_STREAM) != 0;
      switch (type) {
        case Frames.HEADERS -> headers(stream, payload, last);
        case Frames.DATA -> {
          Call call = calls.get(stream);
          call.content.write(payload);
          call.ended = last;
          if (payload.length > 0 && call.opensWindows) {
            openWindow(0, payload.length);
            openWindow(stream, payload.length);
          }
        }
        case Frames.RST_STREAM ->
            seen.add(
                "RST_STREAM "
                    + stream
                    + " "
                    + ErrorCode.of(Unpooled.wrappedBuffer(payload).readInt()));
        case Frames.SETTINGS -> {
          if (flags == 0) {
            frame(Frames.SETTINGS, Frames.ACK, 0, new byte[0]);
          }
        }
        case Frames.PING -> {
          if (flags == 0) {
            frame(Frames.PING, Frames.ACK, 0, payload);
          } else {
            seen.add("PING ack");
          }
        }
        case Frames.GOAWAY ->
            seen.add("GOAWAY " + ErrorCode.of(Unpooled.wrappedBuffer(payload).getInt(4)));
        default -> {
          // WINDOW_UPDATE
        }
      }
      return !socket.isClosed();
    }

    private void headers(int stream, byte[] block, boolean last) throws Exception {
      List<String> lines = new ArrayList<>();
      decoder.decode(
          block,
          0,
          block.length,
          (name, nameStart, nameLength, value, valueStart, valueLength) ->
              lines.add(
                  new String(name, nameStart, nameLength, ISO_8859_1)
                      + ": "
                      + new String(value, valueStart, valueLength, ISO_8859_1)));
      Call known = calls.get(stream);
      if (known != null) {
        known.trailers.addAll(lines);
        known.ended = last;
        return;
      }
      Call call = new Call(this, stream, lines);
      call.ended = last;
      calls.put(stream, call);
      requests.add(number + " " + call.field(":method") + " " + call.path());
      seen.add("request " + call.path());
      script.answer(call);
    }
  }

  /** One request. Confined to its connection's thread, except for the writing. */
  static final class Call {
    private final Connection connection;
    private final int stream;
    private final List<String> fields;
    private final List<String> trailers = new ArrayList<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private boolean opensWindows = true;
    private boolean ended;

    private Call(Connection connection, int stream, List<String> fields) {
      this.connection = connection;
      this.stream = stream;
      this.fields = fields;
    }

    Connection connection() {
      return connection;
    }

    int stream() {
      return stream;
    }

    List<String> fields() {
      return fields;
    }

    List<String> trailers() {
      return trailers;
    }

    /** Gives no WINDOW_UPDATE by itself. */
    void keepsWindowsShut() {
      opensWindows = false;
    }

    String path() {
      return field(":path");
    }

    /** The value of a field; null: there is none. */
    String field(String name) {
      return fields.stream()
          .filter(line -> line.startsWith(name + ": "))
          .map(line -> line.substring(name.length() + 2))
          .findFirst()
          .orElse(null);
    }

    /** Reads the content of the request to its end. */
    String content() throws Exception {
      while (!ended) {
        connection.read();
      }
      return content.toString(ISO_8859_1);
    }

    void head(boolean last, String... namesAndValues) throws IOException {
      connection.frame(
          Frames.HEADERS,
          Frames.END_HEADERS | (last ? Frames.END_STREAM : 0),
          stream,
          Http2Client.block(namesAndValues));
    }

    void data(boolean last, String text) throws IOException {
      connection.frame(
          Frames.DATA, last ? Frames.END_STREAM : 0, stream, text.getBytes(ISO_8859_1));
    }

    /** A 200 with this content and these further fields. */
    void ok(String text, String... more) throws IOException {
      List<String> all = new ArrayList<>(List.of(":status", "200"));
      all.addAll(List.of(more));
      head(false, all.toArray(String[]::new));
      data(true, text);
    }

    void reset(ErrorCode why) throws IOException {
      ByteBuf frame = Unpooled.buffer();
      Frames.reset(frame, stream, why);
      connection.raw(Http2Client.bytes(frame));
    }
  }

  /** Chooses HTTP/1.1 from now on. */
  Http2Origin choosesHttp1() {
    http1 = true;
    return this;
  }

  /** The handshakes of connections accepted from now on wait for the latch that is returned. */
  CountDownLatch holdHandshakes() {
    handshakes = new CountDownLatch(1);
    return handshakes;
  }

  /** Waits for this event, which may be seen only once. */
  void await(String event) throws InterruptedException {
    for (String next = ""; !event.equals(next); ) {
      next = seen.poll(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
      if (next == null) {
        throw new AssertionError("the origin has not seen: " + event);
      }
    }
  }

  /** Number of the connection, method and path of each request, in their order. */
  List<String> requests() {
    return requests;
  }

  int connections() {
    return connections.get();
  }

  int port() {
    return listener.getLocalPort();
  }

  String authority() {
    return "127.0.0.1:" + port();
  }

  String url(String path) {
    return "https://" + authority() + path;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
    for (Throwable trouble : troubles) {
      throw new AssertionError("in a script", trouble);
    }
  }
}
