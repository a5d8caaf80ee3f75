package io.loligo.server.transport;

import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * The size of the next read of one channel: small while heads are expected, the stream buffer's
 * size while content flows, smaller if memory is scarce. Confined to the channel's event loop.
 */
public final class ReadSize extends DefaultMaxMessagesRecvByteBufAllocator {
  /** That of Linux; a segment is smaller by the headers. */
  private static final int LOOPBACK_MTU = 65_536;

  private final MemoryLedger transit;
  private int bytes;

  /**
   * Reads of {@code bytes} bytes, until changed.
   *
   * @param transit tells how scarce memory is
   */
  public ReadSize(int bytes, MemoryLedger transit) {
    this.transit = transit;
    this.bytes = bytes;
  }

  /** Sets the size of the next reads, bytes. */
  public void bytes(int bytes) {
    this.bytes = bytes;
  }

  /** The next reads fill a stream buffer as far as {@link #intoBufferOf} says. */
  public void streamBuffer(int bufferBytes) {
    bytes = intoBufferOf(bufferBytes);
  }

  /**
   * Bytes that a read into a stream buffer takes: all of a small one, 63 of 64 of one of 64 KiB and
   * more. A segment on the loopback interface holds 65,483, so that 64 KiB passed on unchanged
   * would be two, the second of 53 bytes, at 1.7 times the CPU (ADR 12).
   */
  public static int intoBufferOf(int bufferBytes) {
    return bufferBytes < LOOPBACK_MTU ? bufferBytes : bufferBytes - bufferBytes / 64;
  }

  @SuppressWarnings("deprecation") // Netty still accepts no other kind of handle
  @Override
  public Handle newHandle() {
    return new SizedHandle();
  }

  private final class SizedHandle extends MaxMessageHandle {
    @Override
    public int guess() {
      return transit.readable(bytes);
    }
  }
}
