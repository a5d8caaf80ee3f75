package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A peer's end of a connection of HTTP/2: frames, and windows, which it obeys and gives. Confined
 * to the world's thread.
 */
abstract class Http2End implements SimPeer {
  private static final List<Integer> WINDOWS = List.of(1_000, 20_000, 65_535, 300_000);

  final World world;
  private final HpackDecoder decoder = new HpackDecoder(4_096, new HpackDecoder.Room());
  private final Map<Integer, Sending> sending = new LinkedHashMap<>();
  private byte[] rest = {};
  private long window = Frames.DEFAULT_WINDOW_BYTES;
  private int streamWindow = Frames.DEFAULT_WINDOW_BYTES;
  private int prefaceBytes;
  private boolean acknowledged;

  /** Whether nothing is sent or read any more. */
  boolean over;

  /** Content of one stream that waits for windows. */
  private static final class Sending {
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private long window;
    private boolean last;
  }

  Http2End(World world) {
    this.world = world;
  }

  /** The connection, once there is one. */
  abstract SimSocket socket();

  /** The proxy has read the first frames. */
  final boolean isAcknowledged() {
    return acknowledged;
  }

  // ---- to the proxy

  /** Sends the first frames: those of a client, or of a server with a limit of streams. */
  final void begin(boolean client, int maxStreams) {
    ByteBuf out = Unpooled.buffer();
    if (client) {
      out.writeCharSequence(Frames.PREFACE, ISO_8859_1);
    } else {
      prefaceBytes = Frames.PREFACE.length();
    }
    Frames.header(out, client ? 6 : 12, Frames.SETTINGS, 0, 0);
    Frames.setting(out, Frames.INITIAL_WINDOW_SIZE, world.one(WINDOWS));
    if (!client) {
      Frames.setting(out, Frames.MAX_CONCURRENT_STREAMS, maxStreams);
    }
    send(out);
  }

  private void send(ByteBuf frames) {
    byte[] all = new byte[frames.readableBytes()];
    frames.readBytes(all);
    int cut = world.chance(70) ? all.length : world.draw(all.length);
    socket().peerSends(Arrays.copyOf(all, cut));
    if (cut < all.length) {
      socket().peerSends(Arrays.copyOfRange(all, cut, all.length));
    }
  }

  final void frame(int type, int flags, int stream, byte[] payload) {
    ByteBuf frame = Unpooled.buffer();
    Frames.header(frame, payload.length, type, flags, stream);
    send(frame.writeBytes(payload));
  }

  final void headers(int stream, boolean last, Map<String, String> fields) {
    ByteBuf block = Unpooled.buffer();
    fields.forEach(
        (name, value) -> {
          block.writeByte(0);
          string(block, name);
          string(block, value);
        });
    byte[] bytes = new byte[block.readableBytes()];
    block.readBytes(bytes);
    frame(Frames.HEADERS, Frames.END_HEADERS | (last ? Frames.END_STREAM : 0), stream, bytes);
  }

  private static void string(ByteBuf block, String text) {
    if (text.length() < 0x7f) {
      block.writeByte(text.length());
    } else {
      block.writeByte(0x7f);
      int rest = text.length() - 0x7f;
      for (; rest >= 0x80; rest >>>= 7) {
        block.writeByte(rest | 0x80);
      }
      block.writeByte(rest);
    }
    block.writeCharSequence(text, ISO_8859_1);
  }

  /** A stream whose {@link #content} follows. */
  final void opened(int stream) {
    Sending one = new Sending();
    one.window = streamWindow;
    sending.put(stream, one);
  }

  /** Sends content as the windows allow. */
  final void content(int stream, byte[] bytes, boolean last) {
    Sending one = sending.get(stream);
    if (one != null) {
      one.waiting.writeBytes(bytes);
      one.last |= last;
      pump();
    }
  }

  private void pump() {
    for (Map.Entry<Integer, Sending> each : List.copyOf(sending.entrySet())) {
      Sending one = each.getValue();
      byte[] all = one.waiting.toByteArray();
      int at = 0;
      boolean ended = false;
      while (!ended && (at < all.length || one.last)) {
        int most = (int) Math.min(Math.min(window, one.window), Frames.DEFAULT_MAX_FRAME_BYTES);
        if (at < all.length && most <= 0) {
          break;
        }
        int length = Math.min(all.length - at, Math.max(0, most));
        length = length > 1 && world.chance(30) ? 1 + world.draw(length) : length;
        ended = one.last && at + length == all.length;
        byte[] piece = Arrays.copyOfRange(all, at, at + length);
        frame(Frames.DATA, ended ? Frames.END_STREAM : 0, each.getKey(), piece);
        window -= length;
        one.window -= length;
        at += length;
      }
      one.waiting.reset();
      one.waiting.write(all, at, all.length - at);
      if (ended) {
        sending.remove(each.getKey());
        sentAll(each.getKey());
      }
    }
  }

