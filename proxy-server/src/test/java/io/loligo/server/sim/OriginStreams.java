package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.http2.ErrorCode;
import io.loligo.server.sim.MessageReader.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The HTTP/2 of an origin: each stream is a connection of its own for the origin, which reads and
 * writes HTTP/1. Confined to the world's thread.
 */
final class OriginStreams extends Http2End {
  private final SimSocket socket;
  private final Function<FarEnd, SimPeer> origin;
  private final int maxStreams;
  private final Map<Integer, Stream> streams = new LinkedHashMap<>();
  private int lastStream;
  private boolean leaving;

  /**
   * The far end of {@code socket}.
   *
   * @param origin takes a connection
   */
  OriginStreams(World world, SimSocket socket, Function<FarEnd, SimPeer> origin) {
    super(world);
    this.socket = socket;
    this.origin = origin;
    this.maxStreams = world.one(List.of(1, 3, 100));
  }

  /** The connection is there. */
  void begin() {
    begin(/* client= */ false, maxStreams);
  }

  @Override
  SimSocket socket() {
    return socket;
  }

  @Override
  public long readDelayMicros() {
    return 0;
  }

  /** One request and its response. */
  private final class Stream implements FarEnd, MessageReader.Listener {
    private final int id;
    private final boolean toHead;
    private final MessageReader responses = new MessageReader(true, this);
    private SimPeer connection;
    private boolean chunked;
    private int sentBytes;
    private boolean headSent;
    private boolean answered;

    Stream(int id, boolean toHead) {
      this.id = id;
      this.toHead = toHead;
    }

    private boolean isOpen() {
      return !over && streams.containsKey(id);
    }

    @Override
    public void peerSends(byte[] bytes) {
      if (!isOpen() || answered) {
        return; // surplus bytes have no place in a stream
      }
      try {
        responses.read(bytes);
      } catch (NumberFormatException garbage) {
        headers(id, false, Map.of(":status", "2x0"));
        answered = true;
        return;
      }
      more(false);
    }

    /** Sends the content that has arrived since. */
    private void more(boolean last) {
      Message partial = responses.partial();
      if (headSent && !answered && partial != null) {
        send(partial, last);
      }
    }

    private void send(Message message, boolean last) {
      byte[] all = message.content.toByteArray();
      byte[] piece = Arrays.copyOfRange(all, sentBytes, all.length);
      sentBytes = all.length;
      answered = last;
      if (piece.length > 0 || last) {
        content(id, piece, last);
      }
    }

    @Override
    public boolean hasNoContent(Message head) {
      return toHead || head.status() == 304;
    }

    @Override
    public void head(Message head) {
      Map<String, String> fields = new LinkedHashMap<>();
      fields.put(":status", head.startLine.substring(9, 12));
      head.fields.forEach(
          (name, value) -> {
            if (!name.equals("connection") && !name.equals("transfer-encoding")) {
              fields.put(name, value);
            }
          });
      if (world.chance(5)) {
        Map<String, String> hints = new LinkedHashMap<>();
        hints.put(":status", "103");
        hints.put("link", "</x>");
        headers(id, false, hints);
      }
      boolean none = hasNoContent(head) && world.chance(50);
      headers(id, none, fields);
      headSent = true;
      if (none) {
        answered = true;
        sentAll(id);
      } else {
        opened(id);
      }
    }

    @Override
    public void complete(Message message) {
      if (!answered) {
        send(message, true);
      }
    }

    @Override
    public void peerFins() {
      throw new AssertionError("an origin does not shut its output only");
    }

    @Override
    public void peerCloses() {
      if (isOpen() && !answered) {
        if (headSent && responses.closed()) {
          return; // the end of the content
        }
        cut();
      } else if (!leaving && world.chance(30)) {
        leave();
      }
    }

    @Override
    public void peerResets() {
      if (isOpen() && !answered) {
        cut();
      }
    }

    private void cut() {
      streams.remove(id);
      if (world.chance(20)) {
        breakDown();
      } else {
        resetStream(id, world.chance(50) ? ErrorCode.INTERNAL_ERROR : ErrorCode.CANCEL);
        closeIfLeft();
      }
    }
  }

  /** Takes no further stream. */
  private void leave() {
    if (!over) {
      leaving = true;
      goAway(lastStream);
      closeIfLeft();
    }
  }

  private void closeIfLeft() {
    if (leaving && !over && streams.isEmpty()) {
      over = true;
      socket.peerCloses();
    }
  }

  /** The connection is reset, with all of its streams. */
  private void breakDown() {
    socket.peerResets();
    reset();
  }

  private List<Stream> end() {
    over = true;
    List<Stream> all = new ArrayList<>(streams.values());
    streams.clear();
    return all;
  }

  @Override
  void sentAll(int id) {
    streams.remove(id);
    closeIfLeft();
  }

  @Override
  void head(int id, List<String[]> fields, boolean last) {
    if (streams.containsKey(id)) {
      throw new AssertionError("trailers, which no client sent");
    }
    if (leaving) {
      return; // the proxy hears of it
    }
    lastStream = id;
    if (streams.size() >= maxStreams) {
      resetStream(id, ErrorCode.REFUSED_STREAM);
      return;
    }
    Map<String, String> pseudo = new LinkedHashMap<>();
    StringBuilder lines = new StringBuilder();
    boolean announced = false;
    for (String[] field : fields) {
      if (field[0].startsWith(":")) {
        pseudo.put(field[0], field[1]);
      } else {
        lines.append(field[0]).append(": ").append(field[1]).append("\r\n");
        announced |= field[0].equals("content-length");
      }
    }
    Stream stream = new Stream(id, pseudo.get(":method").equals("HEAD"));
    stream.chunked = !last && !announced;
    streams.put(id, stream);
    stream.connection = origin.apply(stream);
    String head = pseudo.get(":method") + " " + pseudo.get(":path") + " HTTP/1.1\r\n";
    head += "Host: " + pseudo.get(":authority") + "\r\n" + lines;
    head += stream.chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n";
    stream.connection.received(head.getBytes(ISO_8859_1));
  }

  @Override
  void data(int id, byte[] bytes, boolean last) {
    Stream stream = streams.get(id);
    if (stream == null) {
      return;
    }
    String start =
        stream.chunked && bytes.length > 0 ? Integer.toHexString(bytes.length) + "\r\n" : "";
    String end = stream.chunked ? (bytes.length > 0 ? "\r\n" : "") : "";
    end += stream.chunked && last ? "0\r\n\r\n" : "";
    stream.connection.received(start.getBytes(ISO_8859_1));
    stream.connection.received(bytes);
    stream.connection.received(end.getBytes(ISO_8859_1));
  }

  @Override
  void reset(int id, ErrorCode why) {
    Stream stream = streams.remove(id);
    if (stream != null) {
      world.note("stream %d of %s is reset, %s", id, socket, why);
      stream.connection.reset();
      closeIfLeft();
    }
  }

  @Override
  void goneAway(int last) {
    leaving = true;
    closeIfLeft();
  }

  @Override
  public void fin() {
    if (!over) {
      end().forEach(stream -> stream.connection.fin());
      socket.peerCloses();
    }
  }

  @Override
  public void reset() {
    if (!over) {
      end().forEach(stream -> stream.connection.reset());
    }
  }
}
