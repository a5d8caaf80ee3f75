package io.loligo.core.http2;

import io.netty.buffer.ByteBuf;

/**
 * Frame types, flags, settings and the writing of frames (RFC 9113 sections 4 and 6). Stateless.
 */
public final class Frames {
  /** Bytes of a frame header. */
  public static final int HEADER_BYTES = 9;

  /** Most bytes of a frame's payload unless a peer's settings say more. */
  public static final int DEFAULT_MAX_FRAME_BYTES = 16_384;

  /** The largest value of SETTINGS_MAX_FRAME_SIZE. */
  public static final int LARGEST_MAX_FRAME_BYTES = (1 << 24) - 1;

  /** Flow-control window of a connection, and of a stream without settings. */
  public static final int DEFAULT_WINDOW_BYTES = 65_535;

  /** The first bytes of a client's connection. */
  public static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int PRIORITY = 2;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PUSH_PROMISE = 5;
  public static final int PING = 6;
  public static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  public static final int CONTINUATION = 9;

  /** RFC 9218 section 7.1. */
  public static final int PRIORITY_UPDATE = 16;

  public static final int END_STREAM = 0x1;
  public static final int ACK = 0x1;
  public static final int END_HEADERS = 0x4;
  public static final int PADDED = 0x8;
  public static final int HAS_PRIORITY = 0x20;

  public static final int HEADER_TABLE_SIZE = 1;
  public static final int ENABLE_PUSH = 2;
  public static final int MAX_CONCURRENT_STREAMS = 3;
  public static final int INITIAL_WINDOW_SIZE = 4;
  public static final int MAX_FRAME_SIZE = 5;
  public static final int MAX_HEADER_LIST_SIZE = 6;

  /** RFC 8441 section 3. */
  public static final int ENABLE_CONNECT_PROTOCOL = 8;

  /** RFC 9218 section 2.1. */
  public static final int NO_RFC7540_PRIORITIES = 9;

  private Frames() {}

  /** Writes a frame header. */
  public static void header(ByteBuf out, int length, int type, int flags, int stream) {
    out.writeMedium(length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
  }

  /** Writes one setting into a SETTINGS payload. */
  public static void setting(ByteBuf out, int id, int value) {
    out.writeShort(id);
    out.writeInt(value);
  }

  /** Writes RST_STREAM. */
  public static void reset(ByteBuf out, int stream, ErrorCode why) {
    header(out, 4, RST_STREAM, 0, stream);
    out.writeInt(why.number());
  }

  /** Writes WINDOW_UPDATE; stream 0 is the connection. */
  public static void windowUpdate(ByteBuf out, int stream, int bytes) {
    header(out, 4, WINDOW_UPDATE, 0, stream);
    out.writeInt(bytes);
  }

  /** Writes GOAWAY without debug data. */
  public static void goAway(ByteBuf out, int lastStream, ErrorCode why) {
    header(out, 8, GOAWAY, 0, 0);
    out.writeInt(lastStream);
    out.writeInt(why.number());
  }

  /** Writes a PING or its acknowledgement. */
  public static void ping(ByteBuf out, boolean ack, long data) {
    header(out, 8, PING, ack ? ACK : 0, 0);
    out.writeLong(data);
  }
}
