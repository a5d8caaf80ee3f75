package io.loligo.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

final class BacklogTest {
  private static final int READ = 65_536;

  private final MemoryLedger ledger = new MemoryLedger(10 * READ);
  private final Backlog backlog = new Backlog(ledger);
  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final ArrayDeque<ByteBuf> queued = new ArrayDeque<>();

  private void enter(int bytes) {
    ByteBuf read = allocator.directBuffer(READ, READ).writeZero(bytes);
    queued.add(backlog.enter(read, allocator));
  }

  private void written() {
    queued.remove().release();
    backlog.written();
  }

  @Test
  void isInTheLedgerUntilItIsWrittenWhateverTheOrderOfSizes() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 3; i++) {
        enter(READ);
        enter(100);
        enter(READ / 2);
      }
      for (int i = 0; i < 5; i++) {
        written();
      }
    }
    long held = ledger.used();
    long taken = queued.stream().mapToLong(ByteBuf::capacity).sum();
    assertThat(held).isBetween(taken, taken + taken / 4);
    while (!queued.isEmpty()) {
      written();
    }
    assertThat(ledger.used()).isZero();
  }

  @Test
  void aFewBytesAfterOthersDoNotKeepALargeBuffer() {
    for (int i = 0; i < 1_000; i++) {
      enter(1);
    }
    assertThat(ledger.used()).isLessThan(2 * READ);
    queued.forEach(one -> assertThat(one.getByte(one.readerIndex())).isZero());
    while (!queued.isEmpty()) {
      written();
    }
  }

  @Test
  void takesOneAtATimeWhereMemoryIsScarce() {
    assertThat(backlog.takesMore()).isTrue();
    enter(READ);
    assertThat(backlog.takesMore()).isTrue();
    ledger.force(9 * READ);
    assertThat(backlog.takesMore()).isFalse();
    assertThat(ledger.readable(READ)).isEqualTo(512);
    written();
    assertThat(backlog.takesMore()).isTrue();
    assertThat(ledger.readable(READ)).isEqualTo(4_096);
    ledger.release(9 * READ);
    assertThat(ledger.readable(READ)).isEqualTo(READ);
  }
}
