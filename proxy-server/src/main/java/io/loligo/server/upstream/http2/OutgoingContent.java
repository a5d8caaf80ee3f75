package io.loligo.server.upstream.http2;

import io.loligo.core.message.FieldLines;
import io.loligo.server.transport.Backlog;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The content of one request that waits for its turn and for the server's windows. Its memory is
 * entered in the ledger of bytes in transit. Confined to the connection's event loop.
 */
final class OutgoingContent {
  /** The stream's window: bytes that the server takes. */
  long window;

  /** Whether it has a place in the order of writing. */
  boolean isReady;

  private final Backlog backlog;
  private final ByteBufAllocator allocator;
  private final int mostBytes;
  private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(2);
  private int queuedBytes;
  private boolean whole;
  private @Nullable FieldLines trailers;

  /**
   * Nothing is queued.
   *
   * @param mostBytes queued bytes from which on no more are taken
   */
  OutgoingContent(MemoryLedger transit, ByteBufAllocator allocator, long window, int mostBytes) {
    this.backlog = new Backlog(transit);
    this.allocator = allocator;
    this.window = window;
    this.mostBytes = mostBytes;
  }

  /** Queues {@code content}, taken. */
  void add(ByteBuf content) {
    ByteBuf piece = backlog.enter(content, allocator);
    queuedBytes += piece.readableBytes();
    pieces.addLast(piece);
  }

  /** No more follows. */
  void end(@Nullable FieldLines lines) {
    whole = true;
    trailers = lines;
  }

  /** The end was sent. */
  void ended() {
    whole = false;
  }

  /** Whether more should be queued now. */
  boolean takesMore() {
    return queuedBytes < mostBytes && backlog.takesMore();
  }

  /** Whether a frame could be sent if the connection allows it. */
  boolean canSend() {
    return pieces.isEmpty() ? whole : window > 0;
  }

  /** Whether content or the end waits. */
  boolean isDue() {
    return whole || !pieces.isEmpty();
  }

  /** The next piece, borrowed; null: only the end is left. */
  @Nullable ByteBuf next() {
    return pieces.peekFirst();
  }

  /** Whether a frame of {@code length} bytes is the last one. */
  boolean isLast(int length) {
    return whole && trailers == null && length == queuedBytes;
  }

  /** The trailer section that ends it, or null. */
  @Nullable FieldLines trailers() {
    return trailers;
  }

  /** {@code length} bytes of the next piece leave: returns owned. */
  ByteBuf take(int length) {
    ByteBuf piece = pieces.getFirst();
    queuedBytes -= length;
    window -= length;
    if (length < piece.readableBytes()) {
      return piece.readRetainedSlice(length);
    }
    pieces.removeFirst();
    backlog.written();
    return piece;
  }

  /** Drops the rest. */
  void release() {
    for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
      piece.release();
    }
    backlog.keep(0);
    queuedBytes = 0;
    whole = false;
  }
}
