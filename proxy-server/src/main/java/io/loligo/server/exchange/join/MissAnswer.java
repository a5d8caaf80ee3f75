package io.loligo.server.exchange.join;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.OfferedTags;
import io.loligo.core.caching.RequestTrailers;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.ByteRange;
import io.loligo.core.range.RangeSelection;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.answer.FailureAnswer;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.fetch.Fetch;
import io.loligo.server.exchange.fetch.FetchClient;
import io.loligo.server.exchange.fetch.LimitedReader;
import io.loligo.server.exchange.hit.Answered;
import io.loligo.server.exchange.hit.DiskLookUp;
import io.loligo.server.exchange.hit.HitAnswer;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.BandwidthRules;
import io.loligo.server.exchange.rules.FieldFilter;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.tunnel.Tunneling;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Shed;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.OriginStream;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;

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
public final class MissAnswer implements ClientEvents, FetchClient, DiskLookUp.Asker, Waits.Owner {
  private enum Phase {
    WAITING,
    STREAMING,
    DELEGATED,
    OVER
  }

  private final LoopServices services;
  private final HitAnswer hits;
  private final Request request;
  private final ClientStream stream;
  private final RequestHead head;
  private final RequestTarget target;
  private final CacheKey key;
  private final @Nullable String upgrade;

  private final MissCause cause;
  private Phase phase = Phase.WAITING;
  private final OthersFetches others = new OthersFetches();

  /** Whether it joins no other fetch any more: a response it waited for was not for it. */
  private boolean alone;

  /** Whether the disk was asked; it is asked once. */
  private boolean diskAsked;

  /** Whether a HEAD validates a stale response with a GET, which other requests may join. */
  private boolean getsForHead;

  private final Alongside alongside;
  private final Waits waits;

  /** Passes content on; null until its head arrives. */
  private @Nullable Delivery delivery;

  private long contentIn;
  private @Nullable Reading reading;
  private InFlight.@Nullable Subscription subscription;
  private @Nullable Fetch fetch;
  private @Nullable ClientEvents delegate;

  /**
   * Answers {@code request}, a snapshot.
   *
   * @param hits sends stored responses
   * @param stored the response to validate or complete, taken; or null
   * @param upgrade the protocol to switch to, or null
   */
  public MissAnswer(
      LoopServices services,
      HitAnswer hits,
      Request request,
      CacheKey key,
      @Nullable Entry stored,
      CacheDecision decision,
      @Nullable String upgrade) {
    this.services = services;
    this.hits = hits;
    this.request = request;
    this.stream = request.stream();
    this.head = request.head();
    this.target = request.target();
    this.key = key;
    this.cause = new MissCause(services, request, stored, decision);
    this.alongside = new Alongside(services, head, key, cause, others);
    this.waits = new Waits(services.timer, this);
    this.upgrade = upgrade;
    ExchangeRecord record = request.record();
    record.decision = decision;
    if (record.tag != LogTag.TCP_SWAPFAIL_MISS) {
      record.tag = LogTag.TCP_MISS;
    }
    record.hitClass = HitClass.MISS;
  }

  /** Says whether the disk was asked before. To be called before {@link #start}. */
  public MissAnswer afterDisk(boolean asked) {
    diskAsked = asked;
    return this;
  }

  /** Joins a fetch or begins one. Returns itself, or null if the response is complete already. */
  public @Nullable ClientEvents start() {
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
    boolean shares = worth && cause.isPlain();
    boolean waits = shares || (worth && !alone && cause.mayWait());
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
    if (waits.awaitedPart() || !cause.wantsPart()) {
      return false;
    }
    InFlight landing = services.store.landingPart(services.keys.probe(target));
    if (landing == null) {
      return false;
    }
    waits.awaitPart(landing, stream.loop(), services.settings.loadTimeoutMillis);
    return true;
  }

