package io.loligo.server.exchange.join;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.OfferedTags;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.fetch.Fetch;
import io.loligo.server.exchange.hit.DiskLookUp;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import org.jspecify.annotations.Nullable;

/**
 * The way of one request to the fetch that answers it: it waits for a part on its way to the disk,
 * joins a fetch under way, or begins one. If the awaited response is not for it, it looks again.
 * Confined to the client's event loop.
 */
final class Joining implements DiskLookUp.Asker, Waits.Owner {
  private final MissAnswer answer;
  private final LoopServices services;
  private final Request request;
  private final CacheKey key;
  private final MissCause cause;
  private final @Nullable String upgrade;
  private final OthersFetches others = new OthersFetches();
  private final Alongside alongside;
  private final Waits waits;

  /** Whether it joins no other fetch any more: a response it waited for was not for it. */
  private boolean alone;

  /** Whether the disk was asked; it is asked once. */
  private boolean diskAsked;

  /** Whether a HEAD validates a stale response with a GET, which other requests may join. */
  private boolean getsForHead;

  /**
   * The way of {@code request} to {@code answer}.
   *
   * @param upgrade the protocol to switch to, or null
   */
  Joining(
      MissAnswer answer,
      LoopServices services,
      Request request,
      CacheKey key,
      MissCause cause,
      @Nullable String upgrade) {
    this.answer = answer;
    this.services = services;
    this.request = request;
    this.key = key;
    this.cause = cause;
    this.upgrade = upgrade;
    this.alongside = new Alongside(services, request.head(), key, cause, others);
    this.waits = new Waits(services.timer, this);
  }

  /** Whether the disk was asked before. */
  void afterDisk(boolean asked) {
    diskAsked = asked;
  }

  /** The fetches of other requests that it has waited for. */
  OthersFetches others() {
    return others;
  }

  /** Whether it may read along with another's fetch. */
  Alongside alongside() {
    return alongside;
  }

  /** Whether the fetch for a HEAD is one of a GET. */
  boolean getsForHead() {
    return getsForHead;
  }

  /** Joins a fetch or begins one. */
  void joinOrFetch() {
    if (awaitsPart()) {
      return;
    }
    boolean worth = isWorthSharing();
    boolean shares = worth && cause.isPlain();
    boolean waits = shares || (worth && !alone && cause.mayWait());
    InFlight running = waits ? running() : null;
    if (running == null || !(shares || suits(running)) || !join(running)) {
      fetch(shares);
    }
  }

  private @Nullable InFlight running() {
    InFlight running = services.store.inFlight(services.keys.probe(target()), head().fields());
    return running == null || Fetch.mayJoin(request, running.writer()) ? running : null;
  }

  private RequestTarget target() {
    return request.target();
  }

  private RequestHead head() {
    return request.head();
  }

  /**
   * Whether a part of the requested response is about to be stored on disk: then this request waits
   * for it, once, and looks again.
   */
  private boolean awaitsPart() {
    if (waits.awaitedPart() || !cause.wantsPart()) {
      return false;
    }
    InFlight landing = services.store.landingPart(services.keys.probe(target()));
    if (landing == null) {
      return false;
    }
    waits.awaitPart(landing, request.stream().loop(), services.settings.loadTimeoutMillis);
    return true;
  }

  @Override
  public void partLanded() {
    if (answer.isWaiting()) {
      try {
        lookAgain();
      } catch (RuntimeException | OutOfMemoryError failure) {
        request.stream().failed(failure);
      }
    }
  }

  private boolean isWorthSharing() {
    return services.caching.mayCollapse(request)
        && !services.hitForMiss.holds(key, services.clock.millis());
  }

  /** Whether {@code running} may have the range by now, if this request asks for one. */
  private boolean suits(InFlight running) {
    return !cause.asksForRange() || running.progress() > 0;
  }

