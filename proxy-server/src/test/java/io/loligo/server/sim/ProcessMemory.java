package io.loligo.server.sim;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The buffers of one process. A killed process releases none of them: {@link #discard} does.
 * Confined to the world's thread.
 */
final class ProcessMemory extends AbstractByteBufAllocator
    implements ByteBufAllocatorMetricProvider {
  private static final int FIRST_LOOK = 1_000;

  private final UnpooledByteBufAllocator memory =
      new UnpooledByteBufAllocator(true, /* disableLeakDetector= */ true);
  private final List<ByteBuf> direct = new ArrayList<>();
  private int nextLook = FIRST_LOOK;

  ProcessMemory() {
    super(true);
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return memory.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    ByteBuf buffer = memory.directBuffer(initialCapacity, maxCapacity);
    direct.add(buffer);
    if (direct.size() >= nextLook) {
      direct.removeIf(each -> each.refCnt() == 0);
      nextLook = FIRST_LOOK + 2 * direct.size();
    }
    return buffer;
  }

  @Override
  public CompositeByteBuf compositeHeapBuffer(int maxNumComponents) {
    return new CompositeByteBuf(this, false, maxNumComponents);
  }

  @Override
  public CompositeByteBuf compositeDirectBuffer(int maxNumComponents) {
    return new CompositeByteBuf(this, true, maxNumComponents);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }

  @Override
  public ByteBufAllocatorMetric metric() {
    return memory.metric();
  }

  /** How many buffers of each capacity there are. */
  String contents() {
    Map<Integer, Integer> counts = new TreeMap<>();
    direct.stream()
        .filter(each -> each.refCnt() > 0)
        .forEach(each -> counts.merge(each.capacity(), 1, Integer::sum));
    return counts.toString();
  }

  /** Releases all buffers. No code of the process may run any more. */
  void discard() {
    for (ByteBuf buffer : direct) {
      if (buffer.refCnt() > 0) {
        buffer.release(buffer.refCnt());
      }
    }
    direct.clear();
  }
}
