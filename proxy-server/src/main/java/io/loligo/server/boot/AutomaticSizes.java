package io.loligo.server.boot;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.server.launch.MemoryShares;
import io.loligo.store.MemoryDirectives;

/**
 * Budgets without a line, as the shares of the available memory that a process of its own takes
 * ({@code docs/adr/0039-automatic-sizes.md}). {@link MemoryFit} lowers them where the rest leaves
 * less. A proxy in an application does not take them. Stateless.
 */
public final class AutomaticSizes {
  private static final int MIB_BITS = 20;

  private AutomaticSizes() {}

  /** The same with the shares of this process, if it has no errors. */
  public static ConfigResult of(ConfigResult read) {
    ProxyConfig config = read.config();
    return config == null
        ? read
        : new ConfigResult(of(config, MemoryBudget.of(config)), read.problems(), read.lines());
  }

  /** {@code config} with the shares under the limits of {@code budget}. */
  static ProxyConfig of(ProxyConfig config, MemoryBudget budget) {
    long machine = budget.machineBytes();
    ProxyConfig sized =
        with(
            config,
            MemoryDirectives.CACHE_MEM,
            MemoryShares.cacheBytes(machine, budget.heapLimitBytes()));
    return with(sized, MemoryDirectives.TRANSIT_MEMORY, MemoryShares.transitBytes(machine));
  }

  private static ProxyConfig with(ProxyConfig config, Setting<Long> size, long bytes) {
    return config.isGiven(size)
        ? config
        : config.with(size, bytes).showing(size, (bytes >> MIB_BITS) + " MB");
  }
}
