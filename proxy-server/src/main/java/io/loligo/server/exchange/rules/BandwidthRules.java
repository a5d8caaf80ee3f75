package io.loligo.server.exchange.rules;

import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ShapingSettings;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.shaping.DelayPool;
import io.loligo.server.time.LoopClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chooses the pools of responses and tunnels. Confined to the event loop. */
public final class BandwidthRules {
  private final ShapingSettings settings;
  private final LoopClock clock;

  private BandwidthRules(ShapingSettings settings, LoopClock clock) {
    this.settings = settings;
    this.clock = clock;
  }

  /** The rules for one loop; null if there are no pools. */
  public static @Nullable BandwidthRules of(@Nullable ShapingSettings settings, LoopClock clock) {
    return settings == null ? null : new BandwidthRules(settings, clock);
  }

  /**
   * The limit for what is read from a server for {@code request}, which holds the head of the
   * response, if there is one; null: none.
   */
  public @Nullable Allowance ofServer(Request request) {
    List<DelayPool> pools = settings.delayPools();
    for (int i = 0; i < pools.size(); i++) {
      DelayPool pool = pools.get(i);
      if (pool.access().evaluate(request).allowed()) {
        byte[] client =
            settings.usesIndirectClient()
                ? request.clientAddress()
                : Request.addressBytes(request.client().getAddress());
        return pool.of(client, request.user(), request.helpers().tag(), clock.nanos());
      }
    }
    return null;
  }
}
