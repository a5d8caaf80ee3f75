package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A client that sends exactly the frames it is told to. One thread may use it. The socket's timeout
 * is a guard against a hanging test.
 */
final class Http2Client implements AutoCloseable {
  private static final int ALL = Frames.END_STREAM | Frames.END_HEADERS;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final HpackDecoder decoder = new HpackDecoder(4_096, new HpackDecoder.Room());
  private final Map<Integer, Response> responses = new TreeMap<>();
  private final List<Integer> order = new ArrayList<>();
  private final Map<Integer, Integer> sent = new TreeMap<>();
  private final Map<Integer, Integer> allowed = new TreeMap<>();
  private boolean opensWindows = true;
  private ErrorCode goAway;
  private int goAwayLast;
  private boolean answersPings = true;
  private byte[] unanswered;
  private int acknowledged;
  private final Map<Integer, Integer> settings = new TreeMap<>();

  /** A response as far as it has arrived. */
  static final class Response {
    private final List<String> fields = new ArrayList<>();
    private final List<String> interim = new ArrayList<>();
    private final List<String> trailers = new ArrayList<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private int dataFrames;
    private boolean ended;
    private ErrorCode reset;

    List<String> fields() {
      return fields;
    }

    List<String> trailers() {
      return trailers;
    }

    List<String> interim() {
      return interim;
    }

    int status() {
      return Integer.parseInt(fields.get(0).substring(":status: ".length()));
    }

    String text() {
      return content.toString(ISO_8859_1);
    }

    byte[] content() {
      return content.toByteArray();
    }

    int dataFrames() {
      return dataFrames;
    }

    boolean ended() {
      return ended;
    }

    ErrorCode reset() {
      return reset;
    }
  }

  private Http2Client(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /** The same over a connection of another kind, for example TLS. */
  static Http2Client over(Socket socket) throws IOException {
    Http2Client client = new Http2Client(socket);
    client.raw(Frames.PREFACE.getBytes(ISO_8859_1));
    client.frame(Frames.SETTINGS, 0, 0, new byte[0]);
    return client;
  }

  /** Connects, and sends the preface and SETTINGS of these pairs of id and value. */
  static Http2Client connect(int port, int... settings) throws IOException {
    Http2Client client = connectSilently(port);
    client.raw(Frames.PREFACE.getBytes(ISO_8859_1));
    ByteBuf payload = Unpooled.buffer();
    for (int i = 0; i < settings.length; i += 2) {
      Frames.setting(payload, settings[i], settings[i + 1]);
    }
    client.frame(Frames.SETTINGS, 0, 0, bytes(payload));
    return client;
  }

  /** Connects and sends nothing. */
  static Http2Client connectSilently(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    socket.setTcpNoDelay(true);
    return new Http2Client(socket);
  }

  /** Sends no WINDOW_UPDATE by itself from now on. */
  Http2Client keepingWindowsShut() {
    opensWindows = false;
    return this;
  }

  static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    return bytes;
  }

  void raw(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteBuf frame = Unpooled.buffer();
    Frames.header(frame, payload.length, type, flags, stream);
    frame.writeBytes(payload);
    raw(bytes(frame));
  }

