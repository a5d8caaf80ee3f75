package io.loligo.server.exchange.rules;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.time.LoopClock;
import io.loligo.store.Store;

/**
 * The keys under which responses are stored: URL, No-Vary-Search, content of a QUERY, slice.
 * Confined to the event loop.
 */
public final class KeyRules {
  private final Store store;
  private final ExchangeSettings settings;
  private final LoopClock clock;
  private final KeyProbe probe = new KeyProbe();
  private final KeyProbe scratch = new KeyProbe();

  public KeyRules(Store store, ExchangeSettings settings, LoopClock clock) {
    this.store = store;
    this.settings = settings;
    this.clock = clock;
  }

  /** The loop's probe, sealed for {@code target}; valid until the next call. */
  public KeyProbe probe(RequestTarget target) {
    return CacheKeys.seal(probe, target);
  }

  /** Keys {@code request} by the rules for its method, and notes the key in its record. */
  public KeyProbe seal(Request request) {
    keyByRule(request);
    return probe(request);
  }

  /** The same for a request whose target has its rules. */
  public KeyProbe probe(Request request) {
    ExchangeRecord record = request.record();
    CacheKeys.seal(probe, request.target());
    record.keyHigh = probe.high();
    record.keyLow = probe.low();
    return probe;
  }

  /** Keys a GET or HEAD without the part of its query that does not matter, as far as known. */
  private void keyByRule(Request request) {
    if (Method.isGetOrHead(request.head().methodId()) && settings.noVarySearch) {
      store.alternatives().keyByRule(request.target(), probe);
    }
  }

  /** Keys a QUERY by all of its content. */
  public void keyByContent(RequestTarget target, ContentDigest content) {
    store.alternatives().keyByContent(target, content, probe);
  }

  /** Keys {@code target} by {@code slice}. */
  public void keyBySlice(RequestTarget target, Slice slice) {
    store.alternatives().keyBySlice(target, slice, scratch);
  }

  /** The response for {@code target} cannot be had in slices. */
  public void noteUnsliced(RequestTarget target) {
    store.alternatives().noteUnsliced(CacheKeys.seal(scratch, target), clock.millis());
  }

  /** Whether the response for {@code target} is known not to be had in slices. */
  boolean isUnsliced(RequestTarget target) {
    return store.alternatives().isUnsliced(CacheKeys.seal(scratch, target), clock.millis());
  }

  /** The key of the URL of {@code target}, whatever else that is keyed by. */
  public CacheKey urlKey(RequestTarget target) {
    return CacheKeys.sealUrl(scratch, target).toKey();
  }

  /** Whether something may be stored under the key of {@code target}. */
  public boolean mayHold(RequestTarget target) {
    return store.holds(CacheKeys.seal(scratch, target));
  }

  /**
   * Whether {@code response} to {@code target} may be stored under the key it has, as far as
   * No-Vary-Search goes; learns from it.
   */
  public boolean fits(RequestTarget target, Fields response) {
    return !settings.noVarySearch
        || store.alternatives().fits(target, response, scratch, clock.millis());
  }

  /** A number for {@link #learnt}, before the origin is asked for the response to {@code key}. */
  public long asOf(CacheKey key) {
    return store.alternatives().asOf(key);
  }

  /** The key that {@code response} to {@code target}, a GET, has just taught; null where none. */
  public CacheKey learnt(RequestTarget target, Fields response, long asOf) {
    return settings.noVarySearch
        ? store.alternatives().learnt(target, response, scratch, asOf)
        : null;
  }
}