  @Override
  public void partLanded() {
    if (phase == Phase.WAITING) {
      try {
        lookAgain();
      } catch (RuntimeException | OutOfMemoryError failure) {
        stream.failed(failure);
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

  /** Reads along with {@code running}; false where there is none or it is too late. */
  private boolean join(@Nullable InFlight running) {
    if (running == null) {
      return false;
    }
    reading = new Reading();
    subscription = running.attach(reading, false);
    others.joined(running, subscription != null);
    stream.record().collapsed = subscription != null;
    if (subscription != null) {
      waits.awaitFetches(services.settings.fetches.collapsedWaitMillis);
    }
    return subscription != null;
  }

  @Override
  public void overdue() {
    if (phase == Phase.WAITING && fetch == null && others.awaited() != null) {
      others.awaited().notJoinable();
      leave();
      if (!serveStale()) {
        failedForAnother(FailedFetch.overdue(), true);
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
    if (others.isFirstLook()
        && !others.waited()
        && !request.continuesAnswer()
        && services.store.isCrowded()) {
      shed();
      return;
    }
    // an answer to HEAD has no content: nobody else could read along
    boolean isHead = head.methodId() == Method.HEAD;
    getsForHead = joinable && isHead && cause.validated() != null;
    boolean shared = joinable && (!isHead || getsForHead);
    Fetch mine = newFetch();
    InFlight inFlight = shared ? mine.joinOrBegin(key, alongside.selects()) : mine.begin(key);
    if (inFlight == null) {
      shed();
    } else if (inFlight.writer() == mine) {
      Entry meanwhile = shared ? mine.findMeanwhile() : null;
      CacheDecision usable = meanwhile == null ? null : cause.usable(meanwhile, others.head());
      if (meanwhile == null || usable == null) {
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
        && cause.mayBeOnDiskMeanwhile()
        && services.store.mayLoad(services.keys.probe(target));
  }

  private void shed() {
    stream.record().shed = Shed.MEMORY;
    FieldLines retry = new FieldLines(32).add("Retry-After", Refusal.RETRY_SECONDS);
    fail(503, "ERR_OVERLOADED", "The proxy is at its memory limit.", retry);
  }

  private Fetch newFetch() {
    Request asked = getsForHead ? request.asGet() : request;
    return new Fetch(services, this, asked, cause.mayStore(), cause.validated(), upgrade)
        .offering(OfferedTags.goWith(cause.decision(), head))
        .completing(cause.part(), cause.completion())
        .fetchingWhole(cause.fetchesWhole());
  }

  private void run(Fetch mine, InFlight inFlight) {
    waits.end();
    fetch = mine;
    others.left();
    reading = new Reading();
    subscription = inFlight.attach(reading, true);
    mine.start();
  }

  /**
   * The awaited response is not for this request. Serves a response that the fetch left in the
   * store, joins another fetch, or begins one.
   */
  private void lookOrFetch() {
    if (others.looksAgain()) {
      lookAgain();
    } else {
      fetch(false);
    }
  }

  @Override
  public @Nullable Entry stored() {
    return cause.stored();
  }

  @Override
  public @Nullable Entry fetchedAnew() {
    return cause.fetchedAnew();
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
  public void looked(@Nullable Entry entry, @Nullable LoadOutcome outcome) {
    CacheDecision usable = entry == null ? null : cause.usable(entry, others.head());
    if (entry != null && usable != null) {
      serve(entry, usable);
      return;
    }
    if (entry != null) {
      cause.replaceBy(entry, others.head(), waits.awaitedPart());
    }
    joinOrFetch(); // one of those who waited tries again
  }

  // ---- the response, as it arrives

  /** One reader of a fetch. The events of an abandoned reader are ignored. */
  private final class Reading implements InFlight.Reader, LimitedReader {
    // written on this loop, read on that of the fetch
    private @Nullable Allowance limit;
    private volatile boolean chosen;

    /** Chooses the pool of this response, whose head the request holds. */
    void choose(BandwidthRules bandwidth) {
      limit = bandwidth.ofServer(request);
      chosen = true;
    }

    @Override
    public boolean hasChosen() {
      return chosen;
    }

    @Override
    public @Nullable Allowance limit() {
      return limit;
    }

    @Override
    public EventExecutor loop() {
      return stream.loop();
    }

    @Override
    public void head(InFlight.Arrived arrived) {
      if (reading == this && phase == Phase.WAITING) {
        arrived(new ArrivedReply(services, request, cause, key, arrived, fetch, others.waited()));
      }
    }

    @Override
    public void content(ByteBuf content) {
      if (reading != this || phase != Phase.STREAMING) {
        content.release();
        return;
      }
      Delivery passing = delivery;
      assert passing != null : "the head was sent";
      switch (passing.pass(content)) {
        case TOO_LARGE -> {
          account();
          finish();
          leave();
          stream.abort("reply_body_max_size: larger, which its head did not say");
        }
        case COMPLETE -> through();
        case GOES_ON -> {
          stream.flush();
          passing.grant(subscription);
        }
      }
    }

    @Override
    public void end(@Nullable Fields trailers) {
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
    public void failed(Object why) {
      if (reading == this) {
        MissAnswer.this.failed(why);
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

  private void arrived(ArrivedReply reply) {
    if (fetch == null && !alongside.answers(reply)) {
      alone |= !cause.isPlain();
      leaveFlight();
      if (!reply.isShareable() && reply.head().status() >= 500) {
        failedForAnother(FailedFetch.answered(reply.head()), false);
      } else {
        lookOrFetch();
      }
      return;
    }
    waits.end();
    StoredMeta meta = reply.described();
    boolean unmodified = fetch == null && reply.isUnmodified();
    RangeSelection selected = meta == null || unmodified ? null : HitAnswer.ranges(head, meta);
    boolean reachesBack = fetch == null && cause.asksForRange() && !cause.isPlain();
    if (reachesBack && !unmodified && !alongside.givesRange(meta, selected)) {
      alone = true;
      leaveFlight();
      fetch(false);
      return;
    }
    Window window = null;
    if (selected != null && selected.outcome() == RangeSelection.Outcome.SINGLE) {
      ByteRange range = selected.ranges().get(0);
      assert meta != null : "the range is selected from it";
      long start = reachesBack ? range.first() : meta.contentStart();
      if (reachesBack) {
        assert subscription != null : "it is read along";
        subscription.startAt(start);
      }
      window = new Window(range, start, meta.contentLength());
    }
    OriginStream own = fetch == null ? null : fetch.origin();
    request.server().way(own == null ? null : own.timings());
    request.reply(reply.head());
    boolean slice = request.slice() != null && reply.head().status() == 206; // the whole is judged
    long limit = slice ? -1 : services.settings.access.replyBodyMax.of(request);
    boolean hasContent = !unmodified && head.methodId() != Method.HEAD;
    boolean tooLarge = limit >= 0 && hasContent && reply.length(window) > limit;
    Refusal refusal =
        tooLarge ? Refusal.ofResponseSize(limit) : services.caching.responseRefusal(request);
    if (refusal != null) {
      leave();
      LogTag tag = refusal.tag();
      assert tag != null : "the rules for responses give one";
      stream.record().tag = tag;
      stream.record().errorDetail = refusal.detail();
      fail(refusal);
      return;
    }
    if (unmodified) {
      notModified(reply);
    } else if (selected != null && selected.outcome() == RangeSelection.Outcome.UNSATISFIABLE) {
      assert meta != null : "the range is selected from it";
      unsatisfiable(reply, meta.contentLength());
    } else {
      send(reply, window, limit);
    }
  }

  @Override
  public void noteUnshared(int status, RequestHead asked) {
    alongside.noteUnshared(status, asked);
  }

  private void send(ArrivedReply reply, @Nullable Window window, long limit) {
    int status = reply.status(window);
    long announced = reply.announced(window);
    boolean isHead = head.methodId() == Method.HEAD;
    boolean last = isHead || announced == ContentLength.NONE || announced == 0;
    note(status, reply);
    BandwidthRules bandwidth = services.bandwidth;
    if (bandwidth != null && reading != null) {
      reading.choose(bandwidth);
    }
    Delivery begun = new Delivery(stream, window, limit);
    delivery = begun;
    phase = Phase.STREAMING;
    if (last) {
      account();
    }
    stream.head(reply.head(window, last));
    if (last) {
      finish();
      if (fetch == null || getsForHead) {
        leave(); // an answer to HEAD from a GET
      }
      stream.flush();
      return;
    }
    boolean delayed = reading != null && reading.limit() != null;
    if (announced == ContentLength.UNKNOWN || delayed) {
      stream.flush(); // the first content may be long in coming
    }
    begun.begin(subscription, services.settings.streamBufferBytes);
  }

  private void note(int status, ArrivedReply reply) {
    ExchangeRecord record = stream.record();
    record.status = status;
    record.reply = reply.head();
    if (fetch == null) {
      record.tag = LogTag.TCP_HIT;
      record.hitClass = HitClass.MEMORY_HIT;
    } else {
      account(); // rules about the response ask how it came
      record.tag = fetchedTag(cause.decision(), record.tag);
    }
  }

  /** The response to another request arrives, and the client has it already. */
  private void notModified(ArrivedReply reply) {
    note(304, reply);
    HitAnswer.classifyNotModified(stream.record(), head);
    sendLast(reply.notModified());
  }

  /** The whole arrives, and the range that was asked for is not in it. */
  private void unsatisfiable(ArrivedReply reply, long completeLength) {
    note(416, reply);
    sendLast(reply.unsatisfiable(completeLength));
  }

  private void sendLast(OutgoingHead last) {
    account();
    finish();
    leave();
    stream.head(last);
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

  private void failed(Object why) {
    subscription = null;
    others.left();
    if (phase == Phase.STREAMING) {
      account();
      finish();
      stream.record().errorDetail = String.valueOf(why);
      stream.abort(String.valueOf(why));
    } else if (phase == Phase.WAITING) {
      failedBeforeHead(why);
    }
  }

  private void failedBeforeHead(Object why) {
    if (!(why instanceof FetchFailure failure)) {
      // the awaited fetch had another end (304, another variant): look for its result in the store
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
    } else if (cause.isStale()) {
      record.tag = LogTag.TCP_REFRESH_FAIL_ERR;
    }
    if (failure.kind() == FetchFailure.Kind.NO_MEMORY) {
      record.shed = Shed.MEMORY;
    }
    fail(
        cause.status(failure.status()),
        failure.kind().errorCode(),
        FailureAnswer.text(failure),
        FailureAnswer.retryAfter(failure));
  }

  /**
   * The awaited fetch of another request failed. Shares its error, or tries again: then one of the
   * waiting requests fetches, and the others join that fetch.
   *
   * @param overdue whether the time to wait has passed
   */
  private void failedForAnother(FailedFetch failed, boolean overdue) {
    FailedFetch.Sharing sharing = others.failed(failed, head, overdue);
    if (!sharing.shared()) {
      lookOrFetch();
      return;
    }
    waits.end();
    if (serveStale()) {
      return;
    }
    ExchangeRecord record = stream.record();
    record.errorDetail = failed.detail() + "; shared, as " + sharing.reason();
    if (cause.isStale()) {
      record.tag = LogTag.TCP_REFRESH_FAIL_ERR;
    }
    FieldLines lines = new FieldLines(128);
    failed.addRetryAfter(lines);
    int status = failed.answered() ? failed.status() : cause.status(failed.status());
    finish();
    ErrorPage.send(stream, services, status, failed.errorCode(), failed.text(), lines);
  }

  /** Serves the stale response because the origin failed; false where that is not allowed. */
  private boolean serveStale() {
    if (!cause.mayServeStale()) {
      return false;
    }
    long now = services.clock.millis();
    stream.record().tag = LogTag.TCP_REFRESH_FAIL_OLD;
    stream.record().hitClass = stream.record().fromDisk ? HitClass.DISK_HIT : HitClass.MEMORY_HIT;
    StoredMeta meta = cause.staleMeta();
    assert meta != null : "it may be served";
    Entry entry = cause.takeStale();
    serve(
        entry,
        new CacheDecision(
            Reuse.answering(head, entry.meta()),
            CacheReason.STALE_IF_ERROR,
            meta.ageSeconds(now),
            meta.lifetimeSeconds()),
        new Answered(cause.decision(), fetch == null ? 0 : fetch.status(), new FieldLines(0)));
    return true;
  }

  @Override
  public boolean mayServeStale() {
    return cause.mayServeStale();
  }

  /** Answers from the store. Takes {@code entry}. */
  void serve(Entry entry, CacheDecision found) {
    serve(entry, found, null);
  }

  private void serve(Entry entry, CacheDecision found, @Nullable Answered asked) {
    ExchangeRecord record = stream.record();
    if (record.tag == LogTag.TCP_MISS || record.tag == LogTag.TCP_SWAPFAIL_MISS) {
      record.tag = LogTag.NONE_NONE; // the hit gives its own
    }
    phase = Phase.DELEGATED;
    waits.end();
    account();
    cause.release();
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
      alongside.noteUnshared(entry.meta().status(), head);
    }
    leave();
    serve(
        entry,
        new CacheDecision(
            Reuse.answering(head, entry.meta()),
            CacheReason.VALIDATED,
            age,
            entry.meta().lifetimeSeconds()),
        new Answered(cause.decision(), 304, lines));
  }

  @Override
  public void upgraded(ResponseHead reply, ByteStream origin) {
    account();
    phase = Phase.DELEGATED;
    CachePeer peer = fetch == null ? null : fetch.peer();
    leave();
    Tunneling.upgraded(services, request, reply, origin, peer);
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
  public void noteUnconfirmed() {
    stream.record().invalidationLate = true;
    services.unconfirmed.note(target.url());
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
      fail(Refusal.ofContent(limit));
    } else {
      account();
      finish();
      stream.abort("request content beyond request_body_max_size");
    }
  }

  @Override
  public void contentEnd(@Nullable Fields trailers) {
    OriginStream origin = fetch == null ? null : fetch.origin();
    if (origin != null) {
      Fields onward = RequestTrailers.onward(head.fields(), trailers);
      FieldFilter rules = services.requestFields;
      origin.endContent(onward == null || rules == null ? onward : rules.trailers(request, onward));
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
      assert delivery != null : "the head was sent";
      delivery.grant(subscription);
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

  private void fail(Refusal refusal) {
    end();
    ErrorPage.answer(stream, services, refusal);
  }

  private void fail(int status, String errorCode, String text, @Nullable FieldLines lines) {
    end();
    ErrorPage.send(stream, services, status, errorCode, text, lines);
  }

  /** An error page is next. */
  private void end() {
    account();
    finish();
    if (ContentLength.hasContent(request.contentLength()) && stream.contentMissing()) {
      stream.closeAfter();
    }
  }

  private void finish() {
    phase = Phase.OVER;
    waits.end();
    cause.release();
  }

  private void leave() {
    waits.end();
    leaveFlight();
  }

  private void leaveFlight() {
    InFlight.Subscription left = subscription;
    subscription = null;
    others.left();
    reading = null;
    if (left != null) {
      left.cancel();
    }
  }

  private void account() {
    if (fetch != null) {
      fetch.account(stream.record());
    }
  }
}
