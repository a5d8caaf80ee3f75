package io.loligo.server.exchange.neighbour;

import io.loligo.core.acl.AclList;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.hit.HitAnswer;
import io.loligo.server.exchange.request.Identification;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.StoreSteps;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.explain.Question;
import io.loligo.server.explain.QuestionReader;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.store.Store.Peek;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Glimpse;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions of neighbours about stored responses on one event loop. A neighbour may look
 * for a response that would answer a request at once. Names of {@code store_id_program} and parts
 * of keys that a QUERY has are not looked for. Confined to the loop.
 */
public final class Neighbours {
  private final LoopServices services;
  private final HitAnswer hits;

  /** Asks the store of {@code services}. */
  public Neighbours(LoopServices services, HitAnswer hits) {
    this.services = services;
    this.hits = hits;
  }

  /**
   * The request that a neighbour asks about, as it would send it to the port for such URLs.
   *
   * @param fieldLines {@code Name: value} each
   * @return null if no port would accept it
   */
  public @Nullable Request read(
      InetSocketAddress from, String method, String url, List<String> fieldLines) {
    HttpPort port = PortDirectives.portFor(services.settings.config(), null, url);
    if (port == null || !isVisible(method) || !isVisible(url)) {
      return null;
    }
    RequestHead head = new RequestHead();
    QuestionReader reader = new QuestionReader(services.settings.config());
    if (!reader.read(new Question(url, method, fieldLines, "", null, null), head)) {
      return null;
    }
    RequestTarget target = new RequestTarget();
    boolean refusesUserInfo = services.settings.access.refusesUserInfo;
    String name = services.settings.cacheName();
    if (Identification.identify(port, null, null, refusesUserInfo, name, head, target) != null) {
      return null;
    }
    long now = services.clock.millis();
    return Request.asked(port, from, head, reader.contentLength(), target, now);
  }

  private static boolean isVisible(String text) {
    return text.chars().allMatch(c -> c > ' ' && c < 0x7f) && !text.isEmpty();
  }

  /** Whether {@code rules} allow {@code request}. A rule that needs a wait denies. */
  public boolean allows(AclList rules, Request request) {
    return rules.evaluate(request).allowed();
  }

  /** Whether a response may be stored and not be found, because a directory is being opened. */
  public boolean isOpening() {
    return services.store.isOpening();
  }

  /** The key of the URL of {@code request}. */
  public CacheKey key(Request request) {
    return services.keys.urlKey(request.target());
  }

  /**
   * A stored response that would answer.
   *
   * @param ageSeconds its current age
   * @param freshSeconds for which it stays fresh; negative: it has to be validated
   */
  public record Found(Glimpse stored, long ageSeconds, long freshSeconds) {}

  /**
   * Looks for a response that would answer {@code request} now, fresh and without the origin.
   *
   * @param loop this loop
   * @param then told there, never before this returns; null: there is none
   */
  public void find(Request request, EventExecutor loop, Consumer<@Nullable Found> then) {
    find(request, false, loop, then);
  }

  /**
   * The same.
   *
   * @param stale whether a response counts that has to be validated at the origin
   */
  public void find(
      Request request, boolean stale, EventExecutor loop, Consumer<@Nullable Found> then) {
    CacheKey key = services.keys.seal(request).toKey();
    services.store.peek(
        key,
        request.head().fields(),
        loop,
        peek -> {
          Finding finding = new Finding(peek, stale, services.clock.millis());
          then.accept(finding.start(request, services.keys.probe(request.target())));
        });
  }

  /** Takes a request to the decision. */
  private final class Finding extends StoreSteps<Glimpse, Found> {
    private final Peek peek;
    private final boolean stale;
    private final long nowMillis;

    Finding(Peek peek, boolean stale, long nowMillis) {
      super(services.caching);
      this.peek = peek;
      this.stale = stale;
      this.nowMillis = nowMillis;
    }

    @Override
    protected @Nullable Found bypass(
        Request request, KeyProbe probe, CacheDecision bypass, @Nullable String upgrade) {
      return null;
    }

    @Override
    protected @Nullable Found lookUp(Request request, KeyProbe probe) {
      return decide(request, probe, peek.selected(), nowMillis, peek.load());
    }

    @Override
    protected boolean holdsOthers(KeyProbe probe) {
      return peek.others();
    }

    @Override
    protected void unusable(Request request, Glimpse stored) {}

    @Override
    protected void decided(Request request, CacheDecision decision) {}

    @Override
    protected @Nullable Found slice(
        Request request,
        KeyProbe probe,
        @Nullable Glimpse stored,
        CacheDecision decision,
        @Nullable LoadOutcome load,
        long sliceBytes) {
      return null;
    }

    @Override
    protected @Nullable Found serve(
        Request request, KeyProbe probe, Glimpse stored, CacheDecision decision) {
      if (decision.outcome() == Outcome.SERVE_STALE_AND_REVALIDATE) {
        return stale ? found(stored, decision) : null;
      }
      request.reply(stored);
      boolean refused = hits.refusal(request, stored.meta(), decision) != null;
      request.forgetReply();
      return refused ? null : found(stored, decision);
    }

    private Found found(Glimpse stored, CacheDecision decision) {
      long fresh = decision.lifetimeSeconds() - decision.ageSeconds();
      return new Found(stored, decision.ageSeconds(), fresh);
    }

    @Override
    protected @Nullable Found unsatisfiable(
        Request request, @Nullable Glimpse stored, CacheDecision decision) {
      return null;
    }

    @Override
    protected @Nullable Found miss(
        Request request,
        KeyProbe probe,
        @Nullable Glimpse stored,
        CacheDecision decision,
        @Nullable LoadOutcome load) {
      return stale && stored != null ? found(stored, decision) : null;
    }
  }
}