  /** Field names and values by turns, as literals without indexing. */
  static byte[] block(String... namesAndValues) {
    ByteBuf block = Unpooled.buffer();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      block.writeByte(0);
      string(block, namesAndValues[i]);
      string(block, namesAndValues[i + 1]);
    }
    return bytes(block);
  }

  private static void string(ByteBuf block, String text) {
    byte[] latin1 = text.getBytes(ISO_8859_1);
    if (latin1.length < 0x7f) {
      block.writeByte(latin1.length);
    } else {
      block.writeByte(0x7f);
      int rest = latin1.length - 0x7f;
      for (; rest >= 0x80; rest >>>= 7) {
        block.writeByte(rest | 0x80);
      }
      block.writeByte(rest);
    }
    block.writeBytes(latin1);
  }

  /** A whole request without content. */
  void get(int stream, String authority, String path, String... more) throws IOException {
    frame(Frames.HEADERS, ALL, stream, block(request("GET", authority, path, more)));
  }

  /** A CONNECT; the bytes of the tunnel follow. */
  void connect(int stream, String authority) throws IOException {
    frame(
        Frames.HEADERS,
        Frames.END_HEADERS,
        stream,
        block(":method", "CONNECT", ":authority", authority));
  }

  /** The head of a request whose content follows. */
  void begin(int stream, String method, String authority, String path, String... more)
      throws IOException {
    frame(
        Frames.HEADERS, Frames.END_HEADERS, stream, block(request(method, authority, path, more)));
  }

  /** An extended CONNECT for WebSocket; its bytes follow. */
  void webSocket(int stream, String authority, String path, String... more) throws IOException {
    List<String> fields = new ArrayList<>(List.of(":protocol", "websocket"));
    fields.addAll(List.of(more));
    begin(stream, "CONNECT", authority, path, fields.toArray(new String[0]));
  }

  private static String[] request(String method, String authority, String path, String... more) {
    List<String> fields =
        new ArrayList<>(
            List.of(":method", method, ":scheme", "http", ":authority", authority, ":path", path));
    fields.addAll(List.of(more));
    return fields.toArray(new String[0]);
  }

  /** One frame of content, whatever the windows say. */
  void data(int stream, String content, boolean last) throws IOException {
    frame(Frames.DATA, last ? Frames.END_STREAM : 0, stream, content.getBytes(ISO_8859_1));
    sent.merge(0, content.length(), Integer::sum);
    sent.merge(stream, content.length(), Integer::sum);
  }

  /** Content in frames that wait for the windows of the stream and of the connection. */
  void upload(int stream, String content, boolean last) throws IOException {
    int at = 0;
    while (at < content.length()) {
      int most = Math.min(Frames.DEFAULT_MAX_FRAME_BYTES, Math.min(window(0), window(stream)));
      if (most <= 0) {
        assertThat(read()).as("the connection is open").isTrue();
      } else {
        int end = Math.min(content.length(), at + most);
        data(stream, content.substring(at, end), last && end == content.length());
        at = end;
      }
    }
  }

  private int window(int stream) {
    int first =
        stream == 0
            ? Frames.DEFAULT_WINDOW_BYTES
            : settings.getOrDefault(Frames.INITIAL_WINDOW_SIZE, Frames.DEFAULT_WINDOW_BYTES);
    return first + allowed.getOrDefault(stream, 0) - sent.getOrDefault(stream, 0);
  }

  void reset(int stream, ErrorCode why) throws IOException {
    ByteBuf frame = Unpooled.buffer();
    Frames.reset(frame, stream, why);
    raw(bytes(frame));
  }

  void openWindow(int stream, int bytes) throws IOException {
    ByteBuf frame = Unpooled.buffer();
    Frames.windowUpdate(frame, stream, bytes);
    raw(bytes(frame));
  }

  /** The response on {@code stream}, when it has ended or was reset. */
  Response response(int stream) throws IOException {
    Response response = of(stream);
    while (!response.ended && response.reset == null) {
      assertThat(read()).as("the connection is open").isTrue();
    }
    return response;
  }

  /** The same, as soon as its head is there. */
  Response headOf(int stream) throws IOException {
    Response response = of(stream);
    while (response.fields.isEmpty() && response.reset == null) {
      assertThat(read()).as("the connection is open").isTrue();
    }
    return response;
  }

  /** The same, as soon as {@code bytes} of its content are there. */
  Response contentOf(int stream, int bytes) throws IOException {
    Response response = of(stream);
    while (response.content.size() < bytes) {
      assertThat(read()).as("the connection is open").isTrue();
    }
    return response;
  }

  /**
   * Reads until {@code stream} has more than {@code bytes} of content; false: it ends with them.
   */
  boolean hasMoreThan(int stream, int bytes) throws IOException {
    Response response = of(stream);
    while (response.content.size() <= bytes && !response.ended && response.reset == null) {
      if (!read()) {
        return false;
      }
    }
    return response.content.size() > bytes;
  }

  private Response of(int stream) {
    return responses.computeIfAbsent(stream, number -> new Response());
  }

  /** The streams that have ended so far, in their order. */
  List<Integer> order() {
    return List.copyOf(order);
  }

  /** Reads up to the end of the connection; the code of GOAWAY, or null. */
  ErrorCode end() throws IOException {
    while (read()) {
      // until the end
    }
    return goAway;
  }

  /** Answers no PING by itself from now on. */
  Http2Client holdingPings() {
    answersPings = false;
    return this;
  }

  /** Answers the PING that it holds, after having waited for it. */
  void answerPing() throws IOException {
    while (unanswered == null) {
      assertThat(read()).as("the connection is open").isTrue();
    }
    frame(Frames.PING, Frames.ACK, 0, unanswered);
    unanswered = null;
  }

  /** Whether a GOAWAY is among the frames read so far. */
  boolean isToldToLeave() {
    return goAway != null;
  }

  /** Reads up to the next GOAWAY; its last stream. */
  int awaitGoAway() throws IOException {
    goAway = null;
    while (goAway == null) {
      assertThat(read()).as("the connection is open").isTrue();
    }
    return goAwayLast;
  }

  /** Sends PING, and reads up to its acknowledgement: the proxy has read all frames before. */
  void ping() throws IOException {
    int before = acknowledged;
    frame(Frames.PING, 0, 0, new byte[8]);
    while (acknowledged == before) {
      assertThat(read()).as("the connection is open").isTrue();
    }
  }

  /** The settings of the proxy as far as they have arrived. */
  Map<Integer, Integer> settings() {
    return settings;
  }

  /** Reads one frame; false: there is none. */
  private boolean read() throws IOException {
    byte[] header = new byte[Frames.HEADER_BYTES];
    try {
      in.readFully(header);
    } catch (EOFException | SocketException e) {
      return false;
    }
    ByteBuf fields = Unpooled.wrappedBuffer(header);
    byte[] payload = new byte[fields.readUnsignedMedium()];
    int type = fields.readUnsignedByte();
    int flags = fields.readUnsignedByte();
    int stream = fields.readInt();
    in.readFully(payload);
    switch (type) {
      case Frames.DATA -> {
        of(stream).content.write(payload);
        of(stream).dataFrames++;
        ended(stream, flags);
        if (opensWindows && payload.length > 0 && goAway == null) {
          openWindow(0, payload.length);
          if ((flags & Frames.END_STREAM) == 0) {
            openWindow(stream, payload.length);
          }
        }
      }
      case Frames.HEADERS -> {
        assertThat(flags & Frames.END_HEADERS).as("one frame").isNotZero();
        headers(of(stream), payload);
        ended(stream, flags);
      }
      case Frames.RST_STREAM -> {
        of(stream).reset = ErrorCode.of(Unpooled.wrappedBuffer(payload).readInt());
      }
      case Frames.SETTINGS -> {
        if ((flags & Frames.ACK) == 0) {
          ByteBuf pairs = Unpooled.wrappedBuffer(payload);
          while (pairs.isReadable()) {
            settings.put(pairs.readUnsignedShort(), pairs.readInt());
          }
          frame(Frames.SETTINGS, Frames.ACK, 0, new byte[0]);
        }
      }
      case Frames.PING -> {
        if ((flags & Frames.ACK) != 0) {
          acknowledged++;
        } else if (answersPings) {
          frame(Frames.PING, Frames.ACK, 0, payload);
        } else {
          unanswered = payload;
        }
      }
      case Frames.WINDOW_UPDATE ->
          allowed.merge(stream, Unpooled.wrappedBuffer(payload).readInt(), Integer::sum);
      case Frames.GOAWAY -> {
        ByteBuf goAwayPayload = Unpooled.wrappedBuffer(payload);
        goAwayLast = goAwayPayload.readInt();
        goAway = ErrorCode.of(goAwayPayload.readInt());
      }
      default -> {
        // nothing to note
      }
    }
    return true;
  }

  private void ended(int stream, int flags) {
    if ((flags & Frames.END_STREAM) != 0) {
      of(stream).ended = true;
      order.add(stream);
    }
  }

  private void headers(Response response, byte[] block) {
    List<String> lines = new ArrayList<>();
    boolean valid =
        decoder.decode(
            block,
            0,
            block.length,
            (name, nameStart, nameLength, value, valueStart, valueLength) ->
                lines.add(
                    new String(name, nameStart, nameLength, ISO_8859_1)
                        + ": "
                        + new String(value, valueStart, valueLength, ISO_8859_1)));
    assertThat(valid).as("a valid field block").isTrue();
    if (lines.stream().anyMatch(line -> line.startsWith(":status: 1"))) {
      response.interim.addAll(lines);
    } else if (response.fields.isEmpty()) {
      response.fields.addAll(lines);
    } else {
      response.trailers.addAll(lines);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
