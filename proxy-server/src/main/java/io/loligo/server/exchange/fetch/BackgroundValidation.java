package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;

/**
 * The validation of a stored response while the client gets the stale one (RFC 5861 section 3).
 * Confined to the event loop of the request.
 */
public final class BackgroundValidation {
  private BackgroundValidation() {}

  /**
   * Begins to validate {@code entry}, borrowed, unless another fetch for the key is under way or
   * has just ended.
   *
   * @param request see {@link Request#inBackground}
   */
  public static void begin(LoopServices services, Request request, CacheKey key, Entry entry) {
    Fetch fetch = new Fetch(services, null, request, true, entry, null);
    InFlight inFlight = fetch.joinOrBegin(key, entry.meta().vary());
    if (inFlight != null && inFlight.writer() == fetch) {
      if (wasValidatedMeanwhile(services, request, fetch, entry)) {
        fetch.standDown();
      } else {
        fetch.start();
      }
    }
  }

  /** Whether another validation ended after {@code stale} was found. */
  private static boolean wasValidatedMeanwhile(
      LoopServices services, Request request, Fetch fetch, Entry stale) {
    Entry now = fetch.findMeanwhile();
    if (now == null) {
      return false;
    }
    StoredMeta meta = services.caching.regarded(now, request);
    boolean fresh =
        now != stale
            && meta != null
            && meta.ageSeconds(services.clock.millis()) < meta.lifetimeSeconds();
    now.release();
    return fresh;
  }
}
