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
import org.jspecify.annotations.Nullable;

/**
 * Computes the keys of stored responses from the URL or the store id, No-Vary-Search, the content
 * of a QUERY and the slice. No-Vary-Search has no effect beside a store id. Confined to the event
 * loop.
 */
public final class KeyRules {
  private final Store store;
  private final ExchangeSettings settings;
  private final LoopClock clock;
  private final KeyProbe probe = new KeyProbe();
  private final KeyProbe scratch = new KeyProbe();

  /** Creates the rules of one loop. */
  public KeyRules(Store store, ExchangeSettings settings, LoopClock clock) {
    this.store = store;
    this.settings = settings;
    this.clock = clock;
  }

  /** The loop's probe, sealed for {@code target}. It is valid until the next call. */
  public KeyProbe probe(RequestTarget target) {
    return CacheKeys.seal(probe, target);
  }

  /**
   * Applies the key rule for the method of {@code request}, notes the key in its record and returns
   * the loop's probe. The probe is valid until the next call.
   */
  public KeyProbe seal(Request request) {
    keyByRule(request);
    return probe(request);
  }

  /**
   * Notes the key of {@code request}, whose target already has its key rule, in its record and
   * returns the loop's probe. The probe is valid until the next call.
   */
  public KeyProbe probe(Request request) {
    ExchangeRecord record = request.record();
    CacheKeys.seal(probe, request.target());
    record.keyHigh = probe.high();
    record.keyLow = probe.low();
    return probe;
  }

  /** Keys a GET or HEAD without the parts of the query that a learnt No-Vary-Search excludes. */
  private void keyByRule(Request request) {
    if (Method.isGetOrHead(request.head().methodId())
        && settings.noVarySearch
        && request.target().storeId() == null) {
      store.alternatives().keyByRule(request.target(), probe);
    }
  }

  /** Makes the digest of a QUERY's whole content part of the key of {@code target}. */
  public void keyByContent(RequestTarget target, ContentDigest content) {
    store.alternatives().keyByContent(target, content, probe);
  }

  /** Makes {@code slice} part of the key of {@code target}. */
  public void keyBySlice(RequestTarget target, Slice slice) {
    store.alternatives().keyBySlice(target, slice, scratch);
  }

  /** Notes for a while that the response for {@code target} cannot be fetched in slices. */
  public void noteUnsliced(RequestTarget target) {
    store.alternatives().noteUnsliced(CacheKeys.seal(scratch, target), clock.millis());
  }

  /** Whether {@link #noteUnsliced} noted {@code target} recently. */
  boolean isUnsliced(RequestTarget target) {
    return store.alternatives().isUnsliced(CacheKeys.seal(scratch, target), clock.millis());
  }

  /**
   * The key of the URL or the store id of {@code target} alone, without content, slice or
   * No-Vary-Search.
   */
  public CacheKey urlKey(RequestTarget target) {
    return CacheKeys.sealUrl(scratch, target).toKey();
  }

  /** Whether any tier may hold a response under the key of {@code target}. A hint. */
  public boolean mayHold(RequestTarget target) {
    return store.holds(CacheKeys.seal(scratch, target));
  }

  /**
   * Whether No-Vary-Search permits storing {@code response} under the current key of {@code
   * target}. Learns the rule of the response.
   */
  public boolean fits(RequestTarget target, Fields response) {
    return !settings.noVarySearch
        || target.storeId() != null
        || store.alternatives().fits(target, response, scratch, clock.millis());
  }

  /**
   * A stamp to pass to {@link #learnt}. The caller takes it before it asks the origin for {@code
   * key}.
   */
  public long asOf(CacheKey key) {
    return store.alternatives().asOf(key);
  }

  /**
   * The key by the No-Vary-Search rule that {@code response} to {@code target}, a GET, has just
   * taught; null if it taught none.
   *
   * @param asOf from {@link #asOf}
   */
  public @Nullable CacheKey learnt(RequestTarget target, Fields response, long asOf) {
    return settings.noVarySearch && target.storeId() == null
        ? store.alternatives().learnt(target, response, scratch, asOf)
        : null;
  }
}
