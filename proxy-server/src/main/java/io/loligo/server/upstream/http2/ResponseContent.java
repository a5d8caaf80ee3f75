package io.loligo.server.upstream.http2;

import io.loligo.server.transport.SmallPieces;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * The content of one response that the exchange has not read yet, and the window that bounds it.
 * Bytes that stay after a read of the connection are entered in the ledger of bytes in transit.
 * Confined to the connection's event loop.
 *
 * <p>The window begins with the stream buffer's size. It doubles up to {@value #MAX_WINDOW_BYTES}
 * bytes while the exchange reads everything at once and memory is not scarce, so that a distant
 * server can keep a fast client busy.
 */
final class ResponseContent {
  /** The largest window of a stream. */
  static final int MAX_WINDOW_BYTES = 256 << 10;

  private final ByteBufAllocator allocator;
  private final MemoryLedger transit;
  private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(2);
  private int heldBytes;
  private int chargedBytes;

  /** The size of the window when nothing is unread. */
  private int windowBytes;

  /** Bytes that the server may still send. */
  private int openBytes;

  /** Bytes that were read, or were padding, and were not given back to the window. */
  private int creditBytes;

  /** Nothing has arrived. */
  ResponseContent(ByteBufAllocator allocator, MemoryLedger transit, int windowBytes) {
    this.allocator = allocator;
    this.transit = transit;
    this.windowBytes = windowBytes;
    this.openBytes = windowBytes;
  }

  /**
   * A frame of {@code flowBytes} with {@code payload}, borrowed and read, has arrived.
   *
   * @return false: the window does not allow it, and the payload was dropped
   */
  boolean add(ByteBuf payload, int flowBytes) {
    int length = payload.readableBytes();
    openBytes -= flowBytes;
    if (openBytes < 0) {
      return false;
    }
    creditBytes += flowBytes - length;
    if (length == 0) {
      return true;
    }
    ByteBuf last = pieces.peekLast();
    if (length < SmallPieces.ENOUGH_BYTES) {
      // a small piece would keep all of its read's buffer
      boolean joins = last != null && last.readableBytes() < SmallPieces.ENOUGH_BYTES;
      ByteBuf joined = joins ? pieces.pollLast() : null;
      pieces.addLast(SmallPieces.join(joined, payload, length, allocator));
    } else {
      pieces.addLast(payload.readRetainedSlice(length));
    }
    heldBytes += length;
    return true;
  }

  boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** The next piece; returned owned. */
  ByteBuf take() {
    ByteBuf piece = pieces.remove();
    int length = piece.readableBytes();
    heldBytes -= length;
    creditBytes += length;
    return piece;
  }

  /** Enters the unread bytes in the ledger. */
  void charge() {
    if (heldBytes > chargedBytes) {
      transit.force(heldBytes - chargedBytes);
    } else if (heldBytes < chargedBytes) {
      transit.release(chargedBytes - heldBytes);
    }
    chargedBytes = heldBytes;
  }

  /** Bytes for a WINDOW_UPDATE that is worth its frame; 0: none is. They count as given. */
  int credit() {
    if (creditBytes < windowBytes / 2) {
      return 0;
    }
    int bytes = creditBytes;
    if (heldBytes == 0 && windowBytes < MAX_WINDOW_BYTES && !transit.isScarce()) {
      int more = Math.min(windowBytes, MAX_WINDOW_BYTES - windowBytes);
      windowBytes += more;
      bytes += more;
    }
    creditBytes = 0;
    openBytes += bytes;
    return bytes;
  }

  /** Drops the unread bytes. */
  void release() {
    for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
      piece.release();
    }
    heldBytes = 0;
    charge();
  }
}
