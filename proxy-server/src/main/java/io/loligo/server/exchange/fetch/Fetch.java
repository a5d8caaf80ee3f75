package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Completion;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.StoringRules;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.hook.HookFailure;
import io.loligo.server.record.ExchangeId;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Stage;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.route.Askable;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
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
  private final EventLoop eventLoop;
  private final @Nullable FetchClient client;
  private final Request request;
  private final RequestHead head;
  private final RequestTarget target;
  private final boolean mayStore;
  private final @Nullable String upgrade;
  private final boolean refreshes;

  // the id of the exchange that caused it: that has ended when others still read
  private final long causePrefix;
  private final long causeNumber;
  private final @Nullable String causeGivenId;

  /**
   * Whether it may wait for another node of the cluster. Set before others find the fetch, and then
   * constant.
   */
  private boolean asksOwner;

  /** Null until the fetch starts. A fetch that joins another one never starts. */
  private @Nullable OriginSide origin;

  private long requestMillis;
  private final KnownResponses known;
  private boolean offers;
  private boolean whole;

  /** Whether only a response that another node has stored is wanted. */
  private boolean ofStored;

  /** Whether it takes a second copy for the owner. */
  private boolean secondCopy;

  /** Bytes of the response that came from the store. */
  private long fed;

  private @Nullable CacheKey key;
  private @Nullable InFlight inFlight;
  private volatile FieldSet replaced = FieldSet.NONE;
  private long keysAsOf;
  private final FetchedResponse response;

  /** Null: there are no delay pools, or it was not asked for. */
  private @Nullable WidestLimit limit;

  private @Nullable HeldAnswer held;

  /** Null: the response has not broken off. */
  private @Nullable Continuing continuing;

  private boolean readOwed;
  private boolean reading;
  private boolean over;

  /** Whether its client has left it. */
  private boolean left;

  /** Monotonic clock at the begin of a fetch in the background. */
  private long beganNanos;

  private boolean again;
  private boolean unconditional;

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
    this.eventLoop = request.loop();
    this.client = client;
    this.request = request;
    this.head = request.head();
    this.target = request.target();
    this.mayStore = mayStore;
    this.known = new KnownResponses(services, this, client, validated);
    this.refreshes = client == null && validated != null;
    this.upgrade = upgrade;
    ExchangeRecord cause = request.isOfClient() ? request.record() : null;
    this.causePrefix = cause == null ? 0 : cause.idPrefix;
    this.causeNumber = cause == null ? 0 : cause.number;
    this.causeGivenId = cause == null ? request.requestId() : cause.givenId;
    this.response = new FetchedResponse(services, this);
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

  /**
   * Sets whether the request has {@code only-if-cached}: then the fetch asks only other nodes of
   * the cluster, for stored responses. Call before {@link #start}. Returns itself.
   */
  public Fetch askingForStored(boolean ofStored) {
    this.ofStored = ofStored;
    return this;
  }

  /**
   * A fetch of the whole from the owner, as a second copy of it, in the background. {@code request}
   * is a snapshot.
   */
  static Fetch ofSecondCopy(LoopServices services, Request request) {
    Fetch fetch = new Fetch(services, null, request, true, null, null);
    fetch.whole = true;
    fetch.ofStored = true;
    fetch.secondCopy = true;
    return fetch;
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
   * Ends the fetch, because its response is in the store: nothing was sent yet, or it was
   * confirmed. Waiting requests find it there.
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
    asksOwner = !request.isFromNode();
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
    asksOwner =
        services.nodes != null && !request.isFromNode() && !services.nodes.owners().owns(key);
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
  CacheKey key() {
    assert key != null : "not begun";
    return key;
  }

  /** The object that this fetch writes, once it has begun. */
  InFlight inFlight() {
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

  /** The exchange that caused it: a new object. Any thread. */
  public ExchangeId cause() {
    return new ExchangeId(causePrefix, causeNumber, causeGivenId);
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public boolean asksOwner() {
    return asksOwner;
  }

  @Override
  public boolean asksForStored() {
    return ofStored;
  }

  @Override
  public boolean takesSecondCopy() {
    return secondCopy;
  }

  @Override
  public boolean mayJoin(InFlight.Writer other) {
    return mayJoin(request, other);
  }

  /**
   * Whether {@code request} may wait for the fetch of {@code other}. One of a node of the cluster
   * waits for no other node: with different views, two would wait for each other.
   */
  public static boolean mayJoin(Request request, InFlight.Writer other) {
    return !(request.isFromNode() && ((Fetch) other).asksOwner);
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
      beganNanos = request.isOfClient() ? 0 : services.clock.nanos();
    }
    if (offers) {
      offers = false;
      boolean gateway = services.storing.caching(this, response.status()).gateway;
      OfferedVariants.look(services, request, key(), gateway, this::offer);
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
    if (continuing != null && continuing.isOfRest()) {
      return compose(continuing.conditions());
    }
    requestMillis = services.store.requestMoment(services.clock.millis());
    keysAsOf = services.keys.asOf(key());
    Conditions ours = known.conditions(request.slice(), again || whole || unconditional);
    replaced = ours == null ? FieldSet.NONE : ours.replaced();
    return compose(ours);
  }

  @Override
  public Askable askable() {
    if (client == null || upgrade != null || known.isCompleting() || continuing != null) {
      return Askable.NOBODY;
    }
    // content cannot be sent again after a false hit of a sibling
    boolean once = ContentLength.hasContent(request.contentLength());
    return once || known.mayBeConfirmed() || request.slice() != null || mayGoRound()
        ? Askable.PARENTS
        : Askable.ALL;
  }

  /** Whether siblings could pass the request round: it comes from a peer, and leaves no trace. */
  private boolean mayGoRound() {
    return !services.settings.sendsVia() && services.asking.isPeer(request.client().getAddress());
  }

  private @Nullable OutgoingRequest compose(@Nullable Conditions ours) {
    try {
      return OutgoingFields.compose(
          request,
          ours,
          upgrade,
          services.settings,
          services.requestFields,
          services.scratch.section());
    } catch (HookFailure e) {
      giveUp(new FetchFailure(FetchFailure.Kind.HOOK_FAILED, e.toString()));
      return null;
    }
  }

  @Override
  public @Nullable CacheKey sharedKey() {
    return mayStore && upgrade == null ? key() : null;
  }

  @Override
  public @Nullable Allowance limit() {
    if (limit == null) {
      limit = new WidestLimit(services.clock);
    }
    return limit.of(inFlight());
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
    return response.status();
  }

  /**
   * The client of {@code record}, for which this fetch began, reads it no longer. If it goes on, it
   * is told by itself at its end.
   */
  public void clientLeaves(ExchangeRecord record) {
    if (!over && !left) {
      left = true;
      record.leftFetch = true;
    }
  }

  /**
   * Tells of the end of a fetch without a client.
   *
   * @param failure null: none
   */
  private void tell(@Nullable FetchFailure failure) {
    boolean inBackground = !request.isOfClient();
    if (origin == null || !(inBackground || left)) {
      return;
    }
    ExchangeRecord record = new ExchangeRecord();
    record.endMillis = services.clock.millis();
    record.startMillis = requestMillis == 0 ? record.endMillis : requestMillis;
    record.request = head;
    record.target = target;
    record.method = head.method();
    record.hitClass = HitClass.MISS;
    record.idPrefix = causePrefix;
    record.number = causeNumber;
    record.givenId = causeGivenId;
    if (inBackground) {
      record.stage(Stage.TOTAL, services.clock.nanos() - beganNanos);
    }
    if (failure != null) {
      record.errorCode = failure.kind().errorCode();
    }
    account(record);
    record.reply = response.head();
    services.background.ended(record, request.trace());
  }

  /** Writes the known facts about the request to the origin into {@code record}. */
  public void account(ExchangeRecord record) {
    if (origin != null && origin.account(record)) {
      response.account(record, inFlight().received() - fed);
    }
  }

  /** The names of fields that the shared lines omit. The exchange adds them for its own client. */
  public List<String> withheldFields() {
    return response.withheld();
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
    if (continuing != null && continuing.isAsking()) {
      rest(continuing, reply, replyLength);
      return;
    }
    if (known.isOpened()) {
      nextGap(reply, replyLength);
      return;
    }
    int status = reply.status();
    response.status(status);
    String fault = ProtocolSwitch.fault(head, client == null ? null : upgrade, reply);
    if (fault != null) {
      refuse(fault);
      return;
    }
    if (status == 101) {
      switchProtocols(reply);
      return;
    }
    if (status == 304 && known.mayBeConfirmed()) {
      Entry named = known.named(reply);
      if (named != null) {
        known.confirm(named, reply);
        standDown();
      } else {
        // for an incomplete stored response, the client's range was forwarded
        startOver(request.slice() == null && !known.isPartValidated());
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
    if (Reuse.isFailure(status) && mayServeStale()) {
      refuse("status " + status + " for stale");
      return;
    }
    if (!isHeld(reply, replyLength)) {
      passOn(reply, replyLength);
    }
  }

  /**
   * Whether a stale response may be sent in the place of an error. A node that answers has decided
   * about this itself, so a copy has no say.
   */
  private boolean mayServeStale() {
    if (client == null) {
      return refreshes;
    }
    Entry stored = client.stored();
    boolean copy = stored != null && stored.meta().has(StoredMeta.COPY);
    return !(copy && side().node() != null) && client.mayServeStale();
  }

  private void passOn(ResponseHead reply, long replyLength) {
    long announced = response.announced(reply, replyLength);
    response.repeats(known.isRepeatedBy(reply, announced));
    known.apply(reply, announced);
    arrived(reply, replyLength);
  }

  private void switchProtocols(ResponseHead reply) {
    assert client != null : "a fetch in the background asks for no upgrade";
    over = true;
    client.upgraded(reply, side().detach());
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
    response.status(0);
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
    HeldAnswer answer = new HeldAnswer(services.timer, this);
    if (!answer.invalidates(services, request, key(), inFlight(), reply)) {
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
      LOG.error(
          "a response that waited for the disk failed; next: report this defect, with the trace",
          e);
      refuse("internal: " + e);
    }
  }

  /**
   * Whether other requests may use {@code reply}: a node of the cluster may not have applied purges
   * that this node has.
   */
  boolean isForOthers(ResponseHead reply) {
    return use(reply) != ClusterNode.Use.ASKED;
  }

  /** The use of {@code reply}. One that another node owns is only copied, wherever it is from. */
  private ClusterNode.Use use(ResponseHead reply) {
    ClusterNode node = side().node();
    if (node != null) {
      assert services.nodes != null : "there are nodes";
      return node.use(services.nodes.answeredPurges(reply.fields()));
    }
    return side().isOfOther() ? ClusterNode.Use.COPIED : ClusterNode.Use.STORED;
  }

  private void arrived(ResponseHead reply, long replyLength) {
    long now = services.clock.millis();
    CachePeer from = side().node() == null ? side().peer() : null;
    response.arrived(reply, replyLength, from, use(reply), now);
    boolean storing = response.isStored();
    if (!storing) {
      known.outdate(reply, now);
    }
    if (storing && head.methodId() == Method.GET) {
      CacheKey learnt = response.learntKey(reply, keysAsOf);
      if (learnt != null) {
        inFlight().storeUnder(learnt);
      }
    }
    if (client == null && !again && !storing) {
      response.head(reply.snapshot());
      finish();
      side().cancel();
      inFlight().fail(LOOK_AGAIN);
      return;
    }
    if (response.isShareable()) {
      services.hitForMiss.forget(key());
    } else if (client != null && mayStore && asksForItself() && isForOthers(reply)) {
      client.noteUnshared(reply.status(), head);
    }
    response.open(inFlight(), reply, reply, now);
    if (response.isForJoined()) {
      inFlight().doNotStore();
    }
    readOn();
  }

  /**
   * Continues the stored part with {@code reply} (RFC 9111 section 3.4). Readers get both as one
   * response. Returns false without an effect if the two do not belong together or would not be
   * stored.
   */
  private boolean complete(ResponseHead reply, long replyLength) {
    if (!known.part().isContinuedBy(reply, response.announced(reply, replyLength))) {
      return false;
    }
    Completion completion = known.part().known(reply);
    long now = services.clock.millis();
    ResponseHead merged = StoredUpdate.merged(known.part().part(), reply);
    if (!response.continues(completion, reply, merged, side().peer(), side().node(), now)) {
      return false;
    }
    known.part().open();
    response.open(inFlight(), reply, merged, now);
    readOn();
    return true;
  }

  // ---- completing: alternating stored stretches and gaps

  /** The response for a further gap has arrived. Readers already have all bytes before the gap. */
  private void nextGap(ResponseHead reply, long replyLength) {
    known.part().asking(false);
    if (known.part().isContinuedBy(reply, response.announced(reply, replyLength))) {
      readOn();
    } else {
      refuse("status " + reply.status() + " for a gap");
    }
  }

  /** The response to a request for the rest has arrived. */
  private void rest(Continuing asked, ResponseHead reply, long replyLength) {
    FetchFailure failure = asked.arrived(reply, ContentLength.bytes(replyLength));
    if (failure == null) {
      readOn();
    } else {
      giveUp(failure);
    }
  }

  /** Whether the fetch has ended. */
  boolean isOver() {
    return over;
  }

  /** The stored stretch at {@code position} cannot be read. It is fetched with the next gap. */
  void stretchLost(long position) {
    LOG.warn(
        "{}: a stored part cannot be read from byte {} on: it is fetched again; next: look for"
            + " faults of the disk if it happens again",
        target.url(),
        position);
    side().endAnswer(/* cancel= */ true);
  }

  /** Passes stored bytes to readers. Takes {@code content}. */
  void hand(ByteBuf content) {
    fed += content.readableBytes();
    inFlight().content(content);
  }

  /** Requests the next gap. */
  void askForGap() {
    known.part().asking(true);
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

  @Override
  public void content(ByteBuf content) {
    if (over) {
      content.release();
    } else if (known.isOpened() && known.part().overflowsGap(content.readableBytes())) {
      content.release();
      refuse("more content than requested");
    } else if (continuing != null
        && continuing.isOfRest()
        && inFlight().received() + content.readableBytes() > response.announced()) {
      content.release();
      refuse("more content than requested");
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
    boolean opened = known.isOpened();
    if (over
        || reading
        || (continuing != null && continuing.isAsking())
        || (opened && known.part().isAsking())) {
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
    } else if (!over && known.isOpened()) {
      reading = false;
      endGap();
    } else if (!over
        && continuing != null
        && continuing.isOfRest()
        && inFlight().received() != response.announced()) {
      giveUp(new FetchFailure(FetchFailure.Kind.TRUNCATED, "the rest is too short"));
    } else if (!over) {
      if (response.isTooSmall(inFlight().received())) {
        inFlight().doNotStore(); // the head did not announce how small it is
      }
      complete(trailers);
    }
  }

  private void complete(@Nullable Fields trailers) {
    finish();
    inFlight().end(response.trailers(trailers));
  }

  @Override
  public void failed(FetchFailure failure) {
    if (!over && known.isOpened() && known.part().isStoredNext()) {
      side().endAnswer(/* cancel= */ false); // none of it was used: the gap is requested again
    } else if (!over && breaksOff(failure)) {
      services.counters.fetchResumed();
      side().endAnswer(/* cancel= */ false);
      reading = false;
      side().ask();
    } else if (!over) {
      if (failure.fault() != null) {
        response.refusal(failure.fault().reason());
      }
      FetchFailure cause = continuing == null ? failure : continuing.cause(failure);
      finish(cause);
      // requests that wait asked for more than a stored response of the owner
      inFlight().fail(secondCopy && response.status() == 0 ? LOOK_AGAIN : cause);
    }
  }

  @Override
  public boolean canContinue() {
    if (over || known.isCompleting() || (continuing != null && continuing.isAsking())) {
      return false;
    }
    Continuing next = continuing == null ? firstContinuing() : continuing;
    return next.missing(request, response.head(), inFlight().received(), response.announced())
        != null;
  }

  private Continuing firstContinuing() {
    return Continuing.of(services, side().node() != null);
  }

  /** Whether the rest of the response is requested because of {@code failure}. */
  private boolean breaksOff(FetchFailure failure) {
    if (known.isCompleting() || (continuing != null && continuing.isAsking())) {
      return false;
    }
    if (continuing == null) {
      continuing = firstContinuing();
    }
    return continuing.begins(
        failure, request, response.head(), inFlight().received(), response.announced());
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
    boolean served = client != null && client.isServed();
    if (secondCopy || response.goesOnAlone(inFlight(), whole, served)) {
      side().limitChanged();
    } else {
      giveUp(new FetchFailure(FetchFailure.Kind.NO_ANSWER, "aborted by the client"));
    }
  }

  /** The response cannot be used because of {@code why}. */
  private void refuse(String why) {
    giveUp(new FetchFailure(FetchFailure.Kind.INVALID_RESPONSE, why));
  }

  private void giveUp(FetchFailure failure) {
    finish(failure);
    if (origin != null) {
      origin.cancel();
    }
    inFlight().fail(failure);
  }

  private void finish() {
    finish(null);
  }

  /** {@code failure}: null: none. */
  private void finish(@Nullable FetchFailure failure) {
    if (!over) {
      over = true;
      tell(failure);
    }
    if (held != null) {
      held.drop();
      held = null;
    }
    known.release();
  }
}
