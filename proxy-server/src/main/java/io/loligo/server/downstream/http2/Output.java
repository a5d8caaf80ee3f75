package io.loligo.server.downstream.http2;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackEncoder;
import io.loligo.core.message.FieldLines;
import io.loligo.server.transport.WriteTally;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frames on their way to a client: small ones are joined, so that the responses to one read
 * leave in one write; content waits for the windows of its stream and of the connection, and for
 * its turn (RFC 9218). Confined to the client's event loop.
 *
 * <p>The streams with the most urgent content go first. Among equals an incremental one gives way
 * after each frame, another one goes on until its content is sent.
 */
final class Output {
  /** Pieces of content up to this size are copied beside their frame header. */
  private static final int COPY_LIMIT_BYTES = 4_096;

  /** Joined frames are passed on from this size. */
  private static final int JOINED_BYTES = 16_384;

  private static final int FIRST_JOINED_BYTES = 2_048;
  private static final int URGENCIES = 8;

  private final ChannelHandlerContext context;
  private final WriteTally tally;
  private final int bufferBytes;
  private final List<ArrayDeque<Http2Stream>> ready = new ArrayList<>(URGENCIES);
  private ArrayList<Http2Stream> unwritten = new ArrayList<>();
  private ArrayList<Http2Stream> spare = new ArrayList<>();
  private final ArrayList<Http2Stream> drained = new ArrayList<>();
  private @Nullable ByteBuf joined;
  private int readyStreams;
  private long window = Frames.DEFAULT_WINDOW_BYTES;
  private int maxFrameBytes = Frames.DEFAULT_MAX_FRAME_BYTES;
  private int streamWindow = Frames.DEFAULT_WINDOW_BYTES;
  private boolean tableShrinks;
  private boolean closed;
  private boolean telling;

  /**
   * The output of a connection.
   *
   * @param tally of all its writes
   * @param bufferBytes of the client's socket queue, from which on content waits here
   */
  Output(ChannelHandlerContext context, WriteTally tally, int bufferBytes) {
    this.context = context;
    this.tally = tally;
    this.bufferBytes = bufferBytes;
    for (int i = 0; i < URGENCIES; i++) {
      ready.add(new ArrayDeque<>(0));
    }
  }

  // ---- the client's settings

  /** SETTINGS_MAX_FRAME_SIZE. */
  void maxFrameBytes(int bytes) {
    maxFrameBytes = Math.min(bytes, Frames.DEFAULT_MAX_FRAME_BYTES);
  }

  /** SETTINGS_HEADER_TABLE_SIZE is given: the next block says that no table is used. */
  void tableSizeGiven() {
    tableShrinks = true;
  }

  /** The window of streams that begin now. */
  int streamWindow() {
    return streamWindow;
  }

