package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.Invalidation;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.message.WebSocketHandshake;
import io.loligo.core.range.Completion;
import io.loligo.core.range.Incomplete;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.StoringRules;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.FetchSettings;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request for a response, and the in-flight object that it writes. A fetch may outlive the
 * client that caused it (other readers, quick_abort), or have no client (background validation).
 * Confined to the event loop that began it.
 */
public final class Fetch
    implements OriginSide.Sender, StoringRules.Asked, InFlight.Writer, HeldAnswer.Owner {
  /**
   * Tells waiting requests to look in the store again: the fetch ended without a response for them.
   */
  static final Object LOOK_AGAIN = new Object();

  private static final Logger LOG = LoggerFactory.getLogger(Fetch.class);

  private final LoopServices services;
  private final ByteBufAllocator allocator;
  private final EventLoop eventLoop;
  private final @Nullable FetchClient client;
  private final Request request;
  private final RequestHead head;
  private final RequestTarget target;
  private final boolean mayStore;
  private final @Nullable String upgrade;
  private final boolean refreshes;

  /** Null until the fetch starts. A fetch that joins another one never starts. */
  private @Nullable OriginSide origin;

  private long requestMillis;
  private final KnownResponses known;
  private boolean offers;
  private boolean whole;

  /** Bytes of the response that came from the store. */
  private long fed;

  /** Whether readers have the head of the response that is being completed. */
  private boolean opened;

  /** Whether a further gap was requested and the head of its response has not arrived. */
  private boolean asking;

  private @Nullable CacheKey key;
  private @Nullable InFlight inFlight;
  private volatile FieldSet replaced = FieldSet.NONE;
  private long keysAsOf;
  private List<String> withheld = List.of();

  /** The head that readers get, a snapshot. */
  private @Nullable ResponseHead answered;

  /** Null: there are no delay pools, or it was not asked for. */
  private @Nullable WidestLimit limit;

  private @Nullable HeldAnswer held;
  private boolean readOwed;
  private boolean reading;
  private boolean over;
  private boolean again;
  private boolean unconditional;
  private long announced = -1;
  private boolean storing;
  private int status;
  private @Nullable String refusal;

  /**
   * A fetch for {@code client}; null: a fetch in the background. {@code request} is a snapshot.
   *
   * @param mayStore whether the response may be stored
   * @param validated the stored response whose validators are sent, borrowed; the fetch retains it
   * @param upgrade the protocol to switch to, or null
   */
  public Fetch(
      LoopServices services,
      @Nullable FetchClient client,
      Request request,
      boolean mayStore,
      @Nullable Entry validated,
      @Nullable String upgrade) {
    this.services = services;
    this.allocator = request.allocator();
    this.eventLoop = request.loop();
    this.client = client;
    this.request = request;
    this.head = request.head();
    this.target = request.target();
    this.mayStore = mayStore;
    this.known = new KnownResponses(validated);
    this.refreshes = client == null && validated != null;
    this.upgrade = upgrade;
  }

  /**
   * Sets whether the fetch offers the entity tags of stored variants. Call before {@link #start}.
   * Returns itself.
   */
  public Fetch offering(boolean offers) {
    this.offers = offers;
    return this;
  }

  /**
   * Fetches only the bytes that {@code stored}, borrowed, an incomplete response, lacks. No effect
   * if {@code completion} is null. Call before {@link #start}. Returns itself.
   */
  public Fetch completing(@Nullable Entry stored, @Nullable Completion completion) {
    if (stored != null && completion != null && stored.tryRetain()) {
      known.complete(new Completing(this, eventLoop, stored, completion));
    }
    return this;
  }

  /**
   * Sets whether the fetch requests the whole, whatever range {@code head} requests. Call before
   * {@link #start}. Returns itself.
   */
  public Fetch fetchingWhole(boolean whole) {
    this.whole = whole;
    return this;
  }

  /** Looks up the request in memory again, after this fetch has begun. Returns owned, or null. */
  public @Nullable Entry findMeanwhile() {
    try {
      return services.store.find(services.keys.probe(target), head.fields());
    } catch (RuntimeException | Error e) {
      standDown();
      throw e;
    }
  }

  /**
   * Ends a fetch that has not started, because its response is already in the store. Waiting
   * requests find it there.
   */
  public void standDown() {
    finish();
    inFlight().fail(LOOK_AGAIN);
  }

  /**
   * Returns a fetch of the whole for a reader that already has a part. It ignores the ranges and
   * conditions of {@code request}, a snapshot.
   */
  public static Fetch again(LoopServices services, Request request) {
    Fetch fetch = new Fetch(services, null, request, true, null, null);
    fetch.again = true;
    return fetch;
  }

  /**
   * Opens an in-flight object that no other request can join. Null if there is no memory for it.
   */
  public @Nullable InFlight begin(CacheKey key) {
    try {
      return opened(key, services.store.begin(key, false, eventLoop, this));
    } catch (RuntimeException | Error e) {
      finish();
      throw e;
    }
  }

  /**
   * Opens an in-flight object that other requests can join, or returns one of another fetch. In the
   * second case this fetch must not be used any more. Null if there is no memory.
   *
   * @param expected the variant that this request is known to select, or null
   */
  public @Nullable InFlight joinOrBegin(CacheKey key, @Nullable VarySelection expected) {
    try {
      return opened(key, services.store.joinOrBegin(key, head.fields(), expected, eventLoop, this));
    } catch (RuntimeException | Error e) {
      finish();
      throw e;
    }
  }

  private @Nullable InFlight opened(CacheKey key, @Nullable InFlight opened) {
    if (opened == null || opened.writer() != this) {
      finish();
    }
    this.key = key;
    this.inFlight = opened;
    return opened;
  }

  /** The key of the response, once this fetch has begun. */
  private CacheKey key() {
    assert key != null : "not begun";
    return key;
  }

  /** The object that this fetch writes, once it has begun. */
  private InFlight inFlight() {
    assert inFlight != null : "not begun";
    return inFlight;
  }

  /** The upstream side, once the fetch has started. */
  private OriginSide side() {
    assert origin != null : "not started";
    return origin;
  }

  /** The head of the request that caused the fetch. Immutable; any thread may read it. */
  public RequestHead head() {
    return head;
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public boolean mayStore() {
    return mayStore;
  }

  @Override
  public long requestMillis() {
    return requestMillis;
  }

  @Override
  public Fields answered() {
    return head.fields();
  }

  /**
   * The fields of {@link #head} that the proxy replaced or removed in the request to the origin.
   * Any thread.
   */
  public FieldSet replaced() {
    return replaced;
  }

  /** Sends the request. Call after {@link #begin} or {@link #joinOrBegin}. */
  public void start() {
    if (origin == null) {
      origin = new OriginSide(services, request, this);
    }
    if (offers) {
      offers = false;
      OfferedVariants.look(
          services,
          key(),
          target,
          head.fields(),
          services.storing.caching(this, status).gateway,
          eventLoop,
          this::offer);
    } else {
      origin.ask();
    }
  }

  /** Takes {@code variants}, which may be null. */
  private void offer(@Nullable OfferedVariants variants) {
    known.offer(variants);
    if (over) {
      known.release();
    } else {
      start();
    }
  }

  @Override
  public @Nullable OutgoingRequest compose() {
    if (over) {
      return null;
    }
    requestMillis = services.store.requestMoment(services.clock.millis());
    keysAsOf = services.keys.asOf(key());
    Conditions ours = conditions();
    replaced = ours == null ? FieldSet.NONE : ours.replaced();
    return OutgoingFields.compose(
        request,
        ours,
        upgrade,
        services.settings,
        services.requestFields,
        services.scratch.section());
  }

  @Override
  public @Nullable Allowance limit() {
    if (limit == null) {
      limit = new WidestLimit(services.clock);
    }
    return limit.of(inFlight());
  }

  private @Nullable Conditions conditions() {
    Slice slice = slice();
    Conditions about = known.conditions(slice != null);
    if (about != null) {
      return about;
    }
    if (slice != null && slice.continued() != null) {
      return Conditions.continuing(slice.continued());
    }
    return again || whole || unconditional ? Conditions.NONE : null;
  }

  /** The stream of the current request; null if there is none or the fetch is over. */
  public @Nullable OriginStream origin() {
    return over || origin == null ? null : origin.stream();
  }

  /** The cache_peer that received the last request; null: none. After a request was sent. */
  public @Nullable CachePeer peer() {
    return side().peer();
  }

  /** The status of the origin's response; 0: none yet. */
  public int status() {
    return status;
  }

  /** Writes the known facts about the request to the origin into {@code record}. */
  public void account(ExchangeRecord record) {
    if (origin != null && origin.account(record)) {
      record.serverContentBytesIn = status == 0 ? -1 : contentFetched();
      record.serverStatus = status;
      record.refusal = refusal;
    }
  }

  private long contentFetched() {
    return inFlight().received() - fed;
  }

  /** The names of fields that the shared lines omit. The exchange adds them for its own client. */
  public List<String> withheldFields() {
    return withheld;
  }

  /** Whether the response is of a parent that gets the credentials of the client. */
  public boolean passesLogin() {
    CachePeer peer = side().peer();
    return peer != null && peer.form().passesLogin();
  }

  @Override
  public void readyForContent() {
    if (client != null && ContentLength.hasContent(request.contentLength())) {
      client.readyForContent();
    }
  }

  @Override
  public void writable() {
    if (client != null) {
      client.originWritable();
    }
  }

  @Override
  public void interim(ResponseHead reply) {
    if (client != null) {
      client.interim(reply);
    }
  }

  @Override
  public void head(@Nullable ResponseHead reply, long replyLength) {
    if (over) {
      return;
    }
    assert reply != null : "a fetch has one";
    if (opened) {
      nextGap(reply, replyLength);
      return;
    }
    status = reply.status();
    if (status == 101) {
      switchProtocols(reply);
      return;
    }
    if (status < 300 && WebSocketHandshake.isOurs(head)) {
      // a client of HTTP/2 would take it for the success of its CONNECT
      giveUp(
          new FetchFailure(
              FetchFailure.Kind.INVALID_RESPONSE, "status " + status + " for a WebSocket"));
      return;
    }
    if (status == 304 && known.mayBeConfirmed()) {
      Entry named = known.named(reply);
      if (named != null) {
        confirmed(named, reply);
      } else {
        // for an incomplete stored response, the client's range was forwarded
        startOver(slice() == null && !known.isPartValidated());
      }
      return;
    }
    if (known.isCompleting() && (status == 206 || status == 416)) {
      if (status == 416 || !complete(reply, replyLength)) {
        startOver(false);
      }
      return;
    }
    known.releasePart(); // the response is the whole, or an error
    // a stale response without a validator may be sent although this fetch requested it anew
    if (Reuse.isFailure(reply.status()) && servesStale()) {
      giveUp(
          new FetchFailure(
              FetchFailure.Kind.INVALID_RESPONSE, "status " + reply.status() + " for stale"));
      return;
    }
    if (!isHeld(reply, replyLength)) {
      passOn(reply, replyLength);
    }
  }

  private void passOn(ResponseHead reply, long replyLength) {
    Entry described = client == null || !mayStore ? null : client.stored();
    if (described != null
        && head.methodId() == Method.HEAD
        && reply.status() == 200
        && VarySelection.isSteeredLike(described.meta().vary(), head.fields())) {
      update(reply).refreshByHead(described, announced(reply, replyLength));
    }
    Entry outdated =
        client == null || known.validated() != null ? known.validated() : client.stored();
    if (outdated != null
        && head.methodId() == Method.GET
        && (status == 404 || status == 410)
        && VarySelection.isSteeredLike(outdated.meta().vary(), head.fields())) {
      // stale-if-error must not serve a resource that is gone
      update(reply).distrust(outdated);
    }
    arrived(reply, replyLength);
  }

  private StoredUpdate update(ResponseHead reply) {
    return new StoredUpdate(services, allocator, key(), this, reply);
  }

  /** Whether the stored response may still be served if the origin fails. */
  private boolean servesStale() {
    return client == null ? refreshes : client.mayServeStale();
  }

  private void switchProtocols(ResponseHead reply) {
    if (client == null || upgrade == null) {
      giveUp(
          new FetchFailure(
              FetchFailure.Kind.INVALID_RESPONSE, "101 without a request for Upgrade"));
      return;
    }
    if (WebSocketHandshake.isOurs(head) && !WebSocketHandshake.isAccepted(head, reply)) {
      giveUp(
          new FetchFailure(
              FetchFailure.Kind.INVALID_RESPONSE, "101 with a wrong " + WebSocketHandshake.ACCEPT));
      return;
    }
    over = true;
    client.upgraded(reply, side().detach());
    inFlight().fail(LOOK_AGAIN);
  }

  private void confirmed(Entry named, ResponseHead reply) {
    ResponseHead merged = StoredUpdate.merged(named, reply);
    StoredUpdate update = update(reply);
    Entry fresh =
        known.areOffered()
            ? update.selected(named, merged, inFlight()::mayStore)
            : update.validated(named, merged);
    if (client != null) {
      FieldLines lines = new FieldLines(64);
      ReplyFields.addWithheld(reply, services.storing.withheld(this, reply, merged), lines);
      client.confirmed(fresh, lines);
    } else {
      fresh.release();
    }
    finish();
    inFlight().fail(LOOK_AGAIN);
  }

  /**
   * Sends the request again, as the client sent it or {@code unconditionally}. The response applies
   * to something that is not stored (RFC 9111 section 4.3.4) or does not continue the stored part,
   * and the client may not have requested it.
   */
  private void startOver(boolean unconditionally) {
    side().forget();
    known.release();
    unconditional = unconditionally;
    if (client != null) {
      client.rewindContent();
    }
    status = 0;
    start();
  }

  /**
   * Invalidates the responses that an unsafe request makes invalid (RFC 9111 section 4.4, RFC 9875
   * section 3). A server that is not known to be that of the URL invalidates nothing. Returns
   * whether the response waits for the disks to confirm it.
   */
  private boolean isHeld(ResponseHead reply, long replyLength) {
    if (Method.isSafe(head.methodId()) || request.hostConflicts()) {
      return false;
    }
    List<CacheKey> stale = Invalidation.targets(target.url(), head.methodId(), reply);
    if (target.storeId() != null && !stale.isEmpty()) {
      stale.add(services.keys.urlKey(target));
    }
    long[] groups = CacheGroups.invalidated(key(), reply.fields());
    HeldAnswer answer = new HeldAnswer(services.timer, this);
    if (!services.store.invalidate(stale, key(), groups, inFlight, eventLoop, answer)) {
      return false;
    }
    held = answer;
    answer.hold(reply, replyLength, services.settings.loadTimeoutMillis);
    return true;
  }

  @Override
  public void released(HeldAnswer answer, boolean forgotten) {
    held = null;
    try {
      if (!forgotten) {
        assert client != null : "an unsafe request has one";
        client.noteUnconfirmed();
      }
      passOn(answer.reply(), answer.contentLength());
      if (answer.ended()) {
        end(null);
      }
    } catch (RuntimeException | Error e) {
      LOG.error("a response that waited for the disk failed", e);
      giveUp(new FetchFailure(FetchFailure.Kind.INVALID_RESPONSE, "internal: " + e));
    }
  }

  private void arrived(ResponseHead reply, long replyLength) {
    long now = services.clock.millis();
    announced = announced(reply, replyLength);
    Storability storability = services.storing.of(this, reply, announced, now);
    storing = storability != null && storability.storable() && fits(meta(storability));
    refusal = refusal(storability);
    if (storing) {
      refusal = ruleAgainst(reply);
      storing = refusal == null;
    }
    if (storing && head.methodId() == Method.GET && !services.keys.fits(target, reply.fields())) {
      storing = false;
      refusal = "No-Vary-Search differs from that of earlier responses";
    }
    Entry outdated =
        client == null || known.validated() != null ? known.validated() : client.fetchedAnew();
    if (!storing && outdated != null) {
      update(reply).outdate(outdated, now);
    }
    if (storing && head.methodId() == Method.GET) {
      CacheKey learnt = services.keys.learnt(target, reply.fields(), keysAsOf);
      if (learnt != null) {
        inFlight().storeUnder(learnt);
      } else if (slice() != null && status < 400 && status != 206) {
        inFlight()
            .storeUnder(
                services.keys.urlKey(target)); // not a slice: the next request finds it by its URL
      }
    }
    if (client == null && !again && !storing) {
      finish();
      side().cancel();
      inFlight().fail(LOOK_AGAIN);
      return;
    }
    StoredMeta meta = null;
    boolean shareable = false;
    withheld = List.of();
    if (storing) {
      assert storability != null : "it is storable";
      StoredMeta described = meta(storability);
      if (status == 206) {
        announced = described.contentEnd() - described.contentStart();
      }
      // without a stored copy, the slower of two readers would have to be cut
      shareable =
          storability.shareable()
              && asksForItself()
              && (status != 206 || slice() != null); // the key contains the range of a slice
      meta = StoringRules.meta(described, reply, replyLength == ContentLength.UNDELIMITED);
      withheld = services.storing.withheld(this, reply, storability.withheldFields());
    }
    if (shareable) {
      services.hitForMiss.forget(key());
    } else if (client != null && mayStore && asksForItself()) {
      client.noteUnshared(status, head);
    }
    open(reply, reply, meta, shareable, now);
    readOn();
  }

  /** The configuration's reason against storing {@code reply}; null if there is none. */
  private @Nullable String ruleAgainst(ResponseHead reply) {
    CachePeer peer = side().peer();
    if (peer != null && peer.proxyOnly()) {
      return "proxy-only of cache_peer " + peer.name();
    }
    return services.caching.mayStoreMiss(request, reply) ? null : "store_miss deny";
  }

  /**
   * Passes the head to readers and to the store.
   *
   * @param reply the origin's response, borrowed
   * @param fields the response whose fields are stored or forwarded: {@code reply}, or its
   *     combination with a stored response
   * @param meta null if the response is not stored
   */
  private void open(
      ResponseHead reply,
      ResponseHead fields,
      @Nullable StoredMeta meta,
      boolean shareable,
      long now) {
    ResponseHead snapshot = reply.snapshot();
    answered = snapshot;
    request.reply(snapshot);
    inFlight()
        .head(
            snapshot,
            meta,
            shareable,
            ReplyFields.shared(
                fields,
                storing,
                withheld,
                services.clock,
                now,
                services.scratch.section(),
                allocator),
            announced);
  }

  /** The facts by which a storable response is stored. */
  private static StoredMeta meta(Storability storable) {
    StoredMeta meta = storable.meta();
    assert meta != null : "not storable";
    return meta;
  }

  private boolean fits(StoredMeta meta) {
    return services.store.fits(meta.part() == null ? meta.contentLength() : meta.part().length());
  }

  /**
   * Continues the stored part with {@code reply} (RFC 9111 section 3.4). Readers get both as one
   * response. Returns false without an effect if the two do not belong together or would not be
   * stored.
   */
  private boolean complete(ResponseHead reply, long replyLength) {
    if (!known.part().isContinuedBy(reply, announced(reply, replyLength))) {
      return false;
    }
    Completion completion = known.part().known(reply);
    long now = services.clock.millis();
    ResponseHead merged = StoredUpdate.merged(known.part().part(), reply);
    long length = completion.completeLength();
    Storability storability = services.storing.ofContinued(this, merged, length, now, reply);
    if (!storability.storable()
        || !services.keys.fits(target, merged.fields())
        || ruleAgainst(merged) != null) {
      return false;
    }
    StoredMeta meta =
        StoringRules.meta(meta(storability), merged, /* unframed= */ false)
            .withPart(completion.combined());
    if (meta.part() != null && !Incomplete.answers(head, meta)) {
      return false;
    }
    storing = true;
    refusal = null;
    announced = completion.length();
    opened = true;
    withheld = services.storing.withheld(this, merged, storability.withheldFields());
    open(reply, merged, meta, meta.part() == null && storability.shareable(), now);
    readOn();
    return true;
  }

  // ---- completing: alternating stored stretches and gaps

  /** The response for a further gap has arrived. Readers already have all bytes before the gap. */
  private void nextGap(ResponseHead reply, long replyLength) {
    asking = false;
    if (known.part().isContinuedBy(reply, announced(reply, replyLength))) {
      readOn();
    } else {
      giveUp(
          new FetchFailure(
              FetchFailure.Kind.INVALID_RESPONSE, "status " + reply.status() + " for a gap"));
    }
  }

  /** Whether the fetch has ended. */
  boolean isOver() {
    return over;
  }

  /** The stored stretch at {@code position} cannot be read. It is fetched with the next gap. */
  void stretchLost(long position) {
    LOG.warn("{}: a stored part cannot be read from byte {} on", target.url(), position);
    side().endAnswer(/* cancel= */ true);
  }

  /** Passes stored bytes to readers. Takes {@code content}. */
  void hand(ByteBuf content) {
    fed += content.readableBytes();
    inFlight().content(content);
  }

  /** Requests the next gap. */
  void askForGap() {
    asking = true;
    side().ask();
  }

  /** The response for a gap is complete. Stored stretches, further gaps or the end follow. */
  private void endGap() {
    if (!known.part().endGap()) {
      giveUp(new FetchFailure(FetchFailure.Kind.TRUNCATED, "a gap was not filled"));
      return;
    }
    side().endAnswer(/* cancel= */ false);
    readOn();
  }

  /** Why the response is not stored; null if it is stored or storing was never considered. */
  private @Nullable String refusal(@Nullable Storability storability) {
    if (storing || storability == null) {
      return null;
    }
    return storability.storable() ? "too large for memory and disk" : storability.reason();
  }

  /** The slice that this fetch requests; null if it requests none. */
  private @Nullable Slice slice() {
    return request.slice();
  }

  /**
   * The content length to announce, in bytes; -1: unknown. For HEAD: the length that a GET would
   * get.
   */
  private long announced(ResponseHead reply, long replyLength) {
    if (head.methodId() == Method.HEAD) {
      int length = reply.fields().first(FieldName.CONTENT_LENGTH);
      return length < 0 ? -1 : Math.max(-1, Decimal.of(reply.fields(), length));
    }
    return ContentLength.bytes(replyLength);
  }

  @Override
  public void content(ByteBuf content) {
    if (over) {
      content.release();
    } else if (opened && known.part().overflowsGap(content.readableBytes())) {
      content.release();
      giveUp(new FetchFailure(FetchFailure.Kind.INVALID_RESPONSE, "more content than requested"));
    } else {
      if (known.isCompleting()) {
        known.part().received(content.readableBytes());
      }
      inFlight().content(content);
    }
  }

  @Override
  public void readComplete() {
    reading = false;
    readOn();
  }

  /**
   * Continues to read, as long as readers accept more: from the store, from the response, or a
   * further gap.
   */
  void readOn() {
    if (over || reading || asking) {
      return;
    }
    if (opened) {
      known.part().feed(inFlight());
      if (over || known.part().isFeeding()) {
        return;
      }
    }
    if (opened && side().isAnswerOver() && known.part().isAtEnd()) {
      complete(null);
    } else if (opened && side().isAnswerOver() && known.part().isInGap()) {
      askForGap();
    } else if (!(opened && known.part().isStoredNext()) && inFlight().wantsMore()) {
      readOwed = false;
      reading = true;
      side().read();
    } else {
      readOwed = true;
    }
  }

  @Override
  public void resume() {
    if (readOwed) {
      readOn();
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    if (held != null) {
      held.end();
    } else if (!over && opened) {
      reading = false;
      endGap();
    } else if (!over) {
      if (storing
          && announced < 0
          && inFlight().received() < services.storing.caching(this, status).minObjectBytes) {
        inFlight().doNotStore(); // the head did not announce how small it is
      }
      complete(trailers);
    }
  }

  private void complete(@Nullable Fields trailers) {
    finish();
    assert answered != null : "the head comes first";
    inFlight().end(ReplyFields.trailers(trailers, answered, withheld));
  }

  @Override
  public void failed(FetchFailure failure) {
    if (!over && opened && known.part().isStoredNext()) {
      side().endAnswer(/* cancel= */ false); // none of it was used: the gap is requested again
    } else if (!over) {
      if (failure.fault() != null) {
        refusal = failure.fault().reason();
      }
      finish();
      inFlight().fail(failure);
    }
  }

  /**
   * No reader is left, or there never was one ({@code quick_abort_min}, {@code _max}, {@code
   * _pct}).
   */
  @Override
  public void deserted() {
    if (over) {
      return;
    }
    if (goesOnAlone()) {
      side().limitChanged();
    } else {
      giveUp(new FetchFailure(FetchFailure.Kind.NO_ANSWER, "aborted by the client"));
    }
  }

  private boolean goesOnAlone() {
    if (!inFlight().isStored() || announced < 0 || head.methodId() == Method.POST) {
      return false;
    }
    if (client != null && slice() != null && status == 206 && client.isServed()) {
      return true;
    }
    FetchSettings settings = services.settings.fetches;
    if (whole && settings.rangeOffsetLimit.of(request) < 0) {
      return true;
    }
    return settings.goesOnAlone(announced, inFlight().received());
  }

  private void giveUp(FetchFailure failure) {
    finish();
    if (origin != null) {
      origin.cancel();
    }
    inFlight().fail(failure);
  }

  private void finish() {
    over = true;
    if (held != null) {
      held.drop();
      held = null;
    }
    known.release();
  }
}
