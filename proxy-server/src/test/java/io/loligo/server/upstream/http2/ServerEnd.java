package io.loligo.server.upstream.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackDecoder;
import io.loligo.core.http2.HpackEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;

/** The server's end of a connection in memory: frames as text. Confined to one thread. */
public final class ServerEnd {
  private final EmbeddedChannel channel;
  private final HpackDecoder decoder = new HpackDecoder(4_096, new HpackDecoder.Room());
  private final ByteBuf written = Unpooled.buffer();
  private boolean prefaceRead;

  public ServerEnd(EmbeddedChannel channel) {
    this.channel = channel;
  }

  // ---- from the client

  /** The frames since the last call. */
  public List<String> frames() {
    channel.runPendingTasks(); // frames leave when the tasks that are due have run
    for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
      written.writeBytes(each);
      each.release();
    }
    if (!prefaceRead) {
      prefaceRead = true;
      assertThat(written.readCharSequence(Frames.PREFACE.length(), ISO_8859_1))
          .hasToString(Frames.PREFACE);
    }
    List<String> frames = new ArrayList<>();
    while (written.isReadable()) {
      frames.add(frame());
    }
    return frames;
  }

  private String frame() {
    int length = written.readUnsignedMedium();
    int type = written.readUnsignedByte();
    int flags = written.readUnsignedByte();
    int stream = written.readInt();
    ByteBuf payload = written.readSlice(length);
    String end = (flags & Frames.END_STREAM) != 0 ? " end" : "";
    return switch (type) {
      case Frames.DATA -> "DATA " + stream + end + " " + payload.toString(ISO_8859_1);
      case Frames.HEADERS -> {
        assertThat(flags & Frames.END_HEADERS).isNotZero();
        yield "HEADERS " + stream + end + " " + fields(payload);
      }
      case Frames.RST_STREAM -> "RST_STREAM " + stream + " " + ErrorCode.of(payload.readInt());
      case Frames.SETTINGS -> {
        StringBuilder text = new StringBuilder("SETTINGS");
        if (flags != 0) {
          text.append(" ack");
        }
        while (payload.isReadable()) {
          text.append(' ').append(payload.readUnsignedShort()).append('=');
          text.append(payload.readInt());
        }
        yield text.toString();
      }
      case Frames.PING -> "PING" + (flags != 0 ? " ack " : " ") + payload.readLong();
      case Frames.GOAWAY -> "GOAWAY " + payload.readInt() + " " + ErrorCode.of(payload.readInt());
      case Frames.WINDOW_UPDATE -> "WINDOW_UPDATE " + stream + " " + payload.readInt();
      default -> "frame of type " + type;
    };
  }

  private List<String> fields(ByteBuf payload) {
    byte[] block = new byte[payload.readableBytes()];
    payload.readBytes(block);
    List<String> fields = new ArrayList<>();
    boolean valid =
        decoder.decode(
            block,
            0,
            block.length,
            (name, nameStart, nameLength, value, valueStart, valueLength) ->
                fields.add(
                    new String(name, nameStart, nameLength, ISO_8859_1)
                        + ": "
                        + new String(value, valueStart, valueLength, ISO_8859_1)));
    assertThat(valid).isTrue();
    return fields;
  }

  // ---- to the client

  /** Sends bytes that arrive in one read. */
  public ServerEnd raw(ByteBuf bytes) {
    ByteBuf read = channel.alloc().buffer();
    read.writeBytes(bytes);
    channel.writeInbound(read);
    return this;
  }

  /** Sends a frame. */
  public ServerEnd frame(int type, int flags, int stream, byte[] payload) {
    return raw(framed(type, flags, stream, payload));
  }

  static ByteBuf framed(int type, int flags, int stream, byte[] payload) {
    ByteBuf frame = Unpooled.buffer();
    Frames.header(frame, payload.length, type, flags, stream);
    return frame.writeBytes(payload);
  }

  /** SETTINGS of these pairs of id and value. */
  public ServerEnd settings(int... pairs) {
    ByteBuf payload = Unpooled.buffer();
    for (int i = 0; i < pairs.length; i += 2) {
      Frames.setting(payload, pairs[i], pairs[i + 1]);
    }
    return frame(Frames.SETTINGS, 0, 0, bytes(payload));
  }

  static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    return bytes;
  }

  /** A field block of names and values by turns. */
  static byte[] block(String... namesAndValues) {
    ByteBuf block = Unpooled.buffer();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      HpackEncoder.field(block, namesAndValues[i], namesAndValues[i + 1]);
    }
    return bytes(block);
  }

  static ByteBuf headersFrame(int stream, boolean end, String... fields) {
    int flags = Frames.END_HEADERS | (end ? Frames.END_STREAM : 0);
    return framed(Frames.HEADERS, flags, stream, block(fields));
  }

  static ByteBuf dataFrame(int stream, boolean end, String text) {
    return framed(Frames.DATA, end ? Frames.END_STREAM : 0, stream, text.getBytes(ISO_8859_1));
  }

  public ServerEnd headers(int stream, boolean end, String... fields) {
    return raw(headersFrame(stream, end, fields));
  }

  public ServerEnd data(int stream, boolean end, String text) {
    return raw(dataFrame(stream, end, text));
  }

  public ServerEnd reset(int stream, ErrorCode why) {
    ByteBuf frame = Unpooled.buffer();
    Frames.reset(frame, stream, why);
    return raw(frame);
  }

  public ServerEnd goAway(int last, ErrorCode why) {
    ByteBuf frame = Unpooled.buffer();
    Frames.goAway(frame, last, why);
    return raw(frame);
  }

  ServerEnd openWindow(int stream, int bytes) {
    ByteBuf frame = Unpooled.buffer();
    Frames.windowUpdate(frame, stream, bytes);
    return raw(frame);
  }
}
