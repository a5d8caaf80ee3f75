package io.loligo.core.http2;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Divides the bytes of a connection into frames and checks them as far as one frame, or one field
 * block, can be checked alone (RFC 9113 sections 4 and 6). Confined to one thread.
 *
 * <p>A field block is joined from its frames before it is decoded, and has a limit. After an error
 * of the connection it reads nothing more.
 */
public final class FrameReader {
  /** Most CONTINUATION frames of one block. */
  public static final int MAX_CONTINUATIONS = 64;

  /** The frames of a peer. Buffers are borrowed. */
  public interface Events {
    /**
     * Content.
     *
     * @param payload without padding
     * @param flowBytes bytes that count for flow control
     */
    void data(int stream, ByteBuf payload, int flowBytes, boolean endStream);

    /**
     * A whole field block: {@code block[0, length)}.
     *
     * @param dependsOnItself whether the frame says that the stream depends on itself
     */
    void headers(int stream, byte[] block, int length, boolean endStream, boolean dependsOnItself);

    /** PRIORITY of RFC 7540, which says nothing any more, but may be wrong. */
    void priority(int stream, boolean dependsOnItself);

    /** RFC 9218; {@code value} is a structured field. */
    void priorityUpdate(int stream, ByteBuf value);

    void reset(int stream, ErrorCode why);

    /** One setting of a SETTINGS frame; {@link #settingsEnd} follows. */
    void setting(int id, long value);

    void settingsEnd();

    void settingsAck();

    void ping(boolean ack, long data);

    void goAway(int lastStream, ErrorCode why);

    /** {@code increment} is 0 to 2^31-1. */
    void windowUpdate(int stream, int increment);

    /** A PRIORITY frame or WINDOW_UPDATE of a wrong size, for one stream. */
    void streamError(int stream, ErrorCode why, String detail);

    /** The connection has to end. */
    void connectionError(ErrorCode why, String detail);
  }

  private static final int STREAM_MASK = 0x7fff_ffff;

  private final Events events;
  private final int maxBlockBytes;
  private final HpackDecoder.Room room;

  /**
   * The block so far, if it has several frames. Empty between blocks, so that an idle connection
   * holds none.
   */
  private byte[] block = {};

  private int blockLength;
  private int blockStream;
  private boolean blockEndsStream;
  private boolean blockDependsOnItself;
  private int continuations;
  private boolean settled;
  private boolean broken;

  /**
   * A reader that gives {@code events} what it finds.
   *
   * @param maxBlockBytes limit of a field block, compressed
   */
  public FrameReader(Events events, int maxBlockBytes) {
    this(events, maxBlockBytes, new HpackDecoder.Room());
  }

  /** The same, with the arrays of {@code room}, which other connections of the thread share. */
  public FrameReader(Events events, int maxBlockBytes, HpackDecoder.Room room) {
    this.events = events;
    this.maxBlockBytes = maxBlockBytes;
    this.room = room;
  }

  /**
   * Reads one frame from {@code in}, borrowed, and calls the events.
   *
   * @return false: the bytes are no whole frame, or nothing is read any more
   */
  public boolean read(ByteBuf in) {
    if (broken || in.readableBytes() < Frames.HEADER_BYTES) {
      return false;
    }
    int at = in.readerIndex();
    int length = in.getUnsignedMedium(at);
    int type = in.getUnsignedByte(at + 3);
    int flags = in.getUnsignedByte(at + 4);
    int stream = in.getInt(at + 5) & STREAM_MASK;
    if (length > Frames.DEFAULT_MAX_FRAME_BYTES) {
      return error(ErrorCode.FRAME_SIZE_ERROR, "a frame of " + length + " bytes");
    }
    if (in.readableBytes() < Frames.HEADER_BYTES + length) {
      return false;
    }
    in.skipBytes(Frames.HEADER_BYTES);
    int end = in.readerIndex() + length;
    if (blockStream != 0 && (type != Frames.CONTINUATION || stream != blockStream)) {
      return error(ErrorCode.PROTOCOL_ERROR, "another frame within a field block");
    }
    if (!settled && type != Frames.SETTINGS) {
      return error(ErrorCode.PROTOCOL_ERROR, "the first frame is not SETTINGS");
    }
    frame(in, length, type, flags, stream);
    if (broken) {
      return false;
    }
    in.readerIndex(end);
    return true;
  }

  private boolean error(ErrorCode why, String detail) {
    if (!broken) {
      broken = true;
      events.connectionError(why, detail);
    }
    return false;
  }

  /** Reads nothing more. */
  public void stop() {
    broken = true;
    dropBlock();
  }

