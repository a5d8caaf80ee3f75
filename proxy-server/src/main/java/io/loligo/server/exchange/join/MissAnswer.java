package io.loligo.server.exchange.join;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.RequestTrailers;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
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
import io.loligo.server.exchange.hit.Answered;
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
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.PeerHop;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A request that memory could not answer: it comes to a fetch by {@link Joining}, follows that by a
 * {@link FlightReading}, and passes on what arrives. Confined to the client's event loop.
 *
 * <pre>
 *   phase      entered by                          left by
 *   WAITING    start: joined or fetching           head, serve, failed
 *   STREAMING  head sent, content follows          end, failed (cut), gone
 *   DELEGATED  answered from the store             the delegate
 *   OVER       answer complete, cut, or client gone
 * </pre>
 */
public final class MissAnswer implements ClientEvents, FetchClient, FlightReading.Owner {
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
  private final CacheKey key;

  private final MissCause cause;
  private final Joining joining;
  private Phase phase = Phase.WAITING;

  private long contentIn;
  private @Nullable FlightReading reading;
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
    this.key = key;
    this.cause = new MissCause(services, request, stored, decision);
    this.joining = new Joining(this, services, request, key, cause, upgrade);
    ExchangeRecord record = request.record();
    record.decision = decision;
    if (record.tag != LogTag.TCP_SWAPFAIL_MISS) {
      record.tag = LogTag.TCP_MISS;
    }
    record.hitClass = HitClass.MISS;
  }

  /** Says whether the disk was asked before. To be called before {@link #start}. */
  public MissAnswer afterDisk(boolean asked) {
    joining.afterDisk(asked);
    return this;
  }

  /** Joins a fetch or begins one. Returns itself, or null if the response is complete already. */
  public @Nullable ClientEvents start() {
    stream.forwarded();
    if (request.isFromNode()) {
      stream.acknowledge();
    }
    try {
      joining.joinOrFetch();
    } catch (RuntimeException | Error e) {
      // the connection, which answers for the failure, does not know of this exchange yet
      gone();
      throw e;
    }
    return phase == Phase.OVER || (phase == Phase.DELEGATED && delegate == null) ? null : this;
  }

  // ---- for its way to a fetch

  /** Whether neither a fetch nor the store has answered yet. */
  boolean isWaiting() {
    return phase == Phase.WAITING;
  }

  /** Whether it has begun a fetch of its own. */
  boolean hasFetch() {
    return fetch != null;
  }

  /** Reads along with {@code running}; false if it is too late. */
  boolean readAlong(InFlight running) {
    reading = new FlightReading(this, request);
    return reading.attach(running, false);
  }

  /** Begins {@code mine}, and reads it. */
  void run(Fetch mine, InFlight inFlight) {
    fetch = mine;
    reading = new FlightReading(this, request);
    reading.attach(inFlight, true);
    mine.start();
  }

  /** The time for fetches of other requests is over. */
  void overdue() {
    leave();
    if (!serveStale()) {
      failedForAnother(FailedFetch.overdue(), true);
    }
  }

  /** There is no memory for a fetch. */
  void shed() {
    stream.record().shed = Shed.MEMORY;
    FieldLines retry = new FieldLines(32).add("Retry-After", Refusal.RETRY_SECONDS);
    int status = request.isFromNode() ? PeerHop.NOT_TAKEN : 503;
    fail(status, "ERR_OVERLOADED", "The proxy is at its memory limit.", retry);
  }

  // ---- for its fetch

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

  // ---- the response, as it arrives

  @Override
  public boolean reads(FlightReading one) {
    return reading == one;
  }

  @Override
  public boolean isStreaming() {
    return phase == Phase.STREAMING;
  }

  @Override
  public void arrived(FlightReading from, InFlight.Arrived arrived) {
    if (phase == Phase.WAITING) {
      boolean waited = joining.others().waited();
      answer(from, new ArrivedReply(services, request, cause, key, arrived, fetch, waited));
    }
  }

  @Override
  public void outgrown() {
    account();
    finish();
    leave();
    stream.abort("reply_body_max_size: larger, which its head did not say");
  }

  @Override
  public void delivered(@Nullable Fields trailers) {
    account();
    finish();
    stream.end(trailers);
    stream.flush();
  }

  @Override
  public void broken(Throwable failure) {
    stream.failed(failure);
  }

  @Override
  public void rangeDelivered() {
    account();
    finish();
    leave();
    stream.end(null);
    stream.flush();
  }

  private void answer(FlightReading from, ArrivedReply reply) {
    if (fetch == null && !joining.alongside().answers(reply)) {
      joining.notForIt();
      leaveFlight();
      if (!reply.isShareable() && reply.head().status() >= 500) {
        failedForAnother(FailedFetch.answered(reply.head()), false);
      } else {
        joining.lookOrFetch();
      }
      return;
    }
    joining.end();
    StoredMeta meta = reply.described();
    boolean unmodified = fetch == null && reply.isUnmodified();
    RangeSelection selected = meta == null || unmodified ? null : HitAnswer.ranges(head, meta);
    boolean reachesBack = fetch == null && cause.asksForRange() && !cause.isPlain();
    if (reachesBack && !unmodified && !joining.alongside().givesRange(meta, selected)) {
      leaveFlight();
      joining.fetchAlone();
      return;
    }
    Window window = null;
    if (selected != null && selected.outcome() == RangeSelection.Outcome.SINGLE) {
      ByteRange range = selected.ranges().get(0);
      assert meta != null : "the range is selected from it";
      long start = reachesBack ? range.first() : meta.contentStart();
      if (reachesBack) {
        from.startAt(start);
      }
      window = new Window(range, start, meta.contentLength());
    }
    OriginStream own = fetch == null ? null : fetch.origin();
    request.server().way(own == null ? null : own.timings());
    request.reply(reply.head());
    boolean slice = request.slice() != null && reply.head().status() == 206; // the whole is judged
    long limit = slice ? -1 : services.caching.replyBodyMax(request);
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
      send(from, reply, window, limit);
    }
  }

  @Override
  public void noteUnshared(int status, RequestHead asked) {
    joining.alongside().noteUnshared(status, asked);
  }

  private void send(FlightReading from, ArrivedReply reply, @Nullable Window window, long limit) {
    int status = reply.status(window);
    long announced = reply.announced(window);
    boolean isHead = head.methodId() == Method.HEAD;
    boolean last = isHead || announced == ContentLength.NONE || announced == 0;
    note(status, reply);
    BandwidthRules bandwidth = services.bandwidth;
    if (bandwidth != null) {
      from.choose(bandwidth);
    }
    from.deliver(window, limit);
    phase = Phase.STREAMING;
    if (last) {
      account();
      if (joining.getsForHead()) {
        leaveFetch();
      }
    }
    stream.head(reply.head(window, last));
    if (last) {
      finish();
      if (fetch == null || joining.getsForHead()) {
        leave(); // an answer to HEAD from a GET
      }
      stream.flush();
      return;
    }
    if (announced == ContentLength.UNKNOWN || (reading == from && from.limit() != null)) {
      stream.flush(); // the first content may be long in coming
    }
    from.begin(services.settings.streamBufferBytes);
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

  @Override
  public void failed(Object why) {
    joining.others().left();
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
      joining.lookOrFetch();
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
    if (cause.wantsStored()) {
      Refusal none = Refusal.NOT_STORED;
      fail(none.status(), none.errorCode(), none.summary(), new FieldLines(0));
      return;
    }
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
        status(failure),
        failure.kind().errorCode(),
        FailureAnswer.text(failure),
        FailureAnswer.retryAfter(failure));
  }

  /** A node does not take a request whose address its own rules deny: its client's rules differ. */
  private int status(FetchFailure failure) {
    boolean denied = failure.kind() == FetchFailure.Kind.ADDRESS_DENIED;
    return denied && request.isFromNode() ? PeerHop.NOT_TAKEN : cause.status(failure.status());
  }

  /**
   * The awaited fetch of another request failed. Shares its error, or tries again: then one of the
   * waiting requests fetches, and the others join that fetch.
   *
   * @param overdue whether the time to wait has passed
   */
  private void failedForAnother(FailedFetch failed, boolean overdue) {
    FailedFetch.Sharing sharing = joining.others().failed(failed, head, overdue);
    if (!sharing.shared()) {
      joining.lookOrFetch();
      return;
    }
    joining.end();
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
    joining.end();
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
    stream.record().waitedForValidation = cause.couldBeStaleMeanwhile();
    long age = entry.meta().ageSeconds(services.clock.millis());
    if (entry.meta().isFreshAt(age)) {
      services.hitForMiss.forget(key);
    } else {
      joining.alongside().noteUnshared(entry.meta().status(), head);
    }
    leaveFlight(); // the validation is over with this
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
    services.unconfirmed.note(request.target().url());
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
      assert reading != null : "the head was sent";
      reading.grant();
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
    joining.end();
    cause.release();
  }

  private void leave() {
    leaveFetch();
    joining.end();
    leaveFlight();
  }

  /** Before the record is handed over. */
  private void leaveFetch() {
    if (fetch != null) {
      fetch.clientLeaves(stream.record());
    }
  }

  private void leaveFlight() {
    FlightReading left = reading;
    joining.others().left();
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