  /** SETTINGS_INITIAL_WINDOW_SIZE; false: a window of {@code streams} would be too large. */
  boolean streamWindow(int bytes, Iterable<Http2Stream> streams) {
    int change = bytes - streamWindow;
    streamWindow = bytes;
    for (Http2Stream stream : streams) {
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
  boolean widen(Http2Stream stream, int bytes) {
    stream.sendWindow += bytes;
    enqueue(stream);
    return stream.sendWindow <= Integer.MAX_VALUE;
  }

  // ---- frames

  /** A buffer with room for {@code more} bytes, to which a control frame is written. */
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

  /** Begins HEADERS: a field block of {@code most} bytes at most has to be written. */
  ByteBuf headers(int most) {
    ByteBuf out = control(Frames.HEADER_BYTES + 1 + most);
    out.writeZero(Frames.HEADER_BYTES);
    if (tableShrinks) {
      tableShrinks = false;
      out.writeByte(0x20);
    }
    return out;
  }

  /** Ends HEADERS: the block from {@code start}, the writer index after {@link #headers}, on. */
  void endHeaders(Http2Stream stream, int start, boolean last) {
    ByteBuf out = joined;
    assert out != null : "no HEADERS begun";
    int blockStart = out.getByte(start - 1) == 0x20 ? start - 1 : start;
    int length = out.writerIndex() - blockStart;
    int header = blockStart - Frames.HEADER_BYTES;
    int flags = last ? Frames.END_STREAM : 0;
    int end = out.writerIndex();
    if (length <= maxFrameBytes) {
      out.writerIndex(header);
      Frames.header(out, length, Frames.HEADERS, flags | Frames.END_HEADERS, stream.id);
      out.writerIndex(end);
    } else {
      byte[] block = new byte[length];
      out.getBytes(blockStart, block);
      out.writerIndex(header);
      for (int at = 0; at < length; at += maxFrameBytes) {
        int part = Math.min(maxFrameBytes, length - at);
        int type = at == 0 ? Frames.HEADERS : Frames.CONTINUATION;
        int bits = (at == 0 ? flags : 0) | (at + part == length ? Frames.END_HEADERS : 0);
        Frames.header(out, part, type, bits, stream.id);
        out.writeBytes(block, at, part);
      }
    }
    emitted(stream, out.writerIndex() - header);
    if (last) {
      stream.outputEnded();
    }
  }

  private void emitted(Http2Stream stream, int bytes) {
    long end = tally.queuedBytes() + (joined == null ? 0 : joined.readableBytes());
    stream.tally.emitted(bytes, end);
    if (!stream.tally.listed) {
      stream.tally.listed = true;
      unwritten.add(stream);
    }
  }

  /** Content in a head's block, borrowed: sent at once if the windows allow it, else queued. */
  void content(Http2Stream stream, ByteBuf block, int index, int length, boolean last) {
    boolean now =
        stream.queuedBytes == 0
            && readyStreams == 0
            && length <= Math.min(maxFrameBytes, Math.min(window, stream.sendWindow));
    if (!now) {
      stream.queue(
          length <= COPY_LIMIT_BYTES
              ? block.copy(index, length)
              : block.retainedSlice(index, length));
      if (last) {
        stream.endQueued = true;
      }
      enqueue(stream);
      return;
    }
    take(stream, length);
    if (length <= COPY_LIMIT_BYTES) {
      ByteBuf out = control(Frames.HEADER_BYTES + length);
      Frames.header(out, length, Frames.DATA, last ? Frames.END_STREAM : 0, stream.id);
      out.writeBytes(block, index, length);
    } else {
      Frames.header(
          control(Frames.HEADER_BYTES),
          length,
          Frames.DATA,
          last ? Frames.END_STREAM : 0,
          stream.id);
      passJoined();
      tally.write(context, block.retainedSlice(index, length));
    }
    emitted(stream, Frames.HEADER_BYTES + length);
    if (last) {
      stream.outputEnded();
    }
  }

  private void take(Http2Stream stream, int length) {
    window -= length;
    stream.sendWindow -= length;
  }

  /** Content, taken. */
  void content(Http2Stream stream, ByteBuf content) {
    stream.queue(content);
    enqueue(stream);
  }

  /** The end of the content, after the queued one; {@code trailers} may be null. */
  void end(Http2Stream stream, @Nullable FieldLines trailers) {
    stream.endQueued = true;
    stream.trailers = trailers;
    enqueue(stream);
  }

  /** RST_STREAM. */
  void reset(int stream, ErrorCode why) {
    Frames.reset(control(Frames.HEADER_BYTES + 4), stream, why);
  }

  // ---- turns

  private void enqueue(Http2Stream stream) {
    if (!stream.isReady && stream.canSend()) {
      stream.isReady = true;
      stream.readyAs = stream.urgency;
      readyStreams++;
      ready.get(stream.urgency).addLast(stream);
    }
  }

  /** {@code stream} sends nothing more. */
  void forget(Http2Stream stream) {
    if (stream.isReady) {
      stream.isReady = false;
      readyStreams--;
      ready.get(stream.readyAs).remove(stream);
    }
    if (stream.tally.listed) {
      stream.tally.listed = false;
      unwritten.remove(stream);
    }
    drained.remove(stream);
  }

  /** Sends content as far as windows and the socket's queue allow. */
  private void pump() {
    while (readyStreams > 0 && queuedBytes() < bufferBytes) {
      Http2Stream stream = next();
      if (stream == null || !sendFrame(stream)) {
        return;
      }
    }
  }

  private @Nullable Http2Stream next() {
    for (ArrayDeque<Http2Stream> equals : ready) {
      Http2Stream first = equals.peekFirst();
      if (first != null) {
        return first;
      }
    }
    return null;
  }

  /** Sends one frame of {@code stream}, the first of its queue; false: the connection's is full. */
  private boolean sendFrame(Http2Stream stream) {
    if (!stream.canSend()) {
      // SETTINGS_INITIAL_WINDOW_SIZE has shut its window since it got its turn
      leave(stream);
      return true;
    }
    ByteBuf piece = stream.pieces.peekFirst();
    if (piece == null) {
      finish(stream);
      leave(stream);
      return true;
    }
    long most = Math.min(window, Math.min(stream.sendWindow, maxFrameBytes));
    if (window <= 0) {
      return false;
    }
    int length = (int) Math.min(most, piece.readableBytes());
    boolean last = stream.endQueued && stream.trailers == null && length == stream.queuedBytes;
    Frames.header(
        control(Frames.HEADER_BYTES + (length <= COPY_LIMIT_BYTES ? length : 0)),
        length,
        Frames.DATA,
        last ? Frames.END_STREAM : 0,
        stream.id);
    boolean whole = length == piece.readableBytes();
    if (whole) {
      stream.pieces.removeFirst();
    }
    if (length <= COPY_LIMIT_BYTES) {
      assert joined != null : "control made it";
      joined.writeBytes(piece, length);
      if (whole) {
        piece.release();
      }
    } else {
      passJoined();
      tally.write(context, whole ? piece : piece.readRetainedSlice(length));
    }
    stream.queuedBytes -= length;
    take(stream, length);
    emitted(stream, Frames.HEADER_BYTES + length);
    if (last) {
      stream.outputEnded();
    }
    if (!stream.canSend()) {
      leave(stream);
    } else if (stream.incremental) {
      ArrayDeque<Http2Stream> equals = ready.get(stream.readyAs);
      equals.removeFirst();
      equals.addLast(stream);
    }
    if (stream.takesMoreAgain()) {
      drained.add(stream);
    }
    return true;
  }

  private void leave(Http2Stream stream) {
    stream.isReady = false;
    readyStreams--;
    ready.get(stream.readyAs).removeFirst();
  }

  /** Sends the end of a stream without further content. */
  private void finish(Http2Stream stream) {
    FieldLines trailers = stream.trailers;
    if (trailers == null) {
      Frames.header(control(Frames.HEADER_BYTES), 0, Frames.DATA, Frames.END_STREAM, stream.id);
      emitted(stream, Frames.HEADER_BYTES);
      stream.outputEnded();
      return;
    }
    ByteBuf out = headers(HpackEncoder.maxBytes(trailers.length()));
    int start = out.writerIndex();
    HpackEncoder.lines(out, trailers.bytes(), 0, trailers.length());
    endHeaders(stream, start, true);
  }

  /** Bytes on their way that the socket did not take yet, without waiting content. */
  long queuedBytes() {
    return tally.queuedBytes()
        - tally.writtenBytes()
        + (joined == null ? 0 : joined.readableBytes());
  }

  /** Passes everything that may leave to the socket, then tells the streams. */
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
    } while (readyStreams > 0 && window > 0 && tally.writtenBytes() > before);
    tellStreams();
  }

  /** Tells the streams whose bytes are written, and those that take more content. */
  void tellStreams() {
    if (telling) {
      return;
    }
    telling = true;
    ArrayList<Http2Stream> told = unwritten;
    unwritten = spare;
    spare = told;
    for (int i = 0; i < told.size(); i++) {
      Http2Stream stream = told.get(i);
      stream.tally.listed = false;
      if (!stream.tally.confirm(tally.writtenBytes(), stream.canSend())) {
        stream.tally.listed = true;
        unwritten.add(stream);
      }
      stream.outputWritten();
    }
    told.clear();
    while (!drained.isEmpty()) {
      drained.remove(drained.size() - 1).roomAgain();
    }
    telling = false;
  }

  /** Whether a frame waits for a flush. */
  boolean isDue() {
    return joined != null || readyStreams > 0;
  }

  /** Drops everything. */
  void close() {
    closed = true;
    if (joined != null) {
      joined.release();
      joined = null;
    }
  }
}
