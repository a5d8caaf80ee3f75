package io.loligo.server.downstream.http1;

import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The received bytes of a client that were not read yet. They are entered in the ledger of bytes in
 * transit. Confined to the event loop of the connection.
 */
final class ReceivedBytes {
  private final MemoryLedger transit;
  private @Nullable ByteBuf bytes;

  /** Bytes of {@link #bytes} that are entered in the ledger. */
  private int charged;

  /** Begins without bytes. */
  ReceivedBytes(MemoryLedger transit) {
    this.transit = transit;
  }

  /** Whether no bytes are left. */
  boolean isEmpty() {
    return bytes == null;
  }

  /**
   * The remaining bytes, borrowed; legal unless {@link #isEmpty}. Call {@link #releaseIfRead} after
   * reading some.
   */
  ByteBuf bytes() {
    assert bytes != null : "no bytes";
    return bytes;
  }

  /** Adds {@code in}, taken. */
  void add(ByteBuf in, ByteBufAllocator allocator) {
    if (!in.isReadable()) {
      in.release();
    } else if (bytes == null) {
      bytes = in;
    } else if (bytes instanceof CompositeByteBuf all) {
      all.addComponent(true, in);
    } else {
      // only the bytes left when the client's FIN arrived come unrequested
      bytes =
          allocator
              .compositeBuffer(Integer.MAX_VALUE)
              .addComponent(true, bytes)
              .addComponent(true, in);
    }
  }

  /** Removes {@code length} of the remaining bytes; returned owned. */
  ByteBuf take(int length) {
    ByteBuf all = bytes();
    if (length < all.readableBytes()) {
      return all.readRetainedSlice(length);
    }
    bytes = null;
    return all;
  }

  /** Removes all of them, possibly none; returned owned. */
  ByteBuf takeAll() {
    ByteBuf all = bytes == null ? Unpooled.EMPTY_BUFFER : bytes;
    bytes = null;
    charge();
    return all;
  }

  /** Drops them. */
  void release() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
    charge();
  }

  /** Drops the buffer if all of it was read. */
  void releaseIfRead() {
    if (bytes != null && !bytes.isReadable()) {
      release();
    }
  }

  /**
   * Enters the remaining bytes in the ledger, regardless of its limit: their memory is in use
   * already.
   */
  void charge() {
    int now = bytes == null ? 0 : SizeClass.of(bytes);
    if (now > charged) {
      transit.force(now - charged);
    } else if (now < charged) {
      transit.release(charged - now);
    }
    charged = now;
  }
}
