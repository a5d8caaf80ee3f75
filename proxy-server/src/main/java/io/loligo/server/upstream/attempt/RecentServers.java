package io.loligo.server.upstream.attempt;

import io.netty.util.concurrent.Ticker;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A fact of each of {@value #MAX_SERVERS} servers at most, known for a time after it was noted. The
 * fact noted longest ago goes first. Confined to one event loop.
 *
 * @param <S> names a server
 * @param <F> the fact
 */
final class RecentServers<S, F> {
  static final int MAX_SERVERS = 1_024;

  private record Noted<F>(F fact, long atNanos) {}

  private final Map<S, Noted<F>> all =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<S, Noted<F>> eldest) {
          return size() > MAX_SERVERS;
        }
      };
  private final Ticker ticker;
  private final long knownNanos;

  /**
   * No server is known.
   *
   * @param knownNanos time for which a fact is known
   */
  RecentServers(Ticker ticker, long knownNanos) {
    this.ticker = ticker;
    this.knownNanos = knownNanos;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  void note(S server, F fact) {
    all.remove(server); // its place is behind all others
    all.put(server, new Noted<>(fact, ticker.nanoTime()));
  }

  void forget(S server) {
    all.remove(server);
  }

  /** The fact of {@code server}; null: none is known. */
  @Nullable F of(S server) {
    Noted<F> noted = all.get(server);
    if (noted != null && ticker.nanoTime() - noted.atNanos() > knownNanos) {
      all.remove(server);
      return null;
    }
    return noted == null ? null : noted.fact();
  }
}