  final void resetStream(int stream, ErrorCode why) {
    sending.remove(stream);
    ByteBuf frame = Unpooled.buffer();
    Frames.reset(frame, stream, why);
    send(frame);
  }

  final void goAway(int last) {
    ByteBuf frame = Unpooled.buffer();
    Frames.goAway(frame, last, ErrorCode.NO_ERROR);
    send(frame);
  }

  // ---- from the proxy

  @Override
  public final void received(byte[] bytes) {
    byte[] all = Arrays.copyOf(rest, rest.length + bytes.length);
    System.arraycopy(bytes, 0, all, rest.length, bytes.length);
    int at = Math.min(prefaceBytes, all.length);
    prefaceBytes -= at;
    while (!over && all.length - at >= Frames.HEADER_BYTES) {
      ByteBuf in = Unpooled.wrappedBuffer(all, at, all.length - at);
      int length = in.readUnsignedMedium();
      if (in.readableBytes() < 6 + length) {
        break;
      }
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      byte[] payload = new byte[length];
      in.readBytes(payload);
      at += Frames.HEADER_BYTES + length;
      read(type, flags, stream, payload);
    }
    rest = Arrays.copyOfRange(all, at, all.length);
  }

  private void read(int type, int flags, int stream, byte[] payload) {
    boolean last = (flags & Frames.END_STREAM) != 0;
    ByteBuf in = Unpooled.wrappedBuffer(payload);
    switch (type) {
      case Frames.HEADERS -> {
        List<String[]> fields = new ArrayList<>();
        boolean valid =
            decoder.decode(
                payload,
                0,
                payload.length,
                (name, nameStart, nameLength, value, valueStart, valueLength) ->
                    fields.add(
                        new String[] {
                          new String(name, nameStart, nameLength, ISO_8859_1),
                          new String(value, valueStart, valueLength, ISO_8859_1)
                        }));
        if (!valid || (flags & Frames.END_HEADERS) == 0) {
          throw new AssertionError("a field block that is invalid or in parts");
        }
        head(stream, fields, last);
      }
      case Frames.DATA -> {
        if (payload.length > 0) {
          windowUpdate(0, payload.length);
          if (!last) {
            windowUpdate(stream, payload.length);
          }
        }
        data(stream, payload, last);
      }
      case Frames.RST_STREAM -> {
        sending.remove(stream);
        reset(stream, ErrorCode.of(in.readInt()));
      }
      case Frames.SETTINGS -> settings(flags, in);
      case Frames.PING -> {
        if (flags == 0) {
          frame(Frames.PING, Frames.ACK, 0, payload);
        }
      }
      case Frames.GOAWAY -> {
        int lastStream = in.readInt();
        ErrorCode why = ErrorCode.of(in.readInt());
        if (why != ErrorCode.NO_ERROR) {
          throw new AssertionError("the proxy complains of " + why);
        }
        goneAway(lastStream);
      }
      case Frames.WINDOW_UPDATE -> {
        Sending one = sending.get(stream);
        if (stream == 0) {
          window += in.readInt();
        } else if (one != null) {
          one.window += in.readInt();
        }
        pump();
      }
      default -> throw new AssertionError("a frame of type " + type);
    }
  }

  private void settings(int flags, ByteBuf in) {
    if (flags != 0) {
      acknowledged = true;
      return;
    }
    while (in.isReadable()) {
      int id = in.readUnsignedShort();
      int value = in.readInt();
      if (id == Frames.INITIAL_WINDOW_SIZE) {
        int change = value - streamWindow;
        streamWindow = value;
        sending.values().forEach(each -> each.window += change);
      }
    }
    frame(Frames.SETTINGS, Frames.ACK, 0, new byte[0]);
    pump();
  }

  private void windowUpdate(int stream, int bytes) {
    ByteBuf frame = Unpooled.buffer();
    Frames.windowUpdate(frame, stream, bytes);
    send(frame);
  }

  /** A head arrived. */
  abstract void head(int stream, List<String[]> fields, boolean last);

  /** Content arrived; the windows are given back. */
  abstract void data(int stream, byte[] bytes, boolean last);

  /** RST_STREAM arrived. */
  abstract void reset(int stream, ErrorCode why);

  /** GOAWAY arrived. */
  abstract void goneAway(int lastStream);

  /** The end of a stream's content was sent. */
  void sentAll(int stream) {}
}
