package io.loligo.server.boot;

import io.loligo.server.downstream.listen.DescriptorLimit;
import io.loligo.server.manager.ProcessFacts;
import io.loligo.server.metrics.AllocatorNumber;
import io.loligo.server.metrics.MemoryOwners;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The process as manager pages show it. Thread-safe: any thread but event loops. */
final class ManagedProcess {
  /** The owners that have all memory between them. */
  private static final Set<String> WHOLE = Set.of("heap", "allocator");

  private final String version;
  private final long startMillis;
  private final MemoryOwners owners;
  private final ByteBufAllocator allocator;
  private final Supplier<Loops> loops;
  private final Supplier<DescriptorLimit> limit;

  /**
   * A process that starts now.
   *
   * @param nowMillis since the epoch
   * @param allocator of all buffers
   * @param loops made later
   * @param limit of descriptors, made later
   */
  ManagedProcess(
      String version,
      long nowMillis,
      MemoryOwners owners,
      ByteBufAllocator allocator,
      Supplier<Loops> loops,
      Supplier<DescriptorLimit> limit) {
    this.version = version;
    this.startMillis = nowMillis;
    this.owners = owners;
    this.allocator = allocator;
    this.loops = loops;
    this.limit = limit;
  }

  /**
   * As it is now; asks the system.
   *
   * @param folders of all directories
   */
  ProcessFacts facts(List<Path> folders) {
    return new ProcessFacts(
        version,
        startMillis,
        ProcessNumbers.cpuNanos(),
        ProcessNumbers.majorPageFaults(),
        loops.get().polls(),
        ProcessNumbers.mostResidentBytes(),
        memoryBytes(),
        buffers(),
        descriptors(folders),
        loops.get().clientAddresses());
  }

  private long memoryBytes() {
    return owners.owners().stream()
        .filter(owner -> WHOLE.contains(owner.name()))
        .mapToLong(owner -> owner.usedBytes().getAsLong())
        .sum();
  }

  private ProcessFacts.Buffers buffers() {
    if (!(allocator instanceof PooledByteBufAllocator pooled)) {
      return new ProcessFacts.Buffers(0, 0);
    }
    long active = AllocatorNumber.ACTIVE_BUFFERS.of(pooled);
    long allocated = AllocatorNumber.ALLOCATIONS.of(pooled);
    return new ProcessFacts.Buffers(allocated, Math.max(0, allocated - active));
  }

  private ProcessFacts.Descriptors descriptors(List<Path> folders) {
    return new ProcessFacts.Descriptors(
        limit.get().limit(),
        Descriptors.open(),
        Descriptors.largest(),
        limit.get().reserved(),
        Descriptors.openIn(folders));
  }
}
