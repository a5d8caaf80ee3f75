package io.loligo.server.upstream.http2;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackEncoder;
import io.loligo.core.message.FieldLines;
import io.loligo.server.transport.WriteTally;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one connection on their way to the server. Small frames are joined, so that those
 * of one wake-up leave in one write. Content goes as far as the windows and the socket's queue
 * allow, a frame of each stream in turn. Confined to the connection's event loop.
 */
final class RequestOutput {
  /** Pieces of content up to this size are copied beside their frame header. */
  private static final int COPY_LIMIT_BYTES = 4_096;

  /** Joined frames are passed on from this size. */
  private static final int JOINED_BYTES = 16_384;

  private static final int FIRST_JOINED_BYTES = 1_024;

  /** Says that the encoder uses no dynamic table (RFC 7541 section 6.3). */
  private static final int NO_TABLE = 0x20;

  private final ChannelHandlerContext context;
  private final WriteTally tally;
  private final FrameBudget budget;
  private final int bufferBytes;
  private final ArrayDeque<RequestStream> ready = new ArrayDeque<>(4);
  private @Nullable ByteBuf joined;
  private long window = Frames.DEFAULT_WINDOW_BYTES;
  private int streamWindow = Frames.DEFAULT_WINDOW_BYTES;
  private boolean tableShrinks;
  private boolean closed;

  /**
   * The output of a connection.
   *
   * @param tally of all its writes
   * @param budget is told of frames with content
   * @param bufferBytes in the socket's queue from which on content waits here
   */
  RequestOutput(
      ChannelHandlerContext context, WriteTally tally, FrameBudget budget, int bufferBytes) {
    this.context = context;
    this.tally = tally;
    this.budget = budget;
    this.bufferBytes = bufferBytes;
  }

  // ---- the server's settings

  /** SETTINGS_HEADER_TABLE_SIZE is given: the next block says that no table is used. */
  void tableSizeGiven() {
    tableShrinks = true;
  }

  /** The window of streams that begin now. */
  int streamWindow() {
    return streamWindow;
  }

  /** SETTINGS_INITIAL_WINDOW_SIZE; false: a window of {@code streams} would be too large. */
  boolean streamWindow(int bytes, Iterable<RequestStream> streams) {
    int change = bytes - streamWindow;
    streamWindow = bytes;
    for (RequestStream stream : streams) {
      if (!widen(stream, change)) {
        return false;
      }
    }
    return true;
  }

  /** WINDOW_UPDATE of the connection; false: the window would be too large. */
  boolean widen(int bytes) {
    window += bytes;
    return window <= Integer.MAX_VALUE;
  }

  /** WINDOW_UPDATE of {@code stream}, or a change of all; false: it would be too large. */
  boolean widen(RequestStream stream, int bytes) {
    OutgoingContent content = stream.content();
    if (content == null) {
      return true;
    }
    content.window += bytes;
    enqueue(stream);
    return content.window <= Integer.MAX_VALUE;
  }

  // ---- frames

  /** A buffer with room for {@code more} bytes, to which a frame is written. */
  ByteBuf control(int more) {
    if (joined != null && joined.writerIndex() + more > Math.max(JOINED_BYTES, joined.capacity())) {
      passJoined();
    }
    if (joined == null) {
      joined = context.alloc().directBuffer(Math.max(FIRST_JOINED_BYTES, more));
    }
    joined.ensureWritable(more);
    return joined;
  }

  private void passJoined() {
    if (joined != null) {
      ByteBuf out = joined;
      joined = null;
      tally.write(context, out);
    }
  }

  /**
   * Begins HEADERS: a field block of {@code most} bytes at most has to be written to {@link
   * #block}.
   *
   * @return where the frame starts, for {@link #endHeaders}
   */
  int headers(int most) {
    // CONTINUATION frames need headers, too
    ByteBuf out =
        control(Frames.HEADER_BYTES * (2 + most / Frames.DEFAULT_MAX_FRAME_BYTES) + 1 + most);
    int start = out.writerIndex();
    out.writeZero(Frames.HEADER_BYTES);
    if (tableShrinks) {
      tableShrinks = false;
      out.writeByte(NO_TABLE);
    }
    return start;
  }

  /** The buffer for the block, after {@link #headers}. */
  ByteBuf block() {
    ByteBuf out = joined;
    assert out != null : "no HEADERS begun";
    return out;
  }

