package io.loligo.server.upstream.attempt;

import io.loligo.core.message.Fields;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the content of one request as far as it was sent, for the case that the other end
 * refuses the request and it is sent elsewhere. The copy is given up beyond {@value #MOST_BYTES}
 * bytes. It is entered in the ledger of bytes in transit. Confined to one event loop.
 */
final class SentContent {
  /** Most bytes that are kept. */
  static final int MOST_BYTES = 64 << 10;

  private final MemoryLedger transit;
  private @Nullable ByteBuf copy;
  private int chargedBytes;
  private boolean lost;
  private boolean ended;
  private @Nullable Fields trailers;

  /** Nothing was sent. */
  SentContent(MemoryLedger transit) {
    this.transit = transit;
  }

  /**
   * Copies {@code content}, borrowed and not read.
   *
   * @param must whether it was not sent, so that it is kept beyond the limit
   */
  void add(ByteBuf content, ByteBufAllocator allocator, boolean must) {
    if (lost) {
      return;
    }
    int length = content.readableBytes();
    ByteBuf kept = copy;
    if (!must && (kept == null ? 0 : kept.readableBytes()) + length > MOST_BYTES) {
      release();
      return;
    }
    if (kept == null) {
      kept = allocator.directBuffer(length);
      copy = kept;
    }
    kept.writeBytes(content, content.readerIndex(), length);
    charge(kept.capacity());
  }

  private void charge(int bytes) {
    if (bytes > chargedBytes) {
      transit.force(bytes - chargedBytes);
    } else if (bytes < chargedBytes) {
      transit.release(chargedBytes - bytes);
    }
    chargedBytes = bytes;
  }

  /** The content is complete; {@code late} is borrowed. */
  void end(@Nullable Fields late) {
    ended = true;
    trailers = late == null ? null : late.snapshot();
  }

  /** Whether everything that was sent is here. */
  boolean isWhole() {
    return !lost;
  }

  /** Whether more should be given while nothing is sent. */
  boolean hasRoom() {
    return copy == null || copy.readableBytes() < MOST_BYTES;
  }

  /** Sends everything again. */
  void sendTo(Lease lease) {
    ByteBuf kept = copy;
    if (kept != null) {
      lease.content(kept.copy());
    }
    if (ended) {
      lease.endContent(trailers);
    }
  }

  /** Gives the copy up. */
  void release() {
    lost = true;
    if (copy != null) {
      copy.release();
      copy = null;
    }
    charge(0);
  }
}