  /** Reads along with {@code running}; false if it is too late. */
  private boolean join(InFlight running) {
    boolean attached = answer.readAlong(running);
    others.joined(running, attached);
    ExchangeRecord record = request.stream().record();
    record.collapsed = attached;
    record.fetchedBy = attached ? ((Fetch) running.writer()).cause() : null;
    if (attached) {
      waits.awaitFetches(services.settings.fetches.collapsedWaitMillis);
    }
    return attached;
  }

  @Override
  public void overdue() {
    InFlight awaited = others.awaited();
    if (answer.isWaiting() && !answer.hasFetch() && awaited != null) {
      awaited.notJoinable();
      answer.overdue();
    }
  }

  private void fetch(boolean joinable) {
    if (isOnDiskMeanwhile()) {
      diskAsked = true;
      lookAgain();
      return;
    }
    request.stream().record().collapsed = false;
    request.stream().record().fetchedBy = null;
    if (others.isFirstLook()
        && !others.waited()
        && !request.continuesAnswer()
        && services.store.isCrowded()) {
      answer.shed();
      return;
    }
    // an answer to HEAD has no content: nobody else could read along
    boolean isHead = head().methodId() == Method.HEAD;
    getsForHead = joinable && isHead && cause.validated() != null;
    boolean shared = joinable && (!isHead || getsForHead);
    Fetch mine = newFetch();
    InFlight inFlight = shared ? mine.joinOrBegin(key, alongside.selects()) : mine.begin(key);
    if (inFlight == null) {
      answer.shed();
    } else if (inFlight.writer() == mine) {
      Entry meanwhile = shared ? mine.findMeanwhile() : null;
      CacheDecision usable = meanwhile == null ? null : cause.usable(meanwhile, others.head());
      if (meanwhile == null || usable == null) {
        if (meanwhile != null) {
          meanwhile.release();
        }
        end();
        others.left();
        answer.run(mine, inFlight);
      } else {
        // another fetch ended after this request had looked in the store
        mine.standDown();
        answer.serve(meanwhile, usable);
      }
    } else if (!join(inFlight)) {
      lookOrFetch();
    }
  }

  /**
   * Whether a response came to the disk after this request had looked there: its fetch ended before
   * this request could find it under way.
   */
  private boolean isOnDiskMeanwhile() {
    return !diskAsked
        && cause.mayBeOnDiskMeanwhile()
        && services.store.mayLoad(services.keys.probe(target()));
  }

  private Fetch newFetch() {
    Request asked = getsForHead ? request.asGet() : request;
    return new Fetch(services, answer, asked, cause.mayStore(), cause.validated(), upgrade)
        .offering(OfferedTags.goWith(cause.decision(), head()))
        .askingForStored(cause.wantsStored())
        .completing(cause.part(), cause.completion())
        .fetchingWhole(cause.fetchesWhole());
  }

  // ---- looking again, for a request that waited for another's fetch

  /** The response to another request is not for this one. To be followed by a new attempt. */
  void notForIt() {
    alone |= !cause.isPlain();
  }

  /** The same; fetches alone, joined by nobody. */
  void fetchAlone() {
    alone = true;
    fetch(false);
  }

  /**
   * The awaited response is not for this request. Serves a response that the fetch left in the
   * store, joins another fetch, or begins one.
   */
  void lookOrFetch() {
    if (others.looksAgain()) {
      lookAgain();
    } else {
      fetch(false);
    }
  }

  private void lookAgain() {
    DiskLookUp.again(services, request, this);
  }

  @Override
  public boolean suffices(Entry entry) {
    return false; // never asked
  }

  @Override
  public boolean over() {
    return !answer.isWaiting();
  }

  @Override
  public void looked(@Nullable Entry entry, @Nullable LoadOutcome outcome) {
    CacheDecision usable = entry == null ? null : cause.usable(entry, others.head());
    if (entry != null && usable != null) {
      answer.serve(entry, usable);
      return;
    }
    if (entry != null) {
      cause.replaceBy(entry, others.head(), waits.awaitedPart());
    }
    joinOrFetch(); // one of those who waited tries again
  }

  /** It waits for nothing any more. */
  void end() {
    waits.end();
  }
}
