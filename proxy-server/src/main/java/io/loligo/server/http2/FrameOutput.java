package io.loligo.server.http2;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackEncoder;
import io.loligo.core.message.FieldLines;
import io.loligo.server.transport.WriteTally;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one connection on their way to the peer. Small frames are joined, so that those of
 * one wake-up leave in one write. Content goes as far as the windows and the socket's queue allow;
 * the order of its frames is that of a subclass. Confined to the connection's event loop.
 *
 * @param <S> a stream
 */
public abstract class FrameOutput<S> {
  /** Pieces of content up to this size are copied beside their frame header. */
  protected static final int COPY_LIMIT_BYTES = 4_096;

  /** Joined frames are passed on from this size. */
  private static final int JOINED_BYTES = 16_384;

  private static final int LEAST_JOINED_BYTES = 2_048;

  /** Says that the encoder uses no dynamic table (RFC 7541 section 6.3). */
  private static final int NO_TABLE = 0x20;

  private final ChannelHandlerContext context;
  private final WriteTally tally;
  private final int bufferBytes;
  private @Nullable ByteBuf joined;

  /** The size with which the next buffer begins: one that grows copies what it has. */
  private int firstJoinedBytes = LEAST_JOINED_BYTES;

  private long window = Frames.DEFAULT_WINDOW_BYTES;
  private int streamWindow = Frames.DEFAULT_WINDOW_BYTES;
  private boolean tableShrinks;
  private boolean closed;

  /**
   * The output of a connection.
   *
   * @param tally of all its writes
   * @param bufferBytes in the socket's queue from which on content waits here
   */
  protected FrameOutput(ChannelHandlerContext context, WriteTally tally, int bufferBytes) {
    this.context = context;
    this.tally = tally;
    this.bufferBytes = bufferBytes;
  }

  // ---- the peer's settings and windows

  /** SETTINGS_HEADER_TABLE_SIZE is given: the next block says that no table is used. */
  public final void tableSizeGiven() {
    tableShrinks = true;
  }

  /** The window of streams that begin now. */
  public final int streamWindow() {
    return streamWindow;
  }

  /** SETTINGS_INITIAL_WINDOW_SIZE; false: a window of {@code streams} would be too large. */
  public final boolean streamWindow(int bytes, Iterable<? extends S> streams) {
    int change = bytes - streamWindow;
    streamWindow = bytes;
    for (S stream : streams) {
      if (!widen(stream, change)) {
        return false;
      }
    }
    return true;
  }

  /** WINDOW_UPDATE of the connection; false: the window would be too large. */
  public final boolean widen(int bytes) {
    window += bytes;
    return window <= Integer.MAX_VALUE;
  }

  /** WINDOW_UPDATE of {@code stream}, or a change of all; false: it would be too large. */
  public abstract boolean widen(S stream, int bytes);

  /** The connection's window: bytes of content that the peer takes. */
  protected final long window() {
    return window;
  }

  // ---- frames

  /** A buffer with room for {@code more} bytes, to which a frame is written. */
  public final ByteBuf control(int more) {
    if (joined != null && joined.writerIndex() + more > Math.max(JOINED_BYTES, joined.capacity())) {
      passJoined();
    }
    if (joined == null) {
      joined = context.alloc().directBuffer(Math.max(firstJoinedBytes, more));
    }
    joined.ensureWritable(more);
    return joined;
  }

  private void passJoined() {
    if (joined != null) {
      ByteBuf out = joined;
      joined = null;
      expect(out.readableBytes());
      tally.write(context, out);
    }
  }

  /** The next buffer has room for as many bytes as this one took; with less to send, for fewer. */
  private void expect(int bytes) {
    if (bytes > firstJoinedBytes) {
      firstJoinedBytes = JOINED_BYTES;
    } else if (bytes < firstJoinedBytes / 8) {
      firstJoinedBytes = Math.max(LEAST_JOINED_BYTES, firstJoinedBytes / 2);
    }
  }

  /**
   * Begins HEADERS: a field block of {@code most} bytes at most has to be written to {@link
   * #block}.
   *
   * @return where the frame starts, for {@link #endHeaders}
   */
  public final int headers(int most) {
    // CONTINUATION frames need headers, too
    int frames = 2 + most / Frames.DEFAULT_MAX_FRAME_BYTES;
    ByteBuf out = control(Frames.HEADER_BYTES * frames + 1 + most);
    int start = out.writerIndex();
    out.writeZero(Frames.HEADER_BYTES);
    if (tableShrinks) {
      tableShrinks = false;
      out.writeByte(NO_TABLE);
    }
    return start;
  }

  /** The buffer for the block, after {@link #headers}. */
  public final ByteBuf block() {
    ByteBuf out = joined;
    assert out != null : "no HEADERS begun";
    return out;
  }