  /** Ends HEADERS. Returns the bytes of all its frames. */
  int endHeaders(int stream, int start, boolean last) {
    ByteBuf out = block();
    int blockStart = start + Frames.HEADER_BYTES;
    int length = out.writerIndex() - blockStart;
    int flags = last ? Frames.END_STREAM : 0;
    if (length <= Frames.DEFAULT_MAX_FRAME_BYTES) {
      int end = out.writerIndex();
      out.writerIndex(start);
      Frames.header(out, length, Frames.HEADERS, flags | Frames.END_HEADERS, stream);
      out.writerIndex(end);
    } else {
      byte[] block = new byte[length];
      out.getBytes(blockStart, block);
      out.writerIndex(start);
      for (int at = 0; at < length; at += Frames.DEFAULT_MAX_FRAME_BYTES) {
        int part = Math.min(Frames.DEFAULT_MAX_FRAME_BYTES, length - at);
        int type = at == 0 ? Frames.HEADERS : Frames.CONTINUATION;
        int bits = (at == 0 ? flags : 0) | (at + part == length ? Frames.END_HEADERS : 0);
        Frames.header(out, part, type, bits, stream);
        out.writeBytes(block, at, part);
      }
    }
    return out.writerIndex() - start;
  }

  /** Takes back the HEADERS from {@code start} on, instead of {@link #endHeaders}. */
  void dropHeaders(int start) {
    ByteBuf out = block();
    // no field begins with this byte
    tableShrinks |= out.getByte(start + Frames.HEADER_BYTES) == NO_TABLE;
    out.writerIndex(start);
  }

  /** RST_STREAM. */
  void reset(int stream, ErrorCode why) {
    Frames.reset(control(Frames.HEADER_BYTES + 4), stream, why);
  }

  // ---- turns

  /** {@code stream} has content, its end, or a wider window. */
  void enqueue(RequestStream stream) {
    OutgoingContent content = stream.content();
    if (content == null || content.isReady || !content.canSend()) {
      return;
    }
    if (content.next() == null) {
      finish(stream, content); // it needs no window, and no turn
    } else {
      content.isReady = true;
      ready.addLast(stream);
    }
  }

  /** {@code stream} sends nothing more. */
  void forget(RequestStream stream) {
    OutgoingContent content = stream.content();
    if (content != null && content.isReady) {
      content.isReady = false;
      ready.remove(stream);
    }
  }

  private void pump() {
    while (!ready.isEmpty() && window > 0 && queuedBytes() < bufferBytes) {
      RequestStream stream = ready.removeFirst();
      OutgoingContent content = stream.content();
      assert content != null : "ready without content";
      content.isReady = false;
      if (content.canSend()) { // SETTINGS_INITIAL_WINDOW_SIZE may have shut its window
        sendFrame(stream, content);
      }
    }
  }

  private void sendFrame(RequestStream stream, OutgoingContent content) {
    ByteBuf piece = content.next();
    assert piece != null : "nothing to send";
    long most = Math.min(window, Math.min(content.window, Frames.DEFAULT_MAX_FRAME_BYTES));
    int length = (int) Math.min(most, piece.readableBytes());
    boolean last = content.isLast(length);
    boolean copies = length <= COPY_LIMIT_BYTES;
    ByteBuf out = control(Frames.HEADER_BYTES + (copies ? length : 0));
    Frames.header(out, length, Frames.DATA, last ? Frames.END_STREAM : 0, stream.id());
    window -= length;
    ByteBuf taken = content.take(length);
    if (copies) {
      out.writeBytes(taken);
      taken.release();
    } else {
      passJoined();
      tally.write(context, taken);
    }
    budget.sent();
    stream.emitted(Frames.HEADER_BYTES, last);
    if (!last) {
      enqueue(stream);
    }
  }

  /** Sends the end of a stream without further content. */
  private void finish(RequestStream stream, OutgoingContent content) {
    FieldLines trailers = content.trailers();
    if (trailers == null) {
      ByteBuf out = control(Frames.HEADER_BYTES);
      Frames.header(out, 0, Frames.DATA, Frames.END_STREAM, stream.id());
      stream.emitted(Frames.HEADER_BYTES, true);
      return;
    }
    int start = headers(HpackEncoder.maxBytes(trailers.length()));
    HpackEncoder.lines(block(), trailers.bytes(), 0, trailers.length());
    stream.emitted(endHeaders(stream.id(), start, true), true);
  }

  /** Bytes on their way that the socket did not take yet, without waiting content. */
  long queuedBytes() {
    return tally.queuedBytes()
        - tally.writtenBytes()
        + (joined == null ? 0 : joined.readableBytes());
  }

  /** Passes everything that may leave to the socket. */
  void flush() {
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
    } while (!closed && !ready.isEmpty() && window > 0 && tally.writtenBytes() > before);
  }

  /** Whether a frame waits for a flush. */
  boolean isDue() {
    return joined != null || !ready.isEmpty();
  }

  /** Drops everything. */
  void close() {
    closed = true;
    ready.clear();
    if (joined != null) {
      joined.release();
      joined = null;
    }
  }
}
