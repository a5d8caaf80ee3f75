package io.loligo.server.exchange.settings;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.shaping.ClientPool;
import io.loligo.server.shaping.ClientPoolDirectives;
import io.loligo.server.shaping.DelayDirectives;
import io.loligo.server.shaping.DelayPool;
import io.loligo.server.shaping.PoolCounts;
import io.loligo.server.shaping.PoolLevels;
import io.loligo.server.shaping.RateDirectives;
import io.loligo.server.shaping.ResponsePool;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pools of bandwidth in one configuration. All event loops share their buckets; a reload makes
 * new ones. Immutable, except for the buckets; any thread.
 *
 * @param delayPools in order; the first that allows a request is its pool
 * @param usesIndirectClient {@code delay_pool_uses_indirect_client}
 * @param clientPools in order; the first that allows a client is its pool
 * @param responsePools in order; the first that allows a response is its pool
 */
public record ShapingSettings(
    List<DelayPool> delayPools,
    boolean usesIndirectClient,
    List<ClientPool> clientPools,
    List<ResponsePool> responsePools) {
  /** The pools of {@code config}; null if there are none. */
  static @Nullable ShapingSettings of(ProxyConfig config) {
    ShapingSettings settings =
        new ShapingSettings(
            config.get(DelayDirectives.DELAY_POOLS),
            config.get(DelayDirectives.USES_INDIRECT_CLIENT),
            config.get(ClientPoolDirectives.CLIENT_DELAY_POOLS),
            config.get(ClientPoolDirectives.RESPONSE_DELAY_POOL));
    boolean none =
        settings.delayPools.isEmpty()
            && settings.clientPools.isEmpty()
            && settings.responsePools.isEmpty();
    return none ? null : settings;
  }

  /** The counts of all pools of {@code config}. */
  public static List<PoolCounts> counts(ProxyConfig config) {
    List<PoolCounts> all = new ArrayList<>();
    config.get(DelayDirectives.DELAY_POOLS).forEach(pool -> all.add(pool.counts()));
    config.get(ClientPoolDirectives.CLIENT_DELAY_POOLS).forEach(pool -> all.add(pool.counts()));
    config.get(ClientPoolDirectives.RESPONSE_DELAY_POOL).forEach(pool -> all.add(pool.counts()));
    config.get(RateDirectives.REQUEST_RATE).forEach(rate -> all.add(rate.counts()));
    return all;
  }

  /** What the buckets of all pools of {@code config} hold. */
  public static List<PoolLevels> levels(ProxyConfig config, long nowNanos) {
    List<PoolLevels> all = new ArrayList<>();
    config.get(DelayDirectives.DELAY_POOLS).forEach(pool -> all.add(pool.levels(nowNanos)));
    config
        .get(ClientPoolDirectives.CLIENT_DELAY_POOLS)
        .forEach(pool -> all.add(pool.levels(nowNanos)));
    config
        .get(ClientPoolDirectives.RESPONSE_DELAY_POOL)
        .forEach(pool -> all.add(pool.levels(nowNanos)));
    config.get(RateDirectives.REQUEST_RATE).forEach(rate -> all.add(rate.levels(nowNanos)));
    return all;
  }
}
