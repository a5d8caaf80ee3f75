package io.loligo.store;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.disk.SimMedium;
import io.loligo.store.disk.SimTier;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.LongSupplier;

/** Makes stores whose disks are played. Stateless. */
public final class SimulatedStore {
  private SimulatedStore() {}

  /** As {@link TieredStore} is made, its directories on {@code medium}. */
  public static TieredStore of(
      ByteBufAllocator allocator,
      ProxyConfig.Memory budgets,
      ProxyConfig.Disk directories,
      SimMedium medium,
      MemoryLedger transit,
      Executor maintenance,
      ExecutorService walks,
      LongSupplier clock)
      throws IOException {
    return new TieredStore(
        allocator,
        budgets,
        memory -> SimTier.claim(directories, allocator, transit, memory, medium),
        transit,
        maintenance,
        walks,
        clock);
  }
}
