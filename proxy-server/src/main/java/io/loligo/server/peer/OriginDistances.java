package io.loligo.server.peer;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.upstream.route.RoutingDirectives;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Round-trip times to origins, by host: averages of the times in which their connections were
 * accepted. Nothing is sent to measure them. Thread-safe: any thread; guarded by {@code all}.
 *
 * <p>Nothing is measured unless a directive makes use of it. The hosts that were used longest ago
 * are forgotten when there are more than {@code netdb_high}.
 */
public final class OriginDistances {
  /** The connections that count in an average. */
  private static final int AVERAGED = 8;

  /** A longer name of a host is not kept; DNS has none. */
  private static final int MAX_HOST_LENGTH = 255;

  private static final class Distance {
    private long nanos;
    private int connections;

    void add(long more) {
      connections = Math.min(AVERAGED, connections + 1);
      nanos += (more - nanos) / connections;
    }
  }

  private final Map<String, Distance> all = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);

  /** Most hosts; 0: nothing is measured. */
  private volatile int high;

  private volatile int low;

  /** Measures what {@code config} makes use of, from now on. */
  public void use(ProxyConfig config) {
    boolean used =
        config.get(RoutingDirectives.QUERY_ICMP)
            || config.get(NeighbourDirectives.ICP_PORT) != 0
            || config.get(NeighbourDirectives.TEST_REACHABILITY);
    high = used ? config.get(NeighbourDirectives.NETDB_HIGH) : 0;
    low = Math.min(high, config.get(NeighbourDirectives.NETDB_LOW));
    synchronized (all) {
      forget(high);
    }
  }

  /** {@code host} has accepted a connection after {@code nanos}. */
  void reached(String host, long nanos) {
    if (high == 0 || host.length() > MAX_HOST_LENGTH) {
      return;
    }
    synchronized (all) {
      all.computeIfAbsent(host, unknown -> new Distance()).add(nanos);
      if (all.size() > high) {
        forget(low);
      }
    }
  }

  /** Leaves {@code most}. */
  private void forget(int most) {
    Iterator<String> oldest = all.keySet().iterator();
    for (int left = all.size(); left > most; left--) {
      oldest.next();
      oldest.remove();
    }
  }

  /** The round trip to {@code host}, milliseconds, at least 1; 0: unknown. */
  public int millis(String host) {
    if (high == 0) {
      return 0;
    }
    synchronized (all) {
      Distance known = all.get(host);
      return known == null ? 0 : (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(known.nanos));
    }
  }

  /** The hosts that are known. */
  public int hosts() {
    synchronized (all) {
      return all.size();
    }
  }
}
