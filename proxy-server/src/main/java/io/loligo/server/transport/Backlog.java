package io.loligo.server.transport;

import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;

/**
 * The memory of the bytes that are queued for one peer, in their order, entered in a ledger until
 * they are written. Confined to the event loop of the peer's connection.
 *
 * <p>A relay reads as long as the connection is writable; if memory is scarce, only when all bytes
 * were written. So no more than one small read stays with each peer that takes nothing.
 */
public final class Backlog {
  /** A queued buffer is kept as it is if its memory is at most this many times its bytes. */
  private static final int MAX_PINNING = 2;

  private final MemoryLedger ledger;
  private int[] charges = new int[4];
  private int first;
  private int size;

  /** Nothing is queued. */
  public Backlog(MemoryLedger ledger) {
    this.ledger = ledger;
  }

  /**
   * {@code content}, taken, in the form to be queued, which is done next; returned owned. A few
   * bytes after others do not keep the buffer into which they were read.
   */
  public ByteBuf enter(ByteBuf content, ByteBufAllocator allocator) {
    int bytes = content.readableBytes();
    int charge = SizeClass.of(content);
    ByteBuf queued = content;
    if (size > 0 && charge > MAX_PINNING * SizeClass.roundUp(bytes)) {
      try {
        queued = allocator.directBuffer(bytes, bytes).writeBytes(content);
      } finally {
        content.release();
      }
      charge = SizeClass.roundUp(bytes);
    }
    ledger.force(charge);
    push(charge);
    return queued;
  }

  private void push(int charge) {
    if (size == charges.length) {
      int[] unrolled = Arrays.copyOf(charges, 2 * size);
      System.arraycopy(charges, first, unrolled, 0, size - first);
      System.arraycopy(charges, 0, unrolled, size - first, first);
      charges = unrolled;
      first = 0;
    }
    charges[(first + size) % charges.length] = charge;
    size++;
  }

  /** All but the last {@code count} were written, or never will be. */
  public void keep(int count) {
    while (size > count) {
      ledger.release(charges[first]);
      first = (first + 1) % charges.length;
      size--;
    }
  }

  /** One more was written, or never will be. */
  public void written() {
    keep(size - 1);
  }

  /** Whether more should be read for the peer, according to the available memory. */
  public boolean takesMore() {
    return size == 0 || !ledger.isScarce();
  }
}
