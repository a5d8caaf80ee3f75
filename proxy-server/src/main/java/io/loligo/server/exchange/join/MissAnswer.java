package io.loligo.server.exchange.join;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.CacheStatus;
import io.loligo.core.caching.HiddenFields;
import io.loligo.core.caching.OfferedTags;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.RequestTrailers;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.ByteRange;
import io.loligo.core.range.Completion;
import io.loligo.core.range.Incomplete;
import io.loligo.core.range.RangeSelection;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.answer.FailureAnswer;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.fetch.Fetch;
import io.loligo.server.exchange.fetch.FetchClient;
import io.loligo.server.exchange.hit.Answered;
import io.loligo.server.exchange.hit.DiskLookUp;
import io.loligo.server.exchange.hit.HitAnswer;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.tunnel.Tunneling;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Shed;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.OriginStream;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.concurrent.EventExecutor;

/**
 * A request that memory could not answer: it joins a fetch under way or causes one, and passes on
 * what arrives. Confined to the client's event loop.
 *
 * <pre>
 *   phase      entered by                          left by
 *   WAITING    start: joined or fetching           head, serve, failed
 *   STREAMING  head sent, content follows          end, failed (cut), gone
 *   DELEGATED  answered from the store             the delegate
 *   OVER       answer complete, cut, or client gone
 * </pre>
 */
public final class MissAnswer implements ClientEvents, FetchClient, DiskLookUp.Asker {
  private enum Phase {
    WAITING,
    STREAMING,
    DELEGATED,
    OVER
  }

  /** Fields of a request whose fetch no other request joins. */
  private static final FieldSet NOT_JOINABLE =
      Preconditions.FIELDS_AND_RANGE.and(FieldName.AUTHORIZATION);

  /** Fields that a fetch of the whole does not send. */
  private static final FieldSet RANGES =
      Preconditions.FIELDS_AND_RANGE.without(Preconditions.FIELDS);

  /**
   * Conditions that the proxy judges for each client. A validation replaces them by its own; a
   * request that waits for another's fetch has them judged against the response to that.
   */
  private static final FieldSet JUDGED_HERE =
      Preconditions.FIELDS_AND_RANGE.without(Preconditions.FOR_ORIGINS);

  /** After so many fetches of others that brought nothing for it a request goes alone. */
  private static final int MAX_LOOKS = 4;

  /**
   * So many failures of requests that had something this one has not are no such fetches: who waits
   * is not to go alone before those like it have been asked for, one behind the other.
   */
  private static final int MAX_ODD_FAILURES = 16;

  private final LoopServices services;
  private final HitAnswer hits;
  private final Request request;
  private final ClientStream stream;
  private final RequestHead head;
  private final RequestTarget target;
  private final CacheKey key;
  private final String upgrade;

  /** Whether the whole is fetched for the range that the client asks for. */
  private final boolean whole;

  private CacheDecision decision;
  private Entry stale;
  private Entry part;
  private Phase phase = Phase.WAITING;
  private int looks;
  private boolean waited;

  /** Whether it no longer waits for others: the awaited response was not for it. */
  private boolean alone;

  /** Whether the disk was asked; it is asked once. */
  private boolean diskAsked;

  /** Whether what a HEAD finds stale is validated by a GET, for all who ask for it meanwhile. */
  private boolean getsForHead;

  /** The variant this request selects, as far as it was told; null: not yet. */
  private VarySelection selection;

  /** Failures of others' requests that were no odder than this one. */
  private int failuresMet;

  private int oddFailuresMet;

  /** Whose answer is waited for; null: nobody else's. */
  private InFlight awaited;

  /** The request that is or was waited for last; null: none was. */
  private RequestHead awaitedHead;

  private FieldSet awaitedReplaced = FieldSet.NONE;

  /** Octets that may be asked for beyond what was: the stream buffer, as far as it is free. */
  private long creditOwed;

  // octets of content that reply_body_max_size leaves
  private long replyLeft;

  /** What of the content the client gets; null: all of it. */
  private Window window;

  /** The part that is or was waited for; null: none. */
  private LandingPart landingPart;

  private long contentIn;
  private Patience patience;
  private Reading reading;
  private InFlight.Subscription subscription;
  private Fetch fetch;
  private ClientEvents delegate;

  /**
   * For {@code request}, a snapshot. Takes {@code stored}, the response to validate or complete, or
   * null; {@code hits} answer from the store.
   */
  public MissAnswer(
      LoopServices services,
      HitAnswer hits,
      Request request,
      CacheKey key,
      Entry stored,
      CacheDecision decision,
      String upgrade) {
    this.services = services;
    this.hits = hits;
    this.request = request;
    this.stream = request.stream();
    this.head = request.head();
    this.target = request.target();
    this.key = key;
    boolean incomplete = stored != null && !Incomplete.answers(head, stored.meta());
    this.stale = incomplete ? null : stored;
    this.part = incomplete ? stored : null;
    this.decision = decision;
    this.whole = services.caching.fetchesWhole(request, decision);
    this.upgrade = upgrade;
    ExchangeRecord record = request.record();
    record.decision = decision;
    if (record.tag != LogTag.TCP_SWAPFAIL_MISS) {
      record.tag = LogTag.TCP_MISS;
    }
    record.hitClass = HitClass.MISS;
  }

