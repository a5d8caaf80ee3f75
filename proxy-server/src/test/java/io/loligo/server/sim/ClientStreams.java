package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.http2.ErrorCode;
import io.loligo.server.sim.MessageReader.Message;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The HTTP/2 of a client: each of its requests, which it writes as one of HTTP/1, is a stream; it
 * gets the responses in the order of its requests, in the form of HTTP/1. Confined to the world's
 * thread.
 */
final class ClientStreams extends Http2End implements FarEnd, MessageReader.Listener {
  private final SimPeer client;
  private final Deque<Stream> asked = new ArrayDeque<>();
  private final MessageReader requests = new MessageReader(false, this);
  private SimSocket socket;
  private int nextStream = 1;
  private boolean leaving;
  private boolean delivering;

  /** One request, and the part of its response that the client has not got. */
  private static final class Stream {
    private final int id;
    private final boolean toHead;
    private final ByteArrayOutputStream arrived = new ByteArrayOutputStream();
    private boolean chunked;
    private boolean ended;
    private boolean cut;

    Stream(int id, boolean toHead) {
      this.id = id;
      this.toHead = toHead;
    }

    void text(String text) {
      arrived.writeBytes(text.getBytes(ISO_8859_1));
    }
  }

  ClientStreams(World world, SimPeer client) {
    super(world);
    this.client = client;
  }

  /** It is connected by {@code connected}. */
  void begin(SimSocket connected) {
    socket = connected;
    begin(/* client= */ true, 0);
  }

  @Override
  SimSocket socket() {
    return socket;
  }

  // ---- of the client

  @Override
  public void peerSends(byte[] bytes) {
    requests.read(bytes);
  }

  @Override
  public void peerFins() {
    socket.peerFins();
  }

  @Override
  public void peerCloses() {
    over = true;
    socket.peerCloses();
  }

  @Override
  public void peerResets() {
    over = true;
    socket.peerResets();
  }

  @Override
  public boolean hasNoContent(Message head) {
    return false;
  }

  @Override
  public void head(Message head) {
    // the stream begins when the request is complete
  }

  @Override
  public void complete(Message request) {
    if (over) {
      return;
    }
    String[] line = request.startLine.split(" ", -1);
    String host = request.field("host");
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put(":method", line[0]);
    fields.put(":scheme", "http");
    fields.put(":authority", host);
    fields.put(":path", line[1].substring(("http://" + host).length()));
    for (Map.Entry<String, String> field : request.fields.entrySet()) {
      if (!field.getKey().equals("host") && !field.getKey().equals("transfer-encoding")) {
        fields.put(field.getKey(), field.getValue());
      }
    }
    int id = nextStream;
    nextStream += 2;
    asked.add(new Stream(id, line[0].equals("HEAD")));
    byte[] content = request.content.toByteArray();
    boolean none = content.length == 0; // else it would be a request with content
    headers(id, none, fields);
    if (!none) {
      opened(id);
      content(id, content, true);
    }
  }

  // ---- of the proxy

  private Stream find(int id) {
    return asked.stream().filter(each -> each.id == id).findFirst().orElse(null);
  }

  @Override
  void head(int id, List<String[]> fields, boolean last) {
    Stream stream = find(id);
    String status = fields.get(0)[1];
    if (stream == null || status.startsWith("1")) {
      return;
    }
    boolean noContent = stream.toHead || status.equals("304") || status.equals("204");
    boolean announced = fields.stream().anyMatch(each -> each[0].equals("content-length"));
    stream.text("HTTP/1.1 " + status + " Fine\r\n");
    for (String[] field : fields.subList(1, fields.size())) {
      if (field[0].equals("connection") || field[0].equals("transfer-encoding")) {
        throw new AssertionError("a field of a connection: " + field[0]);
      }
      stream.text(field[0] + ": " + field[1] + "\r\n");
    }
    if (!noContent && !announced) {
      stream.chunked = !last;
      stream.text(last ? "Content-Length: 0\r\n" : "Transfer-Encoding: chunked\r\n");
    }
    stream.text((leaving ? "Connection: close\r\n" : "") + "\r\n");
    stream.ended = last;
    deliver();
  }

  @Override
  void data(int id, byte[] bytes, boolean last) {
    Stream stream = find(id);
    if (stream == null) {
      return;
    }
    if (stream.chunked && bytes.length > 0) {
      stream.text(Integer.toHexString(bytes.length) + "\r\n");
    }
    stream.arrived.writeBytes(bytes);
    if (stream.chunked) {
      stream.text((bytes.length > 0 ? "\r\n" : "") + (last ? "0\r\n\r\n" : ""));
    }
    stream.ended = last;
    deliver();
  }

  @Override
  void reset(int id, ErrorCode why) {
    Stream stream = find(id);
    if (stream != null && !stream.ended) {
      world.note("stream %d of %s is reset, %s", id, socket, why);
      stream.cut = true;
      deliver();
    }
  }

  @Override
  void goneAway(int lastStream) {
    leaving = true;
    for (Stream stream : new ArrayList<>(asked)) {
      stream.cut |= stream.id > lastStream;
    }
    deliver();
  }

  /** Gives the client the responses in their order. */
  private void deliver() {
    if (delivering) {
      return;
    }
    delivering = true;
    try {
      while (!over && !asked.isEmpty()) {
        Stream first = asked.peek();
        byte[] bytes = first.arrived.toByteArray();
        first.arrived.reset();
        if (first.ended) {
          asked.poll();
        }
        if (bytes.length > 0) {
          client.received(bytes);
        }
        if (first.cut && !over) {
          over = true;
          client.fin();
        }
        if (!first.ended) {
          return;
        }
      }
      if (leaving && !over) {
        over = true;
        client.fin(); // nothing is pending
      }
    } finally {
      delivering = false;
      if (over) {
        socket.peerCloses();
      }
    }
  }

  @Override
  public void fin() {
    if (!over) {
      over = true;
      client.fin();
      socket.peerCloses();
    }
  }

  @Override
  public void reset() {
    if (!over) {
      over = true;
      client.reset();
    }
  }

  @Override
  public long readDelayMicros() {
    return client.readDelayMicros();
  }
}
