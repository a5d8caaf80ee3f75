package io.loligo.server.transport;

import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Says how large the next read of one channel may be: small while heads are expected, the stream
 * buffer's size while content flows, smaller where memory is scarce. Confined to the channel's
 * event loop.
 */
public final class ReadSize extends DefaultMaxMessagesRecvByteBufAllocator {
  /** Linux's; a segment is smaller by the headers. */
  private static final int LOOPBACK_MTU = 65_536;

  private final MemoryLedger transit;
  private int bytes;

  /**
   * Reads of {@code bytes} bytes, until told otherwise.
   *
   * @param transit says how scarce memory is
   */
  public ReadSize(int bytes, MemoryLedger transit) {
    this.transit = transit;
    this.bytes = bytes;
  }

  /** Sets the size of the reads to come, bytes. */
  public void bytes(int bytes) {
    this.bytes = bytes;
  }

  /** Reads to come fill a stream buffer as far as {@link #intoBufferOf} says. */
  public void streamBuffer(int bufferBytes) {
    bytes = intoBufferOf(bufferBytes);
  }

  /**
   * Bytes that a read into a stream buffer takes: all of a small one, 63 of 64 of one of 64 KiB and
   * more. A segment on the loopback interface holds 65,483, so that 64 KiB that are passed on as
   * they came would be two, the second of 53 bytes, at 1.7 times the CPU (ADR 12).
   */
  public static int intoBufferOf(int bufferBytes) {
    return bufferBytes < LOOPBACK_MTU ? bufferBytes : bufferBytes - bufferBytes / 64;
  }

  @SuppressWarnings("deprecation") // Netty still takes no other kind of handle
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