  /** Tells whether the disk was asked before. Before {@link #start}. */
  public MissAnswer afterDisk(boolean asked) {
    diskAsked = asked;
    return this;
  }

  /** Joins or fetches. Returns itself, or null where the answer is already complete. */
  public ClientEvents start() {
    try {
      joinOrFetch();
    } catch (RuntimeException | Error e) {
      // the connection, which answers for the failure, does not know of this exchange yet
      gone();
      throw e;
    }
    return phase == Phase.OVER || (phase == Phase.DELEGATED && delegate == null) ? null : this;
  }

  private void joinOrFetch() {
    if (awaitsPart()) {
      return;
    }
    boolean worth = isWorthSharing();
    boolean shares = worth && isPlain();
    boolean waits = shares || (worth && !alone && mayWait());
    InFlight running =
        waits ? services.store.inFlight(services.keys.probe(target), head.fields()) : null;
    if (running == null || !(shares || suits(running)) || !join(running)) {
      fetch(shares);
    }
  }

  /**
   * Whether a part of the requested response is about to be stored on disk: then this request waits
   * for it, once, and looks again.
   */
  private boolean awaitsPart() {
    if (landingPart != null || !wantsPart()) {
      return false;
    }
    InFlight landing = services.store.landingPart(services.keys.probe(target));
    if (landing == null) {
      return false;
    }
    landingPart = new LandingPart();
    services.timer.arm(landingPart, services.settings.loadTimeoutMillis);
    landing.awaitPart(stream.loop(), landingPart::landed);
    return true;
  }

  private boolean wantsPart() {
    return head.methodId() == Method.GET
        && decision.outcome() == Outcome.FETCH
        && (decision.reason() == CacheReason.URI_MISS
            || decision.reason() == CacheReason.VARY_MISS
            || decision.reason() == CacheReason.DISK_UNREADABLE
            || decision.reason() == CacheReason.INCOMPLETE);
  }

  /** A part that is on its way to the disk; it is not waited for longer than for a load. */
  private final class LandingPart extends LoopTimer.Timeout {
    private boolean told;

    void landed() {
      services.timer.forget(this);
      goOn();
    }

    @Override
    protected void expired() {
      goOn();
    }

    private void goOn() {
      if (!told && phase == Phase.WAITING) {
        told = true;
        try {
          lookAgain();
        } catch (RuntimeException | OutOfMemoryError failure) {
          stream.failed(failure);
        }
      }
    }
  }

  private boolean isWorthSharing() {
    return services.settings.fetches.collapsedForwarding
        && !services.hitForMiss.holds(key, services.clock.millis());
  }

  /**
   * Whether an equal fetch under way may serve this request, and this one's fetch may serve others.
   */
  private boolean isPlain() {
    return isExpected()
        && !head.fields().hasAny(NOT_JOINABLE, replaced())
        && !Storability.takesFieldsAway(head.fields());
  }

  /**
   * Whether an equal fetch under way may serve this request, though this one's own fetch could not
   * serve others: it has conditions, or asks for a range.
   */
  private boolean mayWait() {
    return isExpected()
        && stored() == null
        && !head.fields().hasAny(NOT_JOINABLE, JUDGED_HERE)
        && !Storability.takesFieldsAway(head.fields())
        && !(services.settings.caching().refreshAllIms()
            && head.fields().hasAny(Preconditions.FIELDS));
  }

  /** Whether {@code running} may have the range by now, if this request asks for one. */
  private boolean suits(InFlight running) {
    return !asksForRange() || running.progress() > 0;
  }

  private boolean asksForRange() {
    return head.fields().has(FieldName.RANGE) && head.methodId() != Method.HEAD;
  }

  /** Whether another fetch may bring the response to this request, by what is stored. */
  private boolean isExpected() {
    // stale and without a validator it is fetched, as if it were not there
    return decision.outcome() == Outcome.FETCH
        ? decision.reason() == CacheReason.URI_MISS
            || decision.reason() == CacheReason.VARY_MISS
            || decision.reason() == CacheReason.STALE
            || decision.reason() == CacheReason.DISK_UNREADABLE
            || decision.reason() == CacheReason.INCOMPLETE
        : decision.outcome() == Outcome.VALIDATE && decision.reason() == CacheReason.STALE;
  }

  /** What the origin is not asked, though the client does. */
  private FieldSet replaced() {
    Entry asked = validated();
    if (asked != null && asked.meta().part() == null) {
      return JUDGED_HERE;
    }
    return whole || request.slice() != null ? RANGES : FieldSet.NONE;
  }

  /** Reads along with {@code running}; false where there is none or it is too late. */
  private boolean join(InFlight running) {
    if (running == null) {
      return false;
    }
    reading = new Reading();
    subscription = running.attach(reading, false);
    awaited = subscription == null ? null : running;
    awaitedHead = ((Fetch) running.writer()).head();
    awaitedReplaced = ((Fetch) running.writer()).replaced();
    waited |= subscription != null;
    stream.record().collapsed = subscription != null;
    if (subscription != null && patience == null) {
      patience = new Patience();
      services.timer.arm(patience, services.settings.fetches.collapsedWaitMillis);
    }
    return subscription != null;
  }

