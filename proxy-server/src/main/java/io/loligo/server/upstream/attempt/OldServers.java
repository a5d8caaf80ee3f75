package io.loligo.server.upstream.attempt;

import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Servers that answered in HTTP/1.0 not long ago: they know no chunked coding (RFC 9112 section
 * 6.1). Of the rest we take it for granted. Confined to one event loop.
 */
final class OldServers {
  static final int MAX_SERVERS = 1_024;
  static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Map<InetSocketAddress, Long> answeredAt =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Long> eldest) {
          return size() > MAX_SERVERS;
        }
      };
  private final Ticker ticker;

  OldServers(Ticker ticker) {
    this.ticker = ticker;
  }

  /** The server at {@code address} answered in {@code version}, 10 or 11. */
  void answered(InetSocketAddress address, int version) {
    if (version < 11) {
      answeredAt.remove(address);
      answeredAt.put(address, ticker.nanoTime());
    } else if (!answeredAt.isEmpty()) {
      answeredAt.remove(address);
    }
  }

  /** Whether all of {@code addresses} are known as such. */
  boolean contains(List<InetSocketAddress> addresses) {
    return !answeredAt.isEmpty() && addresses.stream().allMatch(this::contains);
  }

  private boolean contains(InetSocketAddress address) {
    Long at = answeredAt.get(address);
    if (at != null && ticker.nanoTime() - at > MEMORY_NANOS) {
      answeredAt.remove(address);
      return false;
    }
    return at != null;
  }
}
