package io.loligo.server.downstream.http2;

import io.loligo.core.http2.Frames;
import io.loligo.core.message.FieldLines;
import io.loligo.server.http2.FrameOutput;
import io.loligo.server.transport.WriteTally;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frames on their way to a client: content waits for the windows of its stream and of the
 * connection, and for its turn (RFC 9218). Confined to the client's event loop.
 *
 * <p>The streams with the most urgent content go first. Among equals an incremental one gives way
 * after each frame, another one goes on until its content is sent.
 */
final class Output extends FrameOutput<Http2Stream> {
  private static final int URGENCIES = 8;
  private static final int MOST_BYTES = Frames.DEFAULT_MAX_FRAME_BYTES;

  private final List<ArrayDeque<Http2Stream>> ready = new ArrayList<>(URGENCIES);
  private ArrayList<Http2Stream> unwritten = new ArrayList<>();
  private ArrayList<Http2Stream> spare = new ArrayList<>();
  private final ArrayList<Http2Stream> drained = new ArrayList<>();
  private int readyStreams;
  private boolean telling;

  /**
   * The output of a connection.
   *
   * @param tally of all its writes
   * @param bufferBytes of the client's socket queue, from which on content waits here
   */
  Output(ChannelHandlerContext context, WriteTally tally, int bufferBytes) {
    super(context, tally, bufferBytes);
    for (int i = 0; i < URGENCIES; i++) {
      ready.add(new ArrayDeque<>(0));
    }
  }

  @Override
  public boolean widen(Http2Stream stream, int bytes) {
    stream.sendWindow += bytes;
    enqueue(stream);
    return stream.sendWindow <= Integer.MAX_VALUE;
  }

  // ---- frames

  /** Sends a head of {@code stream}, begun at {@code start}. */
  void head(Http2Stream stream, int start, boolean last) {
    emitted(stream, endHeaders(stream.id, start, last), last);
  }

  private void emitted(Http2Stream stream, int bytes, boolean last) {
    stream.tally.emitted(bytes, emittedBytes());
    if (!stream.tally.listed) {
      stream.tally.listed = true;
      unwritten.add(stream);
    }
    if (last) {
      stream.outputEnded();
    }
  }

  /** Content in a head's block, borrowed: sent at once if the windows allow it, else queued. */
  void content(Http2Stream stream, ByteBuf block, int index, int length, boolean last) {
    boolean now =
        stream.queuedBytes == 0
            && readyStreams == 0
            && length <= Math.min(MOST_BYTES, Math.min(window(), stream.sendWindow));
    boolean copies = length <= COPY_LIMIT_BYTES;
    if (!now) {
      stream.queue(copies ? block.copy(index, length) : block.retainedSlice(index, length));
      if (last) {
        stream.endQueued = true;
      }
      enqueue(stream);
      return;
    }
    stream.sendWindow -= length;
    ByteBuf out = beginData(stream.id, length, last);
    if (copies) {
      out.writeBytes(block, index, length);
    } else {
      pass(block.retainedSlice(index, length));
    }
    emitted(stream, Frames.HEADER_BYTES + length, last);
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

  @Override
  protected boolean hasReady() {
    return readyStreams > 0;
  }

  @Override
  protected void pump() {
    while (readyStreams > 0 && takesMore()) {
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
      emitted(stream, end(stream.id, stream.trailers), true);
      leave(stream);
      return true;
    }
    if (window() <= 0) {
      return false;
    }
    long most = Math.min(window(), Math.min(stream.sendWindow, MOST_BYTES));
    int length = (int) Math.min(most, piece.readableBytes());
    boolean last = stream.endQueued && stream.trailers == null && length == stream.queuedBytes;
    roomForData(length);
    boolean whole = length == piece.readableBytes();
    if (whole) {
      stream.pieces.removeFirst();
    }
    stream.queuedBytes -= length;
    stream.sendWindow -= length;
    data(stream.id, whole ? piece : piece.readRetainedSlice(length), last);
    emitted(stream, Frames.HEADER_BYTES + length, last);
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

  /** {@inheritDoc} Then tells the streams. */
  @Override
  public void flush() {
    if (!isClosed()) {
      super.flush();
      tellStreams();
    }
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
      if (!stream.tally.confirm(writtenBytes(), stream.canSend())) {
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
}