  /**
   * Ends waiting for others' fetches, however many they are: they may take as long as their own
   * timeouts let them. Nobody waits for the one that took too long from then on, so that of all who
   * gave it up the first begins another, and the others wait for that.
   */
  private final class Patience extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      patience = null;
      if (phase == Phase.WAITING && fetch == null && awaited != null) {
        awaited.notJoinable();
        leave();
        if (!serveStale()) {
          failedForAnother(FailedFetch.overdue(), true);
        }
      }
    }
  }

  private void fetch(boolean joinable) {
    if (isOnDiskMeanwhile()) {
      diskAsked = true;
      lookAgain();
      return;
    }
    stream.record().collapsed = false;
    if (looks == 0 && !waited && !request.continuesAnswer() && services.store.isCrowded()) {
      shed();
      return;
    }
    // an answer to HEAD has no content: nobody else could read along
    boolean isHead = head.methodId() == Method.HEAD;
    getsForHead = joinable && isHead && validated() != null;
    boolean shared = joinable && (!isHead || getsForHead);
    Fetch mine = newFetch();
    InFlight inFlight = shared ? mine.joinOrBegin(key, selects()) : mine.begin(key);
    if (inFlight == null) {
      shed();
    } else if (inFlight.writer() == mine) {
      Entry meanwhile = shared ? mine.findMeanwhile() : null;
      CacheDecision usable = meanwhile == null ? null : usable(meanwhile);
      if (usable == null) {
        if (meanwhile != null) {
          meanwhile.release();
        }
        run(mine, inFlight);
      } else {
        // another fetch ended after this request had looked in the store
        mine.standDown();
        serve(meanwhile, usable);
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
        && stored() == null
        && decision.outcome() == Outcome.FETCH
        && (decision.reason() == CacheReason.URI_MISS || decision.reason() == CacheReason.VARY_MISS)
        && services.store.mayLoad(services.keys.probe(target));
  }

  private void shed() {
    stream.record().shed = Shed.MEMORY;
    FieldLines retry = new FieldLines(32).add("Retry-After", Refusal.RETRY_SECONDS);
    fail(503, "ERR_OVERLOADED", "The proxy is at its memory limit.", retry);
  }

  private VarySelection selects() {
    Entry stored = stored();
    VarySelection known = stored == null ? null : stored.meta().vary();
    return selection != null || (known != null && known.isOfOneRequest()) ? selection : known;
  }

  private Fetch newFetch() {
    Request asked = getsForHead ? request.asGet() : request;
    return new Fetch(services, this, asked, mayStore(), validated(), upgrade)
        .offering(OfferedTags.goWith(decision, head))
        .completing(part, completion())
        .fetchingWhole(whole);
  }

  /** What the origin is asked about, borrowed; null where it is asked for an answer. */
  private Entry validated() {
    return decision.outcome() == Outcome.VALIDATE && stale != null && isSteeredLike(stale)
        ? stale
        : null;
  }

  /** How the part that is stored is continued; null where it is not. */
  private Completion completion() {
    if (part == null || decision.reason() != CacheReason.INCOMPLETE || !isSteeredLike(part)) {
      return null;
    }
    boolean besides = part.isOnDisk();
    Completion completion =
        whole
            ? Completion.ofWhole(part.meta(), besides)
            : Completion.of(head, part.meta(), besides);
    return completion != null && services.store.fits(completion.length()) ? completion : null;
  }

  /** Whether the answer may be stored if it says so: that of a POST, too. */
  private boolean mayStore() {
    return decision.outcome() != Outcome.BYPASS
        || (decision.reason() == CacheReason.METHOD
            && head.methodId() == Method.POST
            && services.caching.mayCache(request));
  }

  private boolean isSteeredLike(Entry stored) {
    return VarySelection.isSteeredLike(stored.meta().vary(), head.fields());
  }

  private void run(Fetch mine, InFlight inFlight) {
    waitsNoMore();
    fetch = mine;
    awaited = null;
    reading = new Reading();
    subscription = inFlight.attach(reading, true);
    mine.start();
  }

  /**
   * What was waited for is not for this request: serve what it left in the store, wait for another
   * fetch, or fetch.
   */
  private void lookOrFetch() {
    if (looks++ >= MAX_LOOKS) {
      fetch(false);
    } else {
      lookAgain();
    }
  }

  @Override
  public Entry stored() {
    return stale != null ? stale : part;
  }

  @Override
  public Entry fetchedAnew() {
    boolean ofItself =
        decision.outcome() == Outcome.FETCH
            && decision.reason() != CacheReason.REQUEST_NO_STORE
            && decision.reason() != CacheReason.CONDITIONAL;
    return ofItself && stale != null && isSteeredLike(stale) ? stale : null;
  }

  @Override
  public boolean isServed() {
    return stream.isServed();
  }

  // ---- looking again, for a request that waited for another's fetch

  private void lookAgain() {
    DiskLookUp.again(services, request, this);
  }

  @Override
  public boolean suffices(Entry entry) {
    return false; // never asked
  }

  @Override
  public boolean over() {
    return phase != Phase.WAITING;
  }

  @Override
  public void looked(Entry entry, LoadOutcome outcome) {
    CacheDecision usable = entry == null ? null : usable(entry);
    if (usable != null) {
      serve(entry, usable);
      return;
    }
    if (entry != null && !completeInstead(entry)) {
      validateInstead(entry);
    }
    joinOrFetch(); // one of those who waited tries again
  }

  /**
   * Whether {@code entry} has parts of the requested response that this request completes or
   * validates: then takes it.
   */
  private boolean completeInstead(Entry entry) {
    StoredMeta meta = services.caching.regarded(entry, request);
    if (stale != null
        || !wantsPart()
        || meta == null
        || services.caching.isHitDenied(request, entry)) {
      return false;
    }
    CacheDecision again = Incomplete.weigh(decideAgain(meta), head, meta);
    boolean completes =
        again.outcome() == Outcome.FETCH && again.reason() == CacheReason.INCOMPLETE;
    boolean validates =
        landingPart != null
            && again.outcome() == Outcome.VALIDATE
            && meta.hasValidator()
            && isSteeredLike(entry);
    if (!completes && !validates) {
      return false;
    }
    releaseStored();
    part = completes ? entry : null;
    stale = completes ? null : entry;
    decision = again;
    stream.record().decision = again;
    return true;
  }

  /** What was validated for another has taken the place of what this one has. Takes it. */
  private void validateInstead(Entry entry) {
    StoredMeta meta = entry.meta();
    if (validated() != null
        && meta.hasValidator()
        && meta.part() == null
        && meta.isFor(services.caching.of(request).gateway())) {
      stale.release();
      stale = entry;
    } else {
      entry.release();
    }
  }

  /** How {@code entry}, borrowed, answers this request; null where it does not. */
  private CacheDecision usable(Entry entry) {
    StoredMeta meta = services.caching.regarded(entry, request);
    if (meta == null || services.caching.isHitDenied(request, entry)) {
      return null;
    }
    CacheDecision again = decideAgain(meta);
    return switch (Incomplete.weigh(again, head, meta).outcome()) {
      case SERVE, NOT_MODIFIED, SERVE_STALE_AND_REVALIDATE -> again;
      default -> null;
    };
  }

  private CacheDecision decideAgain(StoredMeta found) {
    return Reuse.decideAfterWaiting(
        services.clock.millis(),
        head,
        request.nowMillis(),
        awaitedHead,
        found,
        target.url(),
        services.caching.of(request));
  }

  // ---- the answer, read along

  /** One reading along; what an abandoned one still gets told is nobody's business. */
  private final class Reading implements InFlight.Reader {
    @Override
    public EventExecutor loop() {
      return stream.loop();
    }

    @Override
    public void head(InFlight.Arrived arrived) {
      if (reading == this && phase == Phase.WAITING) {
        arrived(arrived);
      }
    }

    @Override
    public void content(ByteBuf content) {
      if (reading != this || phase != Phase.STREAMING) {
        content.release();
        return;
      }
      replyLeft -= content.readableBytes();
      if (replyLeft < 0 && window == null) {
        content.release();
        account();
        finish();
        leave();
        stream.abort("reply_body_max_size: larger, which its head did not say");
        return;
      }
      creditOwed += content.readableBytes();
      if (window == null) {
        stream.content(content);
      } else {
        window.pass(content, stream);
        if (window.isThrough()) {
          through();
          return;
        }
      }
      stream.flush();
      grant();
    }

    @Override
    public void end(Fields trailers) {
      if (reading == this && phase == Phase.STREAMING) {
        subscription = null;
        account();
        finish();
        stream.end(trailers);
        stream.flush();
      }
    }

    @Override
    public void broken(Throwable failure) {
      if (reading == this) {
        subscription = null;
        stream.failed(failure);
      }
    }

    @Override
    public void failed(Object cause) {
      if (reading == this) {
        MissAnswer.this.failed(cause);
      }
    }
  }

  /** The client has the range it asked for; the fetch goes on or ends without it. */
  private void through() {
    account();
    finish();
    leave();
    stream.end(null);
    stream.flush();
  }

  private void arrived(InFlight.Arrived arrived) {
    if (fetch == null && !mayReadAlong(arrived)) {
      alone |= !isPlain();
      leaveFlight();
      if (!arrived.shareable() && arrived.head().status() >= 500) {
        failedForAnother(FailedFetch.answered(arrived.head()), false);
      } else {
        lookOrFetch();
      }
      return;
    }
    waitsNoMore();
    StoredMeta meta = described(arrived);
    boolean unmodified = fetch == null && isUnmodified(arrived.meta());
    RangeSelection selected = meta == null || unmodified ? null : HitAnswer.ranges(head, meta);
    boolean reachesBack = fetch == null && asksForRange() && !isPlain();
    if (reachesBack && !unmodified && !mayReadAlong(meta, selected)) {
      alone = true;
      leaveFlight();
      fetch(false);
      return;
    }
    if (selected != null && selected.outcome() == RangeSelection.Outcome.SINGLE) {
      ByteRange range = selected.ranges().get(0);
      long start = reachesBack ? range.first() : meta.contentStart();
      if (reachesBack) {
        subscription.startAt(start);
      }
      window = new Window(range, start, meta.contentLength());
    }
    request.reply(arrived.head());
    boolean slice =
        request.slice() != null && arrived.head().status() == 206; // the whole is judged
    long limit = slice ? -1 : services.settings.access.replyBodyMax.of(request);
    replyLeft = limit < 0 ? Long.MAX_VALUE : limit;
    boolean hasContent = !unmodified && head.methodId() != Method.HEAD;
    if (limit >= 0 && hasContent && length(arrived) > limit) {
      leave();
      fail(403, "ERR_TOO_BIG", "The answer is larger than " + limit + " bytes.", null);
      return;
    }
    Refusal refusal = services.caching.responseRefusal(request);
    if (refusal != null) {
      leave();
      stream.record().tag = refusal.tag();
      stream.record().errorDetail = refusal.detail();
      fail(refusal.status(), refusal.errorCode(), refusal.text(), null);
      return;
    }
    if (unmodified) {
      notModified(arrived);
    } else if (selected != null && selected.outcome() == RangeSelection.Outcome.UNSATISFIABLE) {
      unsatisfiable(arrived, meta.contentLength());
    } else {
      send(arrived);
    }
  }

  /**
   * Whether a client that asks for a range gets from the fetch what a hit would give it: a range
   * that has begun to arrive, or, with {@code selected} null, the whole.
   */
  private boolean mayReadAlong(StoredMeta meta, RangeSelection selected) {
    if (selected == null) {
      return meta != null && meta.contentLength() >= 0;
    }
    return switch (selected.outcome()) {
      case SINGLE -> selected.ranges().get(0).first() < awaited.progress();
      case UNSATISFIABLE -> true;
      default -> false;
    };
  }

  /** Whether the client has what arrives, as it is stored. */
  private boolean isUnmodified(StoredMeta meta) {
    return meta != null && Reuse.answering(head, meta) == Outcome.NOT_MODIFIED;
  }

  /**
   * What a range may be cut out of; null where nothing is. Of what is not stored only what was
   * fetched whole for the sake of a range, its validators unknown.
   */
  private StoredMeta described(InFlight.Arrived arrived) {
    if (request.slice() != null && arrived.head().status() != 206) {
      return null; // whoever joins slices sees what it is
    }
    if (arrived.meta() != null || !whole || head.fields().has(FieldName.IF_RANGE)) {
      return arrived.meta();
    }
    return StoredMeta.undated(arrived.head().status(), arrived.contentLength());
  }

  /** Octets of content for the client; -1 where unknown. */
  private long length(InFlight.Arrived arrived) {
    return window == null ? arrived.contentLength() : window.range().length();
  }

  /** A waiter's question: is this the answer it waits for? */
  private boolean mayReadAlong(InFlight.Arrived arrived) {
    if (!arrived.shareable()) {
      noteUnshared(arrived.head().status(), awaitedHead);
      return false;
    }
    if (isHitDenied(arrived)) {
      looks = MAX_LOOKS; // nor is what it leaves in the store for this request
      return false;
    }
    if (arrived.meta() == null) {
      return true; // only its size keeps it out of the store
    }
    VarySelection brought = arrived.meta().vary();
    if (brought != null && !brought.matches(head.fields())) {
      selection = brought.by(head.fields());
      return false;
    }
    StoredMeta found = regarded(arrived);
    if (found == null) {
      return false; // for ports of the other kind
    }
    CacheDecision joined = decideAgain(found);
    if (joined.reason() == CacheReason.REQUEST_MAX_AGE && awaited != null && isPlain()) {
      awaited.notJoinable(); // one of those it is too old for asks, and the others wait for that
    }
    return joined.outcome() == Outcome.SERVE || joined.outcome() == Outcome.NOT_MODIFIED;
  }

  private boolean isHitDenied(InFlight.Arrived arrived) {
    request.reply(arrived.head());
    boolean denied = services.caching.isHitDenied(request);
    request.forgetReply();
    return denied;
  }

  /** What {@code arrived} is by the rules of this request's port; null: not to be stored. */
  private StoredMeta regarded(InFlight.Arrived arrived) {
    StoredMeta meta = arrived.meta();
    return meta != null && meta.isOfOtherKind(services.caching.of(request).gateway())
        ? services.caching.regarded(meta, ByteBufUtil.getBytes(arrived.fields()), request)
        : meta;
  }

  @Override
  public void noteUnshared(int status, RequestHead asked) {
    if (status < 500 && isPlain() && !Storability.hangsOnRequest(status, asked)) {
      services.hitForMiss.note(key, services.clock.millis());
    }
  }

  private void send(InFlight.Arrived arrived) {
    StoredMeta meta = arrived.meta();
    FieldLines lines = services.scratch.lines();
    addOwn(lines, arrived);
    if (window != null) {
      window.range().addContentRange(lines, window.completeLength());
    } else if (meta != null && meta.part() != null) {
      throw new IllegalStateException("a part that was not asked for: " + key);
    }
    int status = window != null ? 206 : meta != null ? meta.status() : arrived.head().status();
    boolean isHead = head.methodId() == Method.HEAD;
    long announced = HitAnswer.hasNoContent(status) ? ContentLength.NONE : length(arrived);
    boolean last = isHead || announced == ContentLength.NONE || announced == 0;
    note(status, arrived);
    phase = Phase.STREAMING;
    if (last) {
      account();
    }
    ByteBuf fields = arrived.fields();
    int from = fields.readerIndex();
    if (arrived.meta() != null && arrived.meta().has(StoredMeta.HIDES_FIELDS)) {
      from += HiddenFields.length(fields.slice());
    }
    boolean cookies = fetch != null || replaysSetCookie(arrived);
    boolean known = window != null && head.fields().has(FieldName.IF_RANGE);
    if (known || extendsLists(arrived) || (!cookies && holdsCookies(arrived))) {
      ByteBuf visible = fields.slice(from, fields.writerIndex() - from);
      ReplyFields.putFirst(StoredFields.index(visible), cookies, known, lines);
      from = fields.writerIndex() - 2;
    }
    stream.head(
        services
            .scratch
            .head(status, lines)
            .block(fields, from, fields.writerIndex() - from)
            .content(announced, last));
    if (last) {
      finish();
      if (fetch == null || getsForHead) {
        leave(); // an answer to HEAD from a GET
      }
      stream.flush();
      return;
    }
    if (announced == ContentLength.UNKNOWN) {
      stream.flush(); // the first content may be long in coming
    }
    creditOwed = services.settings.streamBufferBytes;
    grant();
  }

  /** Whether its lines hold lists that ours extend. */
  private static boolean extendsLists(InFlight.Arrived arrived) {
    return arrived.meta() == null
        ? arrived.head().fields().hasAny(ReplyFields.EXTENDED_LISTS)
        : arrived.meta().has(StoredMeta.EXTENDS_LISTS);
  }

  private boolean replaysSetCookie(InFlight.Arrived arrived) {
    return holdsCookies(arrived)
        && arrived.meta() != null
        && services.caching.replaysSetCookie(stream.port(), arrived.meta(), arrived.fields());
  }

  private static boolean holdsCookies(InFlight.Arrived arrived) {
    return arrived.meta() == null
        ? arrived.head().fields().has(FieldName.SET_COOKIE)
        : arrived.meta().has(StoredMeta.SETS_COOKIE);
  }

  private void note(int status, InFlight.Arrived arrived) {
    ExchangeRecord record = stream.record();
    record.status = status;
    record.reply = arrived.head();
    if (fetch == null) {
      record.tag = LogTag.TCP_HIT;
      record.hitClass = HitClass.MEMORY_HIT;
    } else {
      record.tag = fetchedTag(decision, record.tag);
    }
  }

  /** What another asked for arrives, and the client has it already. */
  private void notModified(InFlight.Arrived arrived) {
    FieldLines lines = services.scratch.lines();
    HitAnswer.addRepeated(StoredFields.index(arrived.fields()), lines);
    addOwn(lines, arrived);
    note(304, arrived);
    HitAnswer.classifyNotModified(stream.record(), head);
    account();
    finish();
    leave();
    stream.head(services.scratch.head(304, lines).content(ContentLength.NONE, true));
    stream.flush();
  }

  /** The whole arrives, and the range that was asked for is not in it. */
  private void unsatisfiable(InFlight.Arrived arrived, long completeLength) {
    FieldLines lines = services.scratch.lines();
    addOwn(lines, arrived);
    note(416, arrived);
    services.clock.addDate(lines, services.clock.millis());
    ByteRange.addUnsatisfied(lines, completeLength);
    account();
    finish();
    leave();
    stream.head(services.scratch.head(416, lines).content(0, true));
    stream.flush();
  }

  /** Tag of an answer that was fetched because of {@code decision}. */
  public static LogTag fetchedTag(CacheDecision decision, LogTag miss) {
    if (decision.outcome() == Outcome.VALIDATE) {
      return LogTag.TCP_REFRESH_MODIFIED;
    }
    return decision.reason() == CacheReason.REQUEST_NO_CACHE
        ? LogTag.TCP_CLIENT_REFRESH_MISS
        : miss;
  }

  private void addOwn(FieldLines lines, InFlight.Arrived arrived) {
    ExchangeSettings settings = services.settings;
    Fields reply = arrived.head().fields();
    if (fetch == null && arrived.meta() != null) {
      long age = arrived.meta().ageSeconds(services.clock.millis());
      lines.append("Age: ").append(Math.max(0, age)).endLine();
    } else if (reply.has(FieldName.AGE)) {
      lines.add(reply, reply.first(FieldName.AGE));
    }
    if (fetch != null) {
      ReplyFields.addWithheld(arrived.head(), fetch.withheldFields(), lines);
    }
    settings.addVia(lines, arrived.head().version());
    CacheStatus.appendForward(
        lines,
        settings.cacheName(),
        decision,
        arrived.head().status(),
        regarded(arrived),
        waited,
        fetch == null,
        services.clock.millis(),
        settings.shownKey(key));
  }

  /**
   * Asks for as much as was passed on, so that no more than one stream buffer is on its way. Where
   * the client does not take it yet what was written goes out first: the stream tells that it takes
   * more only when that has left, and a large head alone may be more than it takes at once.
   */
  private void grant() {
    if (subscription == null || creditOwed <= 0) {
      return;
    }
    if (!stream.writable()) {
      stream.flush();
      return;
    }
    long credit = creditOwed;
    creditOwed = 0;
    subscription.request(credit);
  }

  private void failed(Object cause) {
    subscription = null;
    awaited = null;
    if (phase == Phase.STREAMING) {
      account();
      finish();
      stream.record().errorDetail = String.valueOf(cause);
      stream.abort(String.valueOf(cause));
    } else if (phase == Phase.WAITING) {
      failedBeforeHead(cause);
    }
  }

  private void failedBeforeHead(Object cause) {
    if (!(cause instanceof FetchFailure failure)) {
      // the fetch we waited for ended another way (304, another variant): look for what it left
      lookOrFetch();
      return;
    }
    if (fetch == null) {
      failedForAnother(FailedFetch.of(failure), false);
      return;
    }
    if (serveStale()) {
      return;
    }
    ExchangeRecord record = stream.record();
    record.errorDetail = failure.detail();
    if (failure.kind() == FetchFailure.Kind.ADDRESS_DENIED) {
      record.tag = LogTag.TCP_DENIED;
      record.hitClass = HitClass.OWN_ANSWER;
      fetch = null; // nobody was asked
    } else if (stale != null) {
      record.tag = LogTag.TCP_REFRESH_FAIL_ERR;
    }
    if (failure.kind() == FetchFailure.Kind.NO_MEMORY) {
      record.shed = Shed.MEMORY;
    }
    fail(
        status(failure.status()),
        failure.kind().errorCode(),
        FailureAnswer.text(failure),
        FailureAnswer.retryAfter(failure));
  }

  /**
   * Another's fetch failed that this one waited for: answered as that was, or one of those who
   * waited tries and the others wait for it.
   *
   * @param overdue whether all the time had passed that one waits
   */
  private void failedForAnother(FailedFetch failed, boolean overdue) {
    boolean says = failed.saysOf(head, awaitedHead, awaitedReplaced);
    failuresMet += says ? 1 : 0;
    FailedFetch.Sharing sharing = failed.sharing(failuresMet);
    if (!sharing.shared()) {
      if (!says && !overdue && ++oddFailuresMet <= MAX_ODD_FAILURES) {
        looks--;
      }
      lookOrFetch();
      return;
    }
    waitsNoMore();
    if (serveStale()) {
      return;
    }
    ExchangeRecord record = stream.record();
    record.errorDetail = failed.detail() + "; shared, as " + sharing.reason();
    if (stale != null) {
      record.tag = LogTag.TCP_REFRESH_FAIL_ERR;
    }
    FieldLines lines = new FieldLines(128);
    failed.addRetryAfter(lines);
    int status = failed.answered() ? failed.status() : status(failed.status());
    finish();
    ErrorPage.send(stream, services, status, failed.errorCode(), failed.text(), lines);
  }

  /** 504 where a stored response would do if it could be validated (RFC 9111 section 5.2.2.2). */
  private int status(int failureStatus) {
    StoredMeta meta = staleMeta();
    boolean unvalidated =
        meta != null
            && meta.has(StoredMeta.MUST_REVALIDATE | StoredMeta.NO_CACHE)
            && failureStatus != FetchFailure.Kind.ADDRESS_DENIED.status();
    return unvalidated ? 504 : failureStatus;
  }

  /** Serves the stale response because the origin failed; false where that is not allowed. */
  private boolean serveStale() {
    if (!mayServeStale()) {
      return false;
    }
    long now = services.clock.millis();
    stream.record().tag = LogTag.TCP_REFRESH_FAIL_OLD;
    stream.record().hitClass = stream.record().fromDisk ? HitClass.DISK_HIT : HitClass.MEMORY_HIT;
    StoredMeta meta = staleMeta();
    Entry entry = stale;
    stale = null;
    serve(
        entry,
        new CacheDecision(
            Reuse.answering(head, entry.meta()),
            CacheReason.STALE_IF_ERROR,
            meta.ageSeconds(now),
            meta.lifetimeSeconds()),
        new Answered(decision, fetch == null ? 0 : fetch.status(), new FieldLines(0)));
    return true;
  }

  @Override
  public boolean mayServeStale() {
    StoredMeta meta = staleMeta();
    return meta != null
        && Reuse.mayServeOnError(
            services.clock.millis(), head, meta, target.url(), services.caching.of(request));
  }

  /** The stale response by the rules of this request's port; null where there is none. */
  private StoredMeta staleMeta() {
    return stale == null ? null : services.caching.regarded(stale, request);
  }

  /** Answers from the store. Takes {@code entry}. */
  void serve(Entry entry, CacheDecision found) {
    serve(entry, found, null);
  }

  private void serve(Entry entry, CacheDecision found, Answered asked) {
    ExchangeRecord record = stream.record();
    if (record.tag == LogTag.TCP_MISS || record.tag == LogTag.TCP_SWAPFAIL_MISS) {
      record.tag = LogTag.NONE_NONE; // the hit gives its own
    }
    phase = Phase.DELEGATED;
    waitsNoMore();
    account();
    releaseStored();
    ClientEvents answering = hits.answer(request, entry, found, asked);
    if (phase == Phase.OVER && answering != null) {
      answering.gone(); // the client left while the answer was begun
    } else {
      delegate = answering;
    }
  }

  @Override
  public void confirmed(Entry entry, FieldLines lines) {
    if (phase != Phase.WAITING) {
      entry.release(); // the client is gone; it was asked for others, who find it stored
      return;
    }
    stream.record().tag = LogTag.TCP_REFRESH_UNMODIFIED;
    stream.record().hitClass = HitClass.REVALIDATED;
    long age = entry.meta().ageSeconds(services.clock.millis());
    if (entry.meta().isFreshAt(age)) {
      services.hitForMiss.forget(key);
    } else {
      noteUnshared(entry.meta().status(), head);
    }
    leave();
    serve(
        entry,
        new CacheDecision(
            Reuse.answering(head, entry.meta()),
            CacheReason.VALIDATED,
            age,
            entry.meta().lifetimeSeconds()),
        new Answered(decision, 304, lines));
  }

  @Override
  public void upgraded(ResponseHead reply, ByteStream origin) {
    FieldLines lines = services.scratch.lines();
    Fields fields = reply.fields();
    for (int i = 0; i < fields.count(); i++) {
      if (fields.id(i) != FieldName.CONNECTION
          && fields.id(i) != FieldName.CONTENT_LENGTH
          && fields.id(i) != FieldName.TRANSFER_ENCODING
          && !HiddenFields.contains(fields.id(i))) {
        lines.add(fields, i);
      }
    }
    lines.append(services.settings.viaLine(), 0, services.settings.viaLine().length);
    stream.record().tag = LogTag.TCP_TUNNEL;
    stream.record().hitClass = HitClass.TUNNEL;
    account();
    phase = Phase.DELEGATED;
    leave();
    stream.head(services.scratch.head(101, lines).content(ContentLength.NONE, false));
    stream.flush();
    Tunneling.relay(services, stream, origin);
  }

  // ---- the request's content

  @Override
  public void readyForContent() {
    if (phase == Phase.WAITING || phase == Phase.STREAMING) {
      stream.sendContinue();
      stream.readContent();
    }
  }

  @Override
  public void rewindContent() {
    if (ContentLength.hasContent(request.contentLength()) && stream.rewindContent()) {
      contentIn = 0;
    }
  }

  @Override
  public void originWritable() {
    if (phase == Phase.WAITING || phase == Phase.STREAMING) {
      stream.readContent();
    }
  }

  @Override
  public void noteUnforgotten() {
    stream.record().invalidationLate = true;
    services.unforgotten.note(target.url());
  }

  @Override
  public void interim(ResponseHead reply) {
    if (phase == Phase.WAITING) {
      FieldLines own = new FieldLines(64);
      services.settings.addVia(own, reply.version());
      stream.interim(reply, own);
    }
  }

  @Override
  public void content(ByteBuf content) {
    OriginStream origin = fetch == null ? null : fetch.origin();
    contentIn += content.readableBytes();
    long limit = services.settings.access.requestBodyMaxBytes;
    if (origin == null || phase == Phase.OVER || phase == Phase.DELEGATED) {
      content.release();
    } else if (limit >= 0 && contentIn > limit) {
      content.release();
      leave();
      tooLarge(limit);
    } else {
      origin.content(content);
      if (origin.writable()) {
        stream.readContent();
      }
    }
  }

  private void tooLarge(long limit) {
    if (phase == Phase.WAITING) {
      fail(413, "ERR_TOO_BIG", "The content is larger than " + limit + " bytes.", null);
    } else {
      account();
      finish();
      stream.abort("request content beyond request_body_max_size");
    }
  }

  @Override
  public void contentEnd(Fields trailers) {
    OriginStream origin = fetch == null ? null : fetch.origin();
    if (origin != null) {
      origin.endContent(RequestTrailers.onward(head.fields(), trailers));
    }
  }

  @Override
  public void contentFailed(ParseFailure failure) {
    leave();
    if (phase == Phase.WAITING) {
      stream.record().errorDetail = failure.text();
      fail(failure.status(), ErrorPage.code(failure), failure.text() + ".", null);
    } else if (phase == Phase.STREAMING) {
      account();
      finish();
      stream.abort(failure.text());
    }
  }

  @Override
  public void writable() {
    if (delegate != null) {
      delegate.writable();
    } else if (phase == Phase.STREAMING) {
      grant();
    }
  }

  @Override
  public void gone() {
    if (delegate != null) {
      delegate.gone();
      return;
    }
    account();
    finish();
    leave();
  }

  // ---- endings

  private void fail(int status, String errorCode, String text, FieldLines lines) {
    account();
    finish();
    if (ContentLength.hasContent(request.contentLength())) {
      stream.closeAfter();
    }
    ErrorPage.send(stream, services, status, errorCode, text, lines);
  }

  private void finish() {
    phase = Phase.OVER;
    waitsNoMore();
    releaseStored();
  }

  private void waitsNoMore() {
    if (patience != null) {
      services.timer.forget(patience);
      patience = null;
    }
    if (landingPart != null) {
      services.timer.forget(landingPart);
    }
  }

  private void leave() {
    waitsNoMore();
    leaveFlight();
  }

  private void leaveFlight() {
    InFlight.Subscription left = subscription;
    subscription = null;
    awaited = null;
    reading = null;
    if (left != null) {
      left.cancel();
    }
  }

  private void releaseStored() {
    if (stale != null) {
      stale.release();
      stale = null;
    }
    if (part != null) {
      part.release();
      part = null;
    }
  }

  private void account() {
    if (fetch != null) {
      fetch.account(stream.record());
    }
  }
}
