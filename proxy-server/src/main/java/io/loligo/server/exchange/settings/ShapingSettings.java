package io.loligo.server.exchange.settings;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.shaping.DelayDirectives;
import io.loligo.server.shaping.DelayPool;
import io.loligo.server.shaping.PoolCounts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pools of bandwidth in one configuration. All event loops share their buckets; a reload makes
 * new ones. Immutable, except for the buckets; any thread.
 *
 * @param delayPools in order; the first that allows a request is its pool
 * @param usesIndirectClient {@code delay_pool_uses_indirect_client}
 */
public record ShapingSettings(List<DelayPool> delayPools, boolean usesIndirectClient) {
  /** The pools of {@code config}; null if there are none. */
  static @Nullable ShapingSettings of(ProxyConfig config) {
    List<DelayPool> delays = config.get(DelayDirectives.DELAY_POOLS);
    return delays.isEmpty()
        ? null
        : new ShapingSettings(delays, config.get(DelayDirectives.USES_INDIRECT_CLIENT));
  }

  /** The counts of all pools of {@code config}. */
  public static List<PoolCounts> counts(ProxyConfig config) {
    return config.get(DelayDirectives.DELAY_POOLS).stream().map(DelayPool::counts).toList();
  }
}
