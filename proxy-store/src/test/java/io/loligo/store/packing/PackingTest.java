package io.loligo.store.packing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackingTest {
  /** Number of the first chunk behind 256 GiB. */
  private static final int BEHIND_256_GIB = 1 << 18;

  private final Arena arena = new Arena(new PackedAllocator(UnpooledByteBufAllocator.DEFAULT));

  @ParameterizedTest
  @ValueSource(
      ints = {0, BEHIND_256_GIB - 1, BEHIND_256_GIB, BEHIND_256_GIB + 1, Integer.MAX_VALUE})
  void aBlockIsFoundByItsNumber(int number) {
    Chunk chunk = new Chunk(arena, number, Unpooled.directBuffer(Packing.CHUNK_BYTES));
    for (int start : new int[] {0, 1, Chunk.GRANULES - 1}) {
      long block = chunk.block(start);
      assertThat(block).isEqualTo((long) number * Chunk.GRANULES + start);
      assertThat(Chunk.numberOf(block)).isEqualTo(number);
      assertThat(Chunk.startOf(block)).isEqualTo(start);
    }
    chunk.release();
  }

  /** The same blocks as of a packing that begins at 0, without the 256 GiB before it. */
  @Test
  void blocksBehind256GibAreTheirOwn() {
    Packing packing = new Packing(arena, BEHIND_256_GIB - 1);
    for (int i = 0; i < 3; i++) {
      packing.add(Unpooled.directBuffer(Packing.CHUNK_BYTES, Packing.CHUNK_BYTES));
    }
    int granules = Chunk.GRANULES / 4;
    List<Long> blocks = new ArrayList<>();
    Set<String> places = new HashSet<>();
    for (long block = packing.take(granules);
        block != Packing.NONE;
        block = packing.take(granules)) {
      blocks.add(block);
      places.add(packing.chunk(block).number() + " " + Chunk.startOf(block));
    }
    assertThat(blocks).hasSize(12).allMatch(block -> block >= (BEHIND_256_GIB - 1L) << 14);
    assertThat(places).hasSize(12);
    int returned = 0;
    for (long block : blocks) {
      Chunk empty = packing.give(block);
      if (empty != null) {
        empty.release();
        returned++;
      }
    }
    assertThat(returned).isEqualTo(3);
    assertThat(packing.take(1)).isEqualTo(Packing.NONE);
  }

  @Test
  void theNumberOfAChunkThatWentIsGivenAgain() {
    Packing packing = new Packing(arena);
    packing.add(Unpooled.directBuffer(Packing.CHUNK_BYTES, Packing.CHUNK_BYTES));
    long first = packing.take(Chunk.GRANULES);
    packing.add(Unpooled.directBuffer(Packing.CHUNK_BYTES, Packing.CHUNK_BYTES));
    long second = packing.take(Chunk.GRANULES);
    packing.give(first).release();
    packing.add(Unpooled.directBuffer(Packing.CHUNK_BYTES, Packing.CHUNK_BYTES));
    assertThat(packing.take(Chunk.GRANULES)).isEqualTo(first).isNotEqualTo(second);
    packing.give(first).release();
    packing.give(second).release();
  }
}