  /** Ends HEADERS. Returns the bytes of all its frames. */
  protected final int endHeaders(int stream, int start, boolean last) {
    ByteBuf out = block();
    int most = Frames.DEFAULT_MAX_FRAME_BYTES; // no peer may ask for less
    int blockStart = start + Frames.HEADER_BYTES;
    int length = out.writerIndex() - blockStart;
    int flags = last ? Frames.END_STREAM : 0;
    if (length <= most) {
      int end = out.writerIndex();
      out.writerIndex(start);
      Frames.header(out, length, Frames.HEADERS, flags | Frames.END_HEADERS, stream);
      out.writerIndex(end);
    } else {
      byte[] block = new byte[length];
      out.getBytes(blockStart, block);
      out.writerIndex(start);
      for (int at = 0; at < length; at += most) {
        int part = Math.min(most, length - at);
        int type = at == 0 ? Frames.HEADERS : Frames.CONTINUATION;
        int bits = (at == 0 ? flags : 0) | (at + part == length ? Frames.END_HEADERS : 0);
        Frames.header(out, part, type, bits, stream);
        out.writeBytes(block, at, part);
      }
    }
    return out.writerIndex() - start;
  }

  /** Takes back the HEADERS from {@code start} on, instead of ending them. */
  public final void dropHeaders(int start) {
    ByteBuf out = block();
    // no field begins with this byte
    tableShrinks |= out.getByte(start + Frames.HEADER_BYTES) == NO_TABLE;
    out.writerIndex(start);
  }

  /** Ends a stream without further content. Returns the bytes of all frames. */
  protected final int end(int stream, @Nullable FieldLines trailers) {
    if (trailers == null) {
      Frames.header(control(Frames.HEADER_BYTES), 0, Frames.DATA, Frames.END_STREAM, stream);
      return Frames.HEADER_BYTES;
    }
    int start = headers(HpackEncoder.maxBytes(trailers.length()));
    HpackEncoder.lines(block(), trailers.bytes(), 0, trailers.length());
    return endHeaders(stream, start, true);
  }

  /**
   * Begins DATA of {@code length} bytes, which the windows allow. Returns the buffer for the
   * content, if that is not larger than {@link #COPY_LIMIT_BYTES}; larger content is passed on by
   * {@link #pass}.
   */
  protected final ByteBuf beginData(int stream, int length, boolean last) {
    ByteBuf out = roomForData(length);
    Frames.header(out, length, Frames.DATA, last ? Frames.END_STREAM : 0, stream);
    window -= length;
    return out;
  }

  /**
   * Allocates the room for DATA of {@code length} bytes, returned borrowed. A lack of memory shows
   * here, before the content leaves its queue.
   */
  protected final ByteBuf roomForData(int length) {
    return control(Frames.HEADER_BYTES + (length <= COPY_LIMIT_BYTES ? length : 0));
  }

  /** Passes on {@code content}, taken, behind all frames so far. */
  protected final void pass(ByteBuf content) {
    passJoined();
    tally.write(context, content);
  }

  /** DATA with {@code content}, taken, which the windows allow. After {@link #roomForData}. */
  protected final void data(int stream, ByteBuf content, boolean last) {
    int length = content.readableBytes();
    ByteBuf out = beginData(stream, length, last);
    if (length <= COPY_LIMIT_BYTES) {
      out.writeBytes(content);
      content.release();
    } else {
      pass(content);
    }
  }

  /** RST_STREAM. */
  public final void reset(int stream, ErrorCode why) {
    Frames.reset(control(Frames.HEADER_BYTES + 4), stream, why);
  }

  // ---- the socket

  /** Sends content as far as windows and the socket's queue allow. */
  protected abstract void pump();

  /** Whether a stream has content or an end that its own window allows. */
  protected abstract boolean hasReady();

  /** Whether the socket's queue takes more content. */
  protected final boolean takesMore() {
    return queuedBytes() < bufferBytes;
  }

  /** Bytes on their way that the socket did not take yet, without waiting content. */
  public final long queuedBytes() {
    return tally.queuedBytes() - tally.writtenBytes() + joinedBytes();
  }

  private int joinedBytes() {
    return joined == null ? 0 : joined.readableBytes();
  }

  /** Bytes of all frames so far. */
  protected final long emittedBytes() {
    return tally.queuedBytes() + joinedBytes();
  }

  /** Those of them that the socket took. */
  protected final long writtenBytes() {
    return tally.writtenBytes();
  }

  /** Passes everything that may leave to the socket. */
  public void flush() {
    if (closed) {
      return;
    }
    long before;
    do {
      before = tally.writtenBytes();
      pump();
      passJoined();
      context.flush();
      // a socket that takes everything gets more at once
    } while (!closed && hasReady() && window > 0 && tally.writtenBytes() > before);
  }

  /** Whether everything was dropped. */
  protected final boolean isClosed() {
    return closed;
  }

  /** Whether a frame waits for a flush. */
  public final boolean isDue() {
    return joined != null || hasReady();
  }

  /** Drops everything. */
  public void close() {
    closed = true;
    if (joined != null) {
      joined.release();
      joined = null;
    }
  }
}