  private void frame(ByteBuf in, int length, int type, int flags, int stream) {
    switch (type) {
      case Frames.DATA -> data(in, length, flags, stream);
      case Frames.HEADERS -> headers(in, length, flags, stream);
      case Frames.PRIORITY -> priority(in, length, stream);
      case Frames.RST_STREAM -> reset(in, length, stream);
      case Frames.SETTINGS -> settings(in, length, flags, stream);
      case Frames.PUSH_PROMISE -> error(ErrorCode.PROTOCOL_ERROR, "PUSH_PROMISE");
      case Frames.PING -> ping(in, length, flags, stream);
      case Frames.GOAWAY -> goAway(in, length, stream);
      case Frames.WINDOW_UPDATE -> windowUpdate(in, length, stream);
      case Frames.CONTINUATION -> continuation(in, length, flags, stream);
      case Frames.PRIORITY_UPDATE -> priorityUpdate(in, length, stream);
      default -> {
        // unknown types are ignored (RFC 9113 section 5.5)
      }
    }
  }

  private boolean needsStream(int stream, String frame) {
    return stream != 0 || error(ErrorCode.PROTOCOL_ERROR, frame + " on stream 0");
  }

  private boolean needsConnection(int stream, String frame) {
    return stream == 0 || error(ErrorCode.PROTOCOL_ERROR, frame + " on stream " + stream);
  }

  private boolean needsLength(boolean holds, String frame, int length) {
    return holds || error(ErrorCode.FRAME_SIZE_ERROR, frame + " of " + length + " bytes");
  }

  /** Bytes of the payload without padding, after the length of the padding; -1: an error. */
  private int unpadded(ByteBuf in, int length, int flags, int fixed) {
    if ((flags & Frames.PADDED) == 0) {
      if (length < fixed) {
        error(ErrorCode.FRAME_SIZE_ERROR, "a frame shorter than its fields");
        return -1;
      }
      return length;
    }
    if (length < 1 + fixed) {
      error(ErrorCode.FRAME_SIZE_ERROR, "a frame shorter than its fields");
      return -1;
    }
    int padding = in.readUnsignedByte();
    if (padding > length - 1 - fixed) {
      error(ErrorCode.PROTOCOL_ERROR, "more padding than payload");
      return -1;
    }
    return length - 1 - padding;
  }

  private void data(ByteBuf in, int length, int flags, int stream) {
    if (needsStream(stream, "DATA")) {
      int content = unpadded(in, length, flags, 0);
      if (content >= 0) {
        int from = in.readerIndex();
        int limit = in.writerIndex();
        in.writerIndex(from + content);
        try {
          events.data(stream, in, length, (flags & Frames.END_STREAM) != 0);
        } finally {
          in.writerIndex(limit);
        }
      }
    }
  }

  private void headers(ByteBuf in, int length, int flags, int stream) {
    if (!needsStream(stream, "HEADERS")) {
      return;
    }
    boolean priority = (flags & Frames.HAS_PRIORITY) != 0;
    int content = unpadded(in, length, flags, priority ? 5 : 0);
    if (content < 0) {
      return;
    }
    blockDependsOnItself = false;
    if (priority) {
      blockDependsOnItself = (in.readInt() & STREAM_MASK) == stream;
      in.skipBytes(1);
      content -= 5;
    }
    blockStream = stream;
    blockEndsStream = (flags & Frames.END_STREAM) != 0;
    blockLength = 0;
    continuations = 0;
    fragment(in, content, flags);
  }

  private void continuation(ByteBuf in, int length, int flags, int stream) {
    if (blockStream == 0) {
      error(ErrorCode.PROTOCOL_ERROR, "CONTINUATION without HEADERS on stream " + stream);
    } else if (++continuations > MAX_CONTINUATIONS) {
      error(ErrorCode.ENHANCE_YOUR_CALM, "more than " + MAX_CONTINUATIONS + " CONTINUATION frames");
    } else {
      fragment(in, length, flags);
    }
  }

  private void fragment(ByteBuf in, int length, int flags) {
    if (blockLength + length > maxBlockBytes) {
      error(ErrorCode.ENHANCE_YOUR_CALM, "a field block of more than " + maxBlockBytes + " bytes");
      return;
    }
    if (blockLength == 0 && (flags & Frames.END_HEADERS) != 0) {
      whole(in, length);
      return;
    }
    if (blockLength + length > block.length) {
      block = Arrays.copyOf(block, Math.max(blockLength + length, 2 * block.length));
    }
    in.readBytes(block, blockLength, length);
    blockLength += length;
    if ((flags & Frames.END_HEADERS) != 0) {
      int stream = blockStream;
      blockStream = 0;
      events.headers(stream, block, blockLength, blockEndsStream, blockDependsOnItself);
      dropBlock();
    }
  }

