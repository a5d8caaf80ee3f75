package io.loligo.server.exchange.rules;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.server.exchange.request.Request;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.StoredResponse;
import org.jspecify.annotations.Nullable;

/**
 * The steps from the key to the decision, the same for clients and for {@code explain}. A subclass
 * is their end: it answers the client, or records what a client would get. Confined to the loop.
 *
 * @param <S> a stored response
 * @param <R> the result of an end
 */
public abstract class StoreSteps<S extends StoredResponse, R> {
  private final CacheRules rules;

  /** Creates steps that decide by {@code rules}. */
  protected StoreSteps(CacheRules rules) {
    this.rules = rules;
  }

  /**
   * Takes {@code request} through the steps.
   *
   * @param probe sealed for the request
   */
  public final @Nullable R start(Request request, KeyProbe probe) {
    String upgrade = rules.upgrade(request);
    CacheDecision bypass = rules.bypass(request, upgrade);
    return bypass == null ? lookUp(request, probe) : bypass(request, probe, bypass, upgrade);
  }

  /**
   * Decides, and passes the request to the end. Takes {@code stored}, which may be null.
   *
   * @param probe sealed for the request
   * @param nowMillis milliseconds since the epoch
   * @param load the outcome of the disk lookup; null if there was none
   */
  public final @Nullable R decide(
      Request request,
      KeyProbe probe,
      @Nullable S stored,
      long nowMillis,
      @Nullable LoadOutcome load) {
    boolean others = stored == null && holdsOthers(probe);
    StoredMeta found = stored == null ? null : rules.regarded(stored, request);
    boolean denied = stored != null && found != null && rules.isHitDenied(request, stored);
    S usable = stored;
    if (stored != null && (found == null || denied)) {
      unusable(request, stored);
      usable = null;
    }
    CacheDecision decision = rules.decision(request, found, denied, others, nowMillis, load);
    decided(request, decision);
    long sliceBytes = rules.sliceBytes(request, found, decision);
    if (sliceBytes > 0) {
      return slice(request, probe, usable, decision, load, sliceBytes);
    }
    return switch (decision.outcome()) {
      case SERVE, NOT_MODIFIED, SERVE_STALE_AND_REVALIDATE -> {
        assert usable != null : "it was decided about";
        yield serve(request, probe, usable, decision);
      }
      case UNSATISFIABLE -> unsatisfiable(request, usable, decision);
      default -> miss(request, probe, usable, decision, load);
    };
  }

  /**
   * The request bypasses the store: its outcome is BYPASS or UNSATISFIABLE.
   *
   * @param upgrade see {@link CacheRules#upgrade}
   */
  protected abstract @Nullable R bypass(
      Request request, KeyProbe probe, CacheDecision bypass, @Nullable String upgrade);

  /** Looks up the stored response, and continues with {@link #decide}, perhaps later. */
  protected abstract @Nullable R lookUp(Request request, KeyProbe probe);

  /** Whether variants are stored that the request does not select. */
  protected abstract boolean holdsOthers(KeyProbe probe);

  /** Takes {@code stored}, which the request may not use. */
  protected abstract void unusable(Request request, S stored);

  /** Notes the decision. */
  protected abstract void decided(Request request, CacheDecision decision);

  /** Answers in slices of {@code sliceBytes}. Takes {@code stored}, which may be null. */
  protected abstract @Nullable R slice(
      Request request,
      KeyProbe probe,
      @Nullable S stored,
      CacheDecision decision,
      @Nullable LoadOutcome load,
      long sliceBytes);

  /** Answers from {@code stored}, which it takes. */
  protected abstract @Nullable R serve(
      Request request, KeyProbe probe, S stored, CacheDecision decision);

  /** Only a stored response may answer, and none does. Takes {@code stored}, perhaps null. */
  protected abstract @Nullable R unsatisfiable(
      Request request, @Nullable S stored, CacheDecision decision);

  /** Joins or begins a fetch. Takes {@code stored}, which may be null. */
  protected abstract @Nullable R miss(
      Request request,
      KeyProbe probe,
      @Nullable S stored,
      CacheDecision decision,
      @Nullable LoadOutcome load);
}
