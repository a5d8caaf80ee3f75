package io.loligo.server.transport;

import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Says how large the next read of one channel may be: small while heads are expected, the stream
 * buffer's size while content flows, smaller where memory is scarce. Confined to the channel's
 * event loop.
 */
public final class ReadSize extends DefaultMaxMessagesRecvByteBufAllocator {
  private final MemoryLedger transit;
  private int bytes;

  /**
   * Reads of {@code bytes} octets, until told otherwise.
   *
   * @param transit says how scarce memory is
   */
  public ReadSize(int bytes, MemoryLedger transit) {
    this.transit = transit;
    this.bytes = bytes;
  }

  /** Sets the size of the reads to come, octets. */
  public void bytes(int bytes) {
    this.bytes = bytes;
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
