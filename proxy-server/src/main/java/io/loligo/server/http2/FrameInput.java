package io.loligo.server.http2;

import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a connection that are no whole frame yet. They stay in one buffer, which grows by
 * doubling: a frame that arrives in many pieces is copied a few times only. The buffer is entered
 * in the ledger of bytes in transit. Confined to the channel's event loop.
 */
public final class FrameInput {
  private final MemoryLedger transit;
  private @Nullable ByteBuf bytes;
  private int chargedBytes;
  private boolean reading;
  private boolean closed;

  /** No bytes yet. */
  public FrameInput(MemoryLedger transit) {
    this.transit = transit;
  }

  /**
   * Adds {@code in}, taken. Returns all bytes at hand, borrowed until {@link #done}, to be read as
   * far as there are whole frames. Not after {@link #close}.
   */
  public ByteBuf add(ByteBuf in, ByteBufAllocator allocator) {
    assert !closed && !reading : "closed, or not done";
    ByteBuf rest = bytes;
    ByteBuf all = rest == null ? in : join(rest, in, allocator);
    bytes = all;
    reading = true;
    return all;
  }

  private static ByteBuf join(ByteBuf rest, ByteBuf in, ByteBufAllocator allocator) {
    try {
      int more = in.readableBytes();
      if (rest.writableBytes() >= more) {
        return rest.writeBytes(in);
      }
      ByteBuf all = allocator.directBuffer(2 * rest.readableBytes() + more);
      all.writeBytes(rest).writeBytes(in);
      rest.release();
      return all;
    } finally {
      in.release();
    }
  }

  /** The whole frames were read. */
  public void done() {
    reading = false;
    ByteBuf rest = bytes;
    if (rest != null && (closed || !rest.isReadable())) {
      rest.release();
      bytes = null;
    }
    if (closed) {
      charge();
    }
  }

  /** Enters the bytes that stay in the ledger. */
  public void charge() {
    int now = bytes == null ? 0 : bytes.capacity();
    if (now > chargedBytes) {
      transit.force(now - chargedBytes);
    } else if (now < chargedBytes) {
      transit.release(chargedBytes - now);
    }
    chargedBytes = now;
  }

  /** Drops the bytes; those that are being read, when that is {@link #done}. */
  public void close() {
    closed = true;
    if (!reading) {
      done();
    }
  }
}
