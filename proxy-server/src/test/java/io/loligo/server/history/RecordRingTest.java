package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class RecordRingTest {
  private static final int BASE = 7;
  private static final int BYTES = 100;
  private static final int RECORDS = 12;

  private record Plain(long slot, byte[] bytes) {}

  private static Plain copied(RecordRing ring, long number) {
    RecordBytes into = new RecordBytes();
    ring.copy(number, into);
    return new Plain(ring.slot(number), Arrays.copyOf(into.array(), into.length()));
  }

  /** Against a list of all records that were ever added. */
  @Property(tries = 300)
  void hasTheNewestRecordsInOrder(@ForAll long seed) {
    Random random = new Random(seed);
    ByteBuf memory = Unpooled.buffer(BASE + BYTES + 5, BASE + BYTES + 5);
    memory.setBytes(0, new byte[BASE + BYTES + 5]);
    memory.setByte(BASE - 1, 42).setByte(BASE + BYTES, 43);
    RecordRing ring = new RecordRing(memory, BASE, BYTES, RECORDS);
    List<Plain> all = new ArrayList<>();
    long slot = 0;
    int longest = 1 + random.nextInt(BYTES);
    for (int step = 0; step < 200; step++) {
      slot += random.nextInt(3);
      byte[] bytes = new byte[1 + random.nextInt(longest)];
      random.nextBytes(bytes);
      RecordBytes record = new RecordBytes();
      System.arraycopy(bytes, 0, record.room(bytes.length), 0, bytes.length);
      ring.add(slot, record);
      all.add(new Plain(slot, bytes));
      if (random.nextInt(10) == 0) {
        long least = slot - random.nextInt(6);
        ring.dropBefore(least);
        assertThat(ring.first() == ring.end() || ring.slot(ring.first()) >= least).isTrue();
      }
      check(ring, all, random);
    }
    assertThat(memory.getByte(BASE - 1)).isEqualTo((byte) 42);
    assertThat(memory.getByte(BASE + BYTES)).isEqualTo((byte) 43);
    memory.release();
  }

  private static void check(RecordRing ring, List<Plain> all, Random random) {
    assertThat(ring.end()).isEqualTo(all.size());
    long bytes = 0;
    for (long number = ring.first(); number < ring.end(); number++) {
      Plain there = copied(ring, number);
      assertThat(there.slot()).isEqualTo(all.get((int) number).slot());
      assertThat(there.bytes()).isEqualTo(all.get((int) number).bytes());
      bytes += there.bytes().length;
    }
    assertThat(ring.usedBytes()).isEqualTo((int) bytes).isLessThanOrEqualTo(BYTES);
    long asked = all.get(all.size() - 1).slot() - random.nextInt(8);
    long expected = ring.first();
    while (expected < ring.end() && ring.slot(expected) < asked) {
      expected++;
    }
    assertThat(ring.firstFrom(asked)).isEqualTo(expected);
  }

  @Test
  void aRingOfEqualRecordsIsFilledToTheLastByte() {
    RecordRing ring = new RecordRing(Unpooled.buffer(BYTES), 0, BYTES, 1000);
    RecordBytes record = new RecordBytes();
    record.room(10);
    for (int i = 0; i < 57; i++) {
      ring.add(i, record);
    }
    assertThat(ring.end() - ring.first()).isEqualTo(10);
    assertThat(ring.usedBytes()).isEqualTo(100);
  }

  @Test
  void aRecordLargerThanTheRingIsLeftOut() {
    RecordRing ring = new RecordRing(Unpooled.buffer(BYTES), 0, BYTES, RECORDS);
    RecordBytes record = new RecordBytes();
    record.room(BYTES + 1);
    ring.add(1, record);
    assertThat(ring.end()).isZero();
    record.room(BYTES);
    ring.add(2, record);
    assertThat(ring.usedBytes()).isEqualTo(BYTES);
  }
}
