package io.loligo.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class SizeClassTest {
  private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);

  @Property
  void matchesThePooledAllocator(@ForAll @IntRange(min = 0, max = 6 << 20) int capacity) {
    ByteBuf buffer = allocator.directBuffer(capacity);
    int taken = buffer.maxFastWritableBytes();
    buffer.release();
    assertThat(SizeClass.roundUp(capacity)).isEqualTo(Math.max(16, taken));
  }
}