  /** A block of one frame, as most are. */
  private void whole(ByteBuf in, int length) {
    byte[] bytes = room.lendBlock(length);
    try {
      in.readBytes(bytes, 0, length);
      int stream = blockStream;
      blockStream = 0;
      events.headers(stream, bytes, length, blockEndsStream, blockDependsOnItself);
    } finally {
      room.giveBack(bytes);
    }
  }

  private void dropBlock() {
    block = EMPTY;
    blockLength = 0;
  }

  private static final byte[] EMPTY = {};

  private void priority(ByteBuf in, int length, int stream) {
    if (!needsStream(stream, "PRIORITY")) {
      return;
    }
    if (length != 5) {
      events.streamError(stream, ErrorCode.FRAME_SIZE_ERROR, "PRIORITY of " + length + " bytes");
      return;
    }
    events.priority(stream, (in.readInt() & STREAM_MASK) == stream);
  }

  private void reset(ByteBuf in, int length, int stream) {
    if (needsStream(stream, "RST_STREAM") && needsLength(length == 4, "RST_STREAM", length)) {
      events.reset(stream, ErrorCode.of(in.readInt()));
    }
  }

  private void settings(ByteBuf in, int length, int flags, int stream) {
    if (!needsConnection(stream, "SETTINGS")) {
      return;
    }
    if ((flags & Frames.ACK) != 0) {
      if (needsLength(length == 0, "an acknowledgement of SETTINGS", length)) {
        if (settled) {
          events.settingsAck();
        } else {
          error(ErrorCode.PROTOCOL_ERROR, "the first frame is not SETTINGS");
        }
      }
      return;
    }
    if (!needsLength(length % 6 == 0, "SETTINGS", length)) {
      return;
    }
    settled = true;
    for (int i = 0; i < length / 6 && !broken; i++) {
      int id = in.readUnsignedShort();
      setting(id, in.readUnsignedInt());
    }
    if (!broken) {
      events.settingsEnd();
    }
  }

  private void setting(int id, long value) {
    switch (id) {
      case Frames.ENABLE_PUSH, Frames.ENABLE_CONNECT_PROTOCOL, Frames.NO_RFC7540_PRIORITIES -> {
        if (value > 1) {
          error(ErrorCode.PROTOCOL_ERROR, "setting " + id + " is " + value);
        }
      }
      case Frames.INITIAL_WINDOW_SIZE -> {
        if (value > Integer.MAX_VALUE) {
          error(ErrorCode.FLOW_CONTROL_ERROR, "SETTINGS_INITIAL_WINDOW_SIZE is " + value);
        }
      }
      case Frames.MAX_FRAME_SIZE -> {
        if (value < Frames.DEFAULT_MAX_FRAME_BYTES || value > Frames.LARGEST_MAX_FRAME_BYTES) {
          error(ErrorCode.PROTOCOL_ERROR, "SETTINGS_MAX_FRAME_SIZE is " + value);
        }
      }
      default -> {
        // any value, or unknown
      }
    }
    if (!broken) {
      events.setting(id, value);
    }
  }

  private void ping(ByteBuf in, int length, int flags, int stream) {
    if (needsConnection(stream, "PING") && needsLength(length == 8, "PING", length)) {
      events.ping((flags & Frames.ACK) != 0, in.readLong());
    }
  }

  private void goAway(ByteBuf in, int length, int stream) {
    if (needsConnection(stream, "GOAWAY") && needsLength(length >= 8, "GOAWAY", length)) {
      events.goAway(in.readInt() & STREAM_MASK, ErrorCode.of(in.readInt()));
    }
  }

  private void windowUpdate(ByteBuf in, int length, int stream) {
    if (needsLength(length == 4, "WINDOW_UPDATE", length)) {
      events.windowUpdate(stream, in.readInt() & STREAM_MASK);
    }
  }

  private void priorityUpdate(ByteBuf in, int length, int stream) {
    if (needsConnection(stream, "PRIORITY_UPDATE")
        && needsLength(length >= 4, "PRIORITY_UPDATE", length)) {
      int prioritized = in.readInt() & STREAM_MASK;
      if (needsStream(prioritized, "PRIORITY_UPDATE")) {
        int limit = in.writerIndex();
        in.writerIndex(in.readerIndex() + length - 4);
        try {
          events.priorityUpdate(prioritized, in);
        } finally {
          in.writerIndex(limit);
        }
      }
    }
  }
}
