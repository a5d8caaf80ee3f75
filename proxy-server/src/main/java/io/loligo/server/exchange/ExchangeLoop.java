package io.loligo.server.exchange;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.Aliases;
import io.loligo.core.caching.CacheControl;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.SizeLimits;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Incomplete;
import io.loligo.core.range.RangeOffset;
import io.loligo.core.range.Slice;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortMode;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Shed;
import io.loligo.server.record.Stage;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.own.OwnObjects;
import io.loligo.server.upstream.route.Router;
import io.loligo.store.Store;
import io.loligo.store.Store.LoadReport;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of one event loop; confined to it.
 *
 * <p>Each step of the table in docs/architecture.md is a method here, up to the point where a
 * request has to wait. A response from memory ends here, on scratch objects of the loop, and
 * allocates next to nothing. Other requests continue as an {@link Exchange}, a {@link Tunneling} or
 * a {@link Deferred} with snapshots of their own.
 *
 * <pre>
 *   receive   downstream                      400 408 414 431 501 505
 *   identify  {@link #request}                400
 *   admit     {@link #admit}                  403
 *   key       {@link #lookUp}
 *   look up   {@link #lookUp}, {@link DiskLookUp}
 *   decide    {@link #decide}                 504
 *   serve     {@link HitAnswer}               200 206 304 416
 *   slice     {@link SliceAnswer}             200 206 304 412 416
 *   join      {@link Exchange#start}
 *   fetch     {@link Fetch}                   502 503 504
 *   store     {@link Fetch}, the in-flight object
 *   log       downstream, once
 * </pre>
 */
public final class ExchangeLoop implements RequestHandler {
  /** More than these do not have their content held: they go by the cache. */
  static final int MAX_QUERIES = 64;

  private static final Logger LOG = LoggerFactory.getLogger(ExchangeLoop.class);

  /** Between two warnings of the same. */
  private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** When to ask again what was turned away: load comes and goes. */
  static final String RETRY_SECONDS = "1";

  private static final String NOT_STORED = "Not in the cache, and only that.";

  private final Store store;
  private final Upstream upstream;
  private final HopHealth health;
  private final Router router;
  private final StoringRules storing;
  private final LoopClock clock;
  private final LoopTimer timer;
  private final ConnectionCounters counters;
  private final OwnAddresses own;

  private final RequestTarget target = new RequestTarget();
  private final RequestView view = new RequestView();
  private final KeyProbe probe = new KeyProbe();
  private final KeyProbe scratch = new KeyProbe();
  private final FieldLines lines = new FieldLines(1024);
  private final OutgoingHead outgoingHead = new OutgoingHead();
  private final FieldLines section = new FieldLines(1024);
  private final LazyUrl url = new LazyUrl();
  private final HitAnswer hits;
  private final HitForMiss hitForMiss;
  private final ExchangeSettings settings;

  /** Answers that went on before disks had forgotten, and when that was said last. */
  private long unforgotten;

  private long warnedNanos;

  /** QUERY requests whose content is held. */
  private int queries;

  /** A handler for the requests of the loop that {@code upstream} belongs to. */
  public ExchangeLoop(
      Store store,
      Upstream upstream,
      HopHealth health,
      LoopClock clock,
      LoopTimer timer,
      ConnectionCounters counters,
      OwnAddresses own,
      ExchangeSettings settings) {
    this(store, upstream, health, clock, timer, counters, own, settings, new HitForMiss());
  }

  private ExchangeLoop(
      Store store,
      Upstream upstream,
      HopHealth health,
      LoopClock clock,
      LoopTimer timer,
      ConnectionCounters counters,
      OwnAddresses own,
      ExchangeSettings settings,
      HitForMiss hitForMiss) {
    this.store = store;
    this.upstream = upstream;
    this.health = health;
    this.storing = new StoringRules(this);
    this.router = new Router(health, upstream, settings.config(), settings.access.httpAccess);
    this.clock = clock;
    this.timer = timer;
    this.counters = counters;
    this.own = own;
    this.settings = settings;
    this.hitForMiss = hitForMiss;
    this.hits = new HitAnswer(this);
  }

  /**
   * A handler under another configuration. What was begun with this one ends with it: an exchange
   * sees one configuration, that of the handler it was given to. On the loop.
   */
  public ExchangeLoop under(ExchangeSettings settings, Upstream upstream) {
    return new ExchangeLoop(
        store, upstream, health, clock, timer, counters, own, settings, hitForMiss);
  }

  ExchangeSettings settings() {
    return settings;
  }

  ProxyConfig config() {
    return settings.config();
  }

  Store store() {
    return store;
  }

  Upstream upstream() {
    return upstream;
  }

  /** Whether answers are stored. */
  StoringRules storing() {
    return storing;
  }

  /** Chooses the hops of requests. */
  Router router() {
    return router;
  }

  LoopClock clock() {
    return clock;
  }

  LoopTimer timer() {
    return timer;
  }

  ConnectionCounters counters() {
    return counters;
  }

  HitAnswer hits() {
    return hits;
  }

  /** Whose answers are not worth waiting for. */
  HitForMiss hitForMiss() {
    return hitForMiss;
  }

  /** Whether the client of {@code stream} gets the Set-Cookie of {@code entry}, if it has one. */
  boolean replaysSetCookie(ClientStream stream, Entry entry) {
    StoredMeta meta = entry.meta();
    return meta.has(StoredMeta.SETS_COOKIE)
        && replaysSetCookie(stream, meta)
        && (!isOfOtherKind(stream, meta)
            || isExplicit(stream, StoredFields.index(ReplyFields.stored(entry))));
  }

  /** The same of what arrives for others, with {@code fields} that are stored. */
  boolean replaysSetCookie(ClientStream stream, StoredMeta meta, ByteBuf fields) {
    return replaysSetCookie(stream, meta)
        && (!isOfOtherKind(stream, meta)
            || isExplicit(stream, StoredFields.index(ByteBufUtil.getBytes(fields))));
  }

  /**
   * A cookie is replayed only where the origin gives the response a lifetime: to assume one is to
   * guess, and a guess must not give a client the cookie of another.
   */
  private boolean replaysSetCookie(ClientStream stream, StoredMeta meta) {
    return settings.setCookie(stream.port().mode()) == StoredSetCookie.REPLAY
        && (meta.has(StoredMeta.EXPLICIT) || isOfOtherKind(stream, meta));
  }

  private boolean isOfOtherKind(ClientStream stream, StoredMeta meta) {
    return meta.isOfOtherKind(settings.caching(stream.port()).gateway());
  }

  private boolean isExplicit(ClientStream stream, Fields stored) {
    return Storability.hasExplicitLifetime(stored, settings.caching(stream.port()).gateway());
  }

  /** Scratch for the lines of an answer given at once, cleared. */
  FieldLines lines() {
    return lines.clear();
  }

  /** The head of a response given at once; valid until a stream was given it. */
  OutgoingHead head(int status, FieldLines own) {
    return outgoingHead.begin(status, own);
  }

  /** Scratch for a field section that is copied before anything else is called, cleared. */
  FieldLines section() {
    return section.clear();
  }

  @Override
  public ClientEvents request(ClientStream stream, RequestHead head, long contentLength) {
    ParseFailure failure = identify(stream.port(), stream.record().local, head, target);
    if (failure != null) {
      refused(stream, failure);
      return null;
    }
    stream.record().target = target;
    view.of(stream, head, target, clock.millis());
    AclList access = settings.access.httpAccess;
    AclVerdict verdict = access.evaluate(view);
    if (needsDestination(verdict, head, view)) {
      List<InetAddress> known = upstream.resolved(target.host());
      if (known == null) {
        return resolveFirst(stream, head.snapshot(), contentLength);
      }
      verdict = verdict(access, view, known);
    }
    if (settings.logsByAcl()) {
      RequestHead copy = head.snapshot();
      log(stream.record(), view.copy(copy, target.snapshot(copy)));
    }
    return admit(verdict, stream, head, target, contentLength, view);
  }

  /** Lets the lines of access_log ask about {@code request}, which is no one else's scratch. */
  private void log(ExchangeRecord record, RequestView request) {
    record.acl = request;
    if (settings.logsByDestination()) {
      record.known = () -> RequestView.octets(upstream.resolved(request.host()));
    }
  }

  /** Whether {@code verdict}, or a rule that is asked later, waits for the destination. */
  boolean needsDestination(AclVerdict verdict, RequestHead head, RequestView request) {
    if (!verdict.allowed()) {
      return !verdict.denied();
    }
    AccessSettings access = settings.access;
    return (access.cache.needsDestination()
            || access.httpReplyAccess.needsDestination()
            || access.storeMiss.needsDestination()
            || access.sendHit.needsDestination())
        && head.methodId() != Method.CONNECT
        && !request.host().equals(OwnObjects.HOST);
  }

  /**
   * Fills {@code target}; null, or why the request is refused.
   *
   * @param local our end of the connection, or null
   */
  static ParseFailure identify(
      HttpPort port, InetSocketAddress local, RequestHead head, RequestTarget target) {
    if (port.mode() == PortMode.ACCEL) {
      return identifyAccelerated(port, local, head, target);
    }
    if (OwnObjects.isAskedFor(head)) {
      return target.resolve(head, "http", OwnObjects.HOST, false);
    }
    ParseFailure failure = target.resolve(head, "http", null, true);
    if (failure == null && target.form() == RequestTarget.Form.ORIGIN) {
      return ParseFailure.BAD_TARGET; // a forward proxy is asked for absolute-form (RFC 9112 3.2.2)
    }
    return failure;
  }

  private static ParseFailure identifyAccelerated(
      HttpPort port, InetSocketAddress local, RequestHead head, RequestTarget target) {
    int vport = port.vport() == 0 && local != null ? local.getPort() : Math.max(0, port.vport());
    ParseFailure failure =
        target.resolve(head, port.protocol(), port.defaultSite(), port.vhost(), vport);
    if (failure != ParseFailure.MISSING_HOST || vport == 0 || local == null) {
      return failure;
    }
    // as in Squid, vport names the site of an HTTP/1.0 client where nothing else does
    String address = NetUtil.toAddressString(local.getAddress());
    String site = address.indexOf(':') < 0 ? address : "[" + address + "]";
    return target.resolve(head, port.protocol(), site, port.vhost(), vport);
  }

  /**
   * Whether {@code port} serves URLs of this scheme: an accelerator port only those of its
   * protocol=, because the origin is not told the scheme and another one would be stored under it.
   */
  static boolean serves(HttpPort port, RequestTarget target) {
    return target.scheme().equals(port.mode() == PortMode.ACCEL ? port.protocol() : "http");
  }

  private ClientEvents resolveFirst(ClientStream stream, RequestHead head, long contentLength) {
    RequestTarget ownTarget = target.snapshot(head);
    stream.record().request = head;
    stream.record().target = ownTarget;
    RequestView ownView = view.copy(head, ownTarget);
    if (settings.logsByAcl()) {
      log(stream.record(), ownView);
    }
    Deferred deferred = new Deferred();
    long started = clock.nanos();
    upstream.resolve(
        ownTarget.host(),
        addresses -> {
          if (!deferred.over()) {
            stream.record().stage(Stage.DNS, clock.nanos() - started);
            try {
              AclVerdict verdict = verdict(settings.access.httpAccess, ownView, addresses);
              deferred.become(admit(verdict, stream, head, ownTarget, contentLength, ownView));
            } catch (RuntimeException | OutOfMemoryError e) {
              stream.failed(e);
            }
          }
        });
    return deferred;
  }

  /**
   * Allowed if any address is: only allowed ones are dialled, see {@link #refusal}, and a parent is
   * asked only where all are, see {@link Router}.
   */
  static AclVerdict verdict(AclList access, RequestView view, List<InetAddress> addresses) {
    view.destinations(addresses);
    AclVerdict verdict = null;
    for (InetAddress address : addresses) {
      verdict = verdict(access, view, address);
      if (verdict.allowed()) {
        return verdict;
      }
    }
    return verdict != null ? verdict : access.evaluate(view);
  }

  /** An address is allowed where every address that it leads to is. */
  private static AclVerdict verdict(AclList access, RequestView view, InetAddress address) {
    byte[] octets = RequestView.octets(address);
    AclVerdict verdict = access.evaluate(view, octets);
    for (byte[] alias : Aliases.of(octets)) {
      if (!verdict.allowed()) {
        return verdict;
      }
      verdict = access.evaluate(view, alias);
    }
    return verdict;
  }

  /**
   * Why a resolved address of {@code request} must not be dialled, or null.
   *
   * @param tunnel whether the client is to talk to it as it likes
   */
  String refusal(RequestView request, InetAddress address, int port, boolean tunnel) {
    String guarded = own.refusal(address, port, tunnel);
    if (guarded != null) {
      return guarded;
    }
    AclList access = settings.access.httpAccess;
    if (!access.needsDestination()) {
      return null;
    }
    AclVerdict verdict = verdict(access, request, address);
    return verdict.allowed() ? null : verdict.rule() + " (" + verdict.source() + ")";
  }

  private ClientEvents admit(
      AclVerdict verdict,
      ClientStream stream,
      RequestHead head,
      RequestTarget target,
      long contentLength,
      RequestView view) {
    ExchangeRecord record = stream.record();
    record.stage(Stage.ACL, clock.nanos() - record.startNanos);
    if (!verdict.allowed()) {
      if (head.methodId() != Method.CONNECT) {
        // for whoever asks later why: it is among the last decisions for the URL
        keyByRule(head, target);
        CacheKeys.seal(probe, target);
        record.keyHigh = probe.high();
        record.keyLow = probe.low();
      }
      return deny(stream, contentLength, verdict.rule() + " (" + verdict.source() + ")");
    }
    if (head.methodId() == Method.CONNECT) {
      if (view.httpPort().mode() == PortMode.ACCEL) {
        stream.record().hitClass = HitClass.OWN_ANSWER;
        stream.closeAfter();
        FieldLines allow =
            new FieldLines(64).add("Allow", "GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH");
        String text = "There are no tunnels through this port.";
        ErrorPage.send(stream, this, 405, "ERR_UNSUP_REQ", text, allow);
        return null;
      }
      Shed overload = store.isCrowded() ? Shed.MEMORY : overload();
      if (overload != null) {
        return shed(stream, contentLength, overload);
      }
      return new Tunneling(this, stream, head.snapshot(), target, view).connect();
    }
    if (MaxForwards.endsHere(head)) {
      MaxForwards.answer(stream, this, head);
      return null;
    }
    if (hasBeenHere(head.fields())) {
      return fail(
          stream, contentLength, 508, "ERR_FORWARDING_LOOP", "This request has been here before.");
    }
    if (!serves(view.httpPort(), target)) {
      String text = "Requests for " + target.scheme() + " URLs are not supported by this port.";
      return fail(stream, contentLength, 501, "ERR_UNSUP_REQ", text);
    }
    if (head.methodId() == Method.PURGE) {
      return purge(stream, head, target, contentLength);
    }
    long limit = settings.access.requestBodyMaxBytes;
    if (limit >= 0 && contentLength > limit) {
      String text = "The content is larger than " + limit + " bytes.";
      return fail(stream, contentLength, 413, "ERR_TOO_BIG", text);
    }
    return lookUp(stream, head, target, contentLength, view);
  }

  boolean hasBeenHere(Fields fields) {
    if (!fields.has(FieldName.VIA)) {
      return false;
    }
    for (int i = fields.first(FieldName.VIA); i >= 0; i = fields.next(FieldName.VIA, i + 1)) {
      if (fields.value(i).contains(settings.viaMark())) {
        return true;
      }
    }
    return false;
  }

  private ClientEvents lookUp(
      ClientStream stream,
      RequestHead head,
      RequestTarget target,
      long contentLength,
      RequestView view) {
    if (head.methodId() == Method.QUERY && keysContent(contentLength, view)) {
      if (!ContentLength.hasContent(contentLength)) {
        return query(stream, head, target, contentLength, view, new ContentDigest(head.fields()));
      }
      if (queries < MAX_QUERIES) {
        queries++;
        int max = settings.queryContentMaxBytes;
        return new QueryContent(this, stream, head, target, contentLength, view, max).start();
      }
    }
    keyByRule(head, target);
    return lookUpKeyed(stream, head, target, contentLength, view);
  }

  /** Whether the content of a QUERY is taken in, to be part of its key. */
  boolean keysContent(long contentLength, RequestView view) {
    int max = settings.queryContentMaxBytes;
    return max > 0 && contentLength <= max && mayCache(view);
  }

  /** Keys a GET or HEAD without what does not matter of its query, as far as that is known. */
  void keyByRule(RequestHead head, RequestTarget target) {
    int method = head.methodId();
    if (Method.isGetOrHead(method) && settings.noVarySearch) {
      store.alternatives().keyByRule(target, probe);
    }
  }

  /**
   * Whether {@code response} to {@code target} may be stored under the key it has, as far as
   * No-Vary-Search goes; learns from it.
   */
  boolean fitsKey(RequestTarget target, Fields response) {
    return !settings.noVarySearch
        || store.alternatives().fits(target, response, scratch, clock.millis());
  }

  /**
   * A number for {@link #keyLearnt}, before the origin is asked for what {@code key} is that of.
   */
  long keysAsOf(CacheKey key) {
    return store.alternatives().asOf(key);
  }

  /** The key that {@code response} to {@code target}, a GET, has just taught; null where none. */
  CacheKey keyLearnt(RequestTarget target, Fields response, long asOf) {
    return settings.noVarySearch
        ? store.alternatives().learnt(target, response, scratch, asOf)
        : null;
  }

  /**
   * A QUERY whose content was taken in: looks up and decides.
   *
   * @param content digest of all of it; null: it is not part of the key, and the request goes by
   *     the cache
   */
  ClientEvents query(
      ClientStream stream,
      RequestHead head,
      RequestTarget target,
      long contentLength,
      RequestView view,
      ContentDigest content) {
    if (content != null) {
      store.alternatives().keyByContent(target, content, probe);
    }
    return lookUpKeyed(stream, head, target, contentLength, view);
  }

  /** The content of a QUERY is not held any more. */
  void queryReleased() {
    queries--;
  }

  private ClientEvents lookUpKeyed(
      ClientStream stream,
      RequestHead head,
      RequestTarget target,
      long contentLength,
      RequestView view) {
    CacheKeys.seal(probe, target);
    stream.record().keyHigh = probe.high();
    stream.record().keyLow = probe.low();
    String upgrade = upgrade(head, contentLength, view);
    CacheDecision bypass = bypass(head, target, contentLength, upgrade, view);
    if (bypass != null) {
      if (bypass.outcome() == Outcome.UNSATISFIABLE) {
        stream.record().decision = bypass;
        return fail(stream, contentLength, 504, "ERR_ONLY_IF_CACHED_MISS", NOT_STORED);
      }
      Shed overload = overload();
      if (overload != null) {
        return shed(stream, contentLength, overload);
      }
      return new Exchange(
              this, stream, head, target, contentLength, view, probe.toKey(), null, bypass, upgrade)
          .start();
    }
    Entry entry = store.find(probe, head.fields());
    if (entry == null && store.mayLoad(probe)) {
      Store.Loaded now = store.loadNow(probe.toKey(), head.fields(), Wanted.CONTENT);
      if (now != null) {
        ExchangeRecord record = stream.record();
        report(record, now.entry(), now.report());
        return decide(
            stream,
            head,
            target,
            contentLength,
            view,
            now.entry(),
            view.nowMillis(),
            now.report().outcome());
      }
      Shed overload = continuesAnswer(view) ? null : overload();
      if (overload != null) {
        return shed(stream, contentLength, overload);
      }
      return new Load(stream, head.snapshot(), target, contentLength, view).start();
    }
    return decide(stream, head, target, contentLength, view, entry, view.nowMillis(), null);
  }

  /** A request that waits for the disk, on snapshots of its own. */
  private final class Load implements DiskLookUp.Asker {
    private final Deferred deferred = new Deferred();
    private final ClientStream stream;
    private final RequestHead head;
    private final RequestTarget target;
    private final long contentLength;
    private final RequestView view;

    Load(
        ClientStream stream,
        RequestHead head,
        RequestTarget target,
        long contentLength,
        RequestView view) {
      this.stream = stream;
      this.head = head;
      this.target = target.snapshot(head);
      this.contentLength = contentLength;
      this.view = view.copy(head, this.target);
    }

    ClientEvents start() {
      ExchangeRecord record = stream.record();
      record.request = head;
      record.target = target;
      lookedUp(record);
      boolean headMayDo =
          head.methodId() == Method.HEAD || head.fields().hasAny(Preconditions.FIELDS);
      DiskLookUp.start(
          ExchangeLoop.this, probe.toKey(), head.fields(), headMayDo, stream.loop(), this);
      return deferred;
    }

    @Override
    public boolean suffices(Entry entry) {
      StoredMeta found = regarded(entry, target, view);
      if (found == null) {
        return true; // none of it is of use here
      }
      CacheDecision decision =
          Reuse.decide(clock.millis(), head, false, found, false, url.of(target), caching(view));
      return switch (decision.outcome()) {
        case NOT_MODIFIED -> !decision.revalidates();
        case SERVE -> head.methodId() == Method.HEAD;
        default -> false;
      };
    }

    @Override
    public boolean over() {
      return deferred.over();
    }

    @Override
    public void looked(Entry entry, LoadReport report) {
      report(stream.record(), entry, report);
      CacheKeys.seal(probe, target);
      // what others loaded or fetched meanwhile is in memory
      Entry found = entry != null ? entry : store.find(probe, head.fields());
      deferred.become(
          decide(
              stream, head, target, contentLength, view, found, clock.millis(), report.outcome()));
    }

    @Override
    public void late() {
      stream.record().diskLate = true;
    }

    @Override
    public void broken(Throwable failure) {
      stream.failed(failure);
    }
  }

  /** Notes in {@code record} what a look on disk took, and that {@code entry} is from there. */
  private static void report(ExchangeRecord record, Entry entry, LoadReport report) {
    record.stage(Stage.DISK_QUEUE, report.queueNanos());
    record.stage(Stage.DISK_FIRST_READ, report.readNanos());
    record.fromDisk = entry != null;
    if (report.outcome() == LoadOutcome.DAMAGED) {
      record.tag = LogTag.TCP_SWAPFAIL_MISS;
    }
  }

  private void lookedUp(ExchangeRecord record) {
    if (record.stage(Stage.LOOKUP) < 0) {
      record.stage(
          Stage.LOOKUP, clock.nanos() - record.startNanos - Math.max(0, record.stage(Stage.ACL)));
    }
  }

  /**
   * Value of Upgrade where the request asks to leave HTTP/1.1 for a protocol it may have ({@code
   * http_upgrade_request_protocols}; without rules {@code websocket}), else null. One with content
   * stays what it is: which octets are of the content, and which of the other protocol, is not for
   * two to find out (RFC 9110 section 7.8 lets us ignore the field).
   */
  String upgrade(RequestHead head, long contentLength, RequestView view) {
    Fields fields = head.fields();
    if (!fields.has(FieldName.UPGRADE)
        || ContentLength.bytes(contentLength) != 0
        || head.version() < 11
        || head.methodId() != Method.GET
        || !fields.hasToken(FieldName.CONNECTION, "upgrade")) {
      return null;
    }
    String value = fields.joined("Upgrade");
    for (String protocol : value.split(",", -1)) {
      String name = protocol.strip();
      AclList rules = settings.access.upgrades.of(name);
      if (!name.isEmpty() && rules.evaluate(view).allowed()) {
        return name;
      }
    }
    return null;
  }

  /** Whether a request that might be answered from a store wants nothing else. */
  private static boolean wantsStored(RequestHead head) {
    return Method.isGetOrHead(head.methodId())
        && CacheControl.ofRequest(head.fields()).has(CacheControl.ONLY_IF_CACHED);
  }

  /**
   * Size of the slices that a request is answered in; 0: in none. The probe is sealed for {@code
   * target}.
   *
   * @param found what is stored of the whole, or null
   * @param decision what would be done without slices
   */
  long sliceBytes(
      RequestHead head,
      RequestTarget target,
      RequestView view,
      StoredMeta found,
      CacheDecision decision) {
    SizeLimits sizes = settings.fetches.sliceSize;
    if (sizes == null
        || target.keySuffix() != null
        || view.isUnsliced()
        || !Method.isGetOrHead(head.methodId())
        || (decision.outcome() != Outcome.FETCH && decision.outcome() != Outcome.UNSATISFIABLE)
        || decision.reason() == CacheReason.REQUEST_NO_STORE
        || decision.reason() == CacheReason.HIT_DENIED
        || (found != null && found.part() == null && found.status() == 200)
        || (head.methodId() == Method.GET && Slice.offset(head.fields()) == Slice.SEVERAL)
        || store.alternatives().isUnsliced(probe, clock.millis())) {
      return 0;
    }
    return Math.max(0, sizes.of(view));
  }

  /** Keys {@code target} by {@code slice}. */
  void keyBySlice(RequestTarget target, Slice slice) {
    store.alternatives().keyBySlice(target, slice, scratch);
  }

  /**
   * A request for one slice.
   *
   * @param head a GET for the range of the slice, a snapshot
   * @param target keyed by the slice, a snapshot
   */
  ClientEvents slice(
      ClientStream stream, RequestHead head, RequestTarget target, RequestView view) {
    return lookUpKeyed(stream, head, target, ContentLength.NONE, view);
  }

  /** The response for {@code target} cannot be had in slices. */
  void noteUnsliced(RequestTarget target) {
    store.alternatives().noteUnsliced(CacheKeys.seal(scratch, target), clock.millis());
  }

  /** A request for which slices were tried in vain: answered as if there were none. */
  ClientEvents unsliced(
      ClientStream stream, RequestHead head, RequestTarget target, RequestView view) {
    return lookUpKeyed(stream, head, target, ContentLength.NONE, view.unsliced());
  }

  /** Whether {@code request} brings the next slice of an answer that has begun. */
  boolean continuesAnswer(RequestView request) {
    Slice slice = request.slice();
    return slice != null && slice.continued() != null;
  }

  /** The key of the URL of {@code target}, whatever else that is keyed by. */
  CacheKey urlKey(RequestTarget target) {
    return CacheKeys.sealUrl(scratch, target).toKey();
  }

  /** Whether something may be stored under the key of {@code target}. */
  boolean mayHold(RequestTarget target) {
    return store.holds(CacheKeys.seal(scratch, target));
  }

  /**
   * What is done with a request that the store is not asked for; null where it is.
   *
   * @param upgrade see {@link #upgrade}
   */
  CacheDecision bypass(
      RequestHead head,
      RequestTarget target,
      long contentLength,
      String upgrade,
      RequestView view) {
    CacheReason reason =
        upgrade != null ? CacheReason.UPGRADE : bypassReason(head, target, contentLength, view);
    if (reason == null) {
      return null;
    }
    Outcome outcome = wantsStored(head) ? Outcome.UNSATISFIABLE : Outcome.BYPASS;
    return new CacheDecision(outcome, reason, -1, -1);
  }

  private CacheReason bypassReason(
      RequestHead head, RequestTarget target, long contentLength, RequestView view) {
    int method = head.methodId();
    boolean keyed = method == Method.QUERY && target.keySuffix() != null;
    if (!Method.isGetOrHead(method) && !keyed) {
      return CacheReason.METHOD;
    }
    if (ContentLength.hasContent(contentLength) && !keyed) {
      return CacheReason.REQUEST_BODY;
    }
    return mayCache(view) ? null : CacheReason.CACHE_DENIED;
  }

  /** What the {@code cache} lines say. */
  boolean mayCache(RequestView view) {
    AclList cache = settings.access.cache;
    return cache.isEmpty() || cache.evaluate(view).allowed();
  }

  /** Whether the {@code send_hit} lines keep {@code stored}, borrowed, from the request. */
  boolean isHitDenied(RequestView view, Entry stored) {
    AclList rules = settings.access.sendHit;
    if (rules.isEmpty()) {
      return false;
    }
    view.reply(stored);
    boolean denied = !rules.evaluate(view).allowed();
    view.forgetReply();
    return denied;
  }

  /** The same of a response whose head {@code view} has already. */
  boolean isHitDenied(RequestView view) {
    AclList rules = settings.access.sendHit;
    return !rules.isEmpty() && !rules.evaluate(view).allowed();
  }

  /** What is done where what is stored is kept from the request: as if it were not there. */
  static CacheDecision hitDenied(RequestHead head) {
    Outcome outcome = wantsStored(head) ? Outcome.UNSATISFIABLE : Outcome.FETCH;
    return new CacheDecision(outcome, CacheReason.HIT_DENIED, -1, -1);
  }

  /** Whether the {@code store_miss} lines let {@code reply} be stored. */
  boolean mayStoreMiss(RequestView view, ResponseHead reply) {
    AclList rules = settings.access.storeMiss;
    if (rules.isEmpty()) {
      return true;
    }
    view.reply(reply);
    boolean allowed = rules.evaluate(view).allowed();
    view.forgetReply();
    return allowed;
  }

  /**
   * Takes {@code stored}, which may be null.
   *
   * @param load how a look on disk ended, or null
   */
  private ClientEvents decide(
      ClientStream stream,
      RequestHead head,
      RequestTarget target,
      long contentLength,
      RequestView view,
      Entry stored,
      long nowMillis,
      LoadOutcome load) {
    boolean others = stored == null && store.holds(probe);
    StoredMeta found = stored == null ? null : regarded(stored, target, view);
    boolean denied = found != null && isHitDenied(view, stored);
    Entry entry = stored;
    ExchangeRecord record = stream.record();
    if (stored != null && (found == null || denied)) {
      stored.release();
      entry = null;
      record.fromDisk = false;
    }
    CacheDecision decision =
        denied ? hitDenied(head) : decision(head, target, view, found, others, nowMillis, load);
    record.decision = decision;
    lookedUp(record);
    long sliceBytes = sliceBytes(head, target, view, found, decision);
    if (sliceBytes > 0) {
      release(entry);
      return new SliceAnswer(this, stream, head, target, view, sliceBytes).start();
    }
    switch (decision.outcome()) {
      case SERVE, NOT_MODIFIED, SERVE_STALE_AND_REVALIDATE -> {
        if (decision.revalidates()) {
          try {
            revalidate(stream, head, target, view, entry);
          } catch (RuntimeException | Error e) {
            entry.release();
            throw e;
          }
        }
        return hits.answer(stream, head, view, entry, decision);
      }
      case UNSATISFIABLE -> {
        release(entry);
        return fail(stream, contentLength, 504, "ERR_ONLY_IF_CACHED_MISS", NOT_STORED);
      }
      default -> {
        Shed overload = load == null && !continuesAnswer(view) ? overload() : null;
        if (overload != null) {
          release(entry);
          return shed(stream, contentLength, overload);
        }
        return new Exchange(
                this,
                stream,
                head,
                target,
                contentLength,
                view,
                probe.toKey(),
                entry,
                decision,
                null)
            .afterDisk(load != null)
            .start();
      }
    }
  }

  /**
   * What is to be done, with the probe sealed for {@code target}: for requests, and for whoever
   * asks what one would get.
   *
   * @param found the stored response that was selected, or null
   * @param others whether other variants are stored; asked where {@code found} is null
   * @param load how a look on disk ended, or null
   */
  CacheDecision decision(
      RequestHead head,
      RequestTarget target,
      RequestView view,
      StoredMeta found,
      boolean others,
      long nowMillis,
      LoadOutcome load) {
    CacheDecision decision =
        Reuse.decide(nowMillis, head, false, found, others, url.of(target), caching(view));
    if (found == null) {
      return load == null ? decision : afterLoad(decision, load);
    }
    return unlessSteered(Incomplete.weigh(decision, head, found), head, found);
  }

  /** What answers a request that is steered otherwise says nothing of {@code found}. */
  private static CacheDecision unlessSteered(
      CacheDecision decision, RequestHead head, StoredMeta found) {
    return decision.outcome() == Outcome.VALIDATE
            && !VarySelection.isSteeredLike(found.vary(), head.fields())
        ? new CacheDecision(
            Outcome.FETCH, decision.reason(), decision.ageSeconds(), decision.lifetimeSeconds())
        : decision;
  }

  /**
   * Whether the whole is fetched for the range that {@code head} asks for (range_offset_limit):
   * only where it is worth storing.
   */
  boolean fetchesWhole(RequestHead head, RequestView view, CacheDecision decision) {
    SizeLimits limits = settings.fetches.rangeOffsetLimit;
    if (limits.isForAll(0)
        || view.slice() != null
        || decision.outcome() != Outcome.FETCH
        || head.methodId() != Method.GET) {
      return false;
    }
    long limit = limits.of(view);
    return switch (decision.reason()) {
      case URI_MISS,
          VARY_MISS,
          DISK_UNREADABLE,
          INCOMPLETE,
          STALE,
          MUST_VALIDATE,
          REQUEST_NO_CACHE,
          REQUEST_MAX_AGE,
          REQUEST_MIN_FRESH ->
          limit != 0 && RangeOffset.isWithin(head.fields(), limit);
      default -> false;
    };
  }

  /**
   * What is stored as {@code entry}, borrowed, for a request by {@code view}'s port; null where
   * that may not use it, which is as if it were not there (RFC 9213).
   */
  StoredMeta regarded(Entry entry, RequestTarget target, RequestView view) {
    StoredMeta meta = entry.meta();
    return meta.isOfOtherKind(caching(view).gateway())
        ? regarded(meta, ReplyFields.stored(entry), target, view)
        : meta;
  }

  /** The same of what is stored as {@code meta} with these field lines and the empty line. */
  StoredMeta regarded(StoredMeta meta, byte[] lines, RequestTarget target, RequestView view) {
    return Storability.regarded(meta, StoredFields.index(lines), target.url(), caching(view));
  }

  /** What decides about responses for {@code view}'s port. */
  CacheSettings caching(RequestView view) {
    return settings.caching(view.httpPort());
  }

  /** Where the disk gave no answer nobody knows whether the URL or the variant is missing. */
  private static CacheDecision afterLoad(CacheDecision decision, LoadOutcome load) {
    if (load != LoadOutcome.DAMAGED && load != LoadOutcome.BUSY) {
      return decision;
    }
    CacheReason unknown = CacheReason.DISK_UNREADABLE;
    return decision.miss() == null
        ? new CacheDecision(decision.outcome(), unknown, -1, -1)
        : new CacheDecision(decision.outcome(), decision.reason(), -1, -1, unknown);
  }

  private void revalidate(
      ClientStream stream, RequestHead head, RequestTarget target, RequestView view, Entry entry) {
    if (Method.isGetOrHead(head.methodId())
        && VarySelection.isSteeredLike(entry.meta().vary(), head.fields())
        && store.inFlight(probe, head.fields()) == null
        && (!head.fields().has(FieldName.AUTHORIZATION) || isShared(head, view, entry))) {
      RequestHead copy = head.snapshotAsGet();
      RequestTarget copyTarget = target.snapshot(copy);
      Fetch.inBackground(
          this, stream.allocator(), stream.loop(), copy, copyTarget, view, probe.toKey(), entry);
    }
  }

  /** Whether what answers {@code head} is for others, too, if it is as {@code entry} was. */
  private boolean isShared(RequestHead head, RequestView view, Entry entry) {
    Fields stored = StoredFields.index(ReplyFields.stored(entry));
    return Storability.isShared(head, stored, caching(view));
  }

  private ClientEvents purge(
      ClientStream stream, RequestHead head, RequestTarget target, long contentLength) {
    if (!settings.access.purgeEnabled) {
      return deny(stream, contentLength, "PURGE is enabled by an acl that names method PURGE");
    }
    Purge what;
    try {
      what = PurgeFields.read(CacheKeys.seal(probe, target).toKey(), head.fields());
    } catch (IllegalArgumentException e) {
      return fail(
          stream, contentLength, 400, "ERR_INVALID_REQ", "Cannot be purged: " + e.getMessage());
    }
    if (ContentLength.hasContent(contentLength)) {
      stream.closeAfter();
    }
    stream.record().tag = LogTag.TCP_MISS;
    Deferred deferred = new Deferred();
    store.purge(
        what,
        stream.loop(),
        purged -> {
          if (!deferred.over()) {
            purged(stream, what, purged);
            deferred.become(null);
          }
        });
    return deferred;
  }

  private void purged(ClientStream stream, Purge what, Purged purged) {
    switch (purged.outcome()) {
      case NOT_CONFIRMED -> {
        stream.record().hitClass = HitClass.OWN_ANSWER;
        stream.record().errorDetail = "a cache_dir did not confirm the purge";
        String text =
            "What is stored under this URL is not served any more, but a disk could not be made to"
                + " forget it: it may be back after a restart. Send the PURGE again.";
        ErrorPage.send(stream, this, 500, "ERR_PURGE_FAILED", text, null);
      }
      case REFUSED -> {
        stream.record().hitClass = HitClass.OWN_ANSWER;
        stream.record().errorDetail = "too many purges are not through";
        FieldLines retry = new FieldLines(32).add("Retry-After", "60");
        String text = "Nothing was purged: too many purges are not through.";
        ErrorPage.send(stream, this, 503, "ERR_PURGE_BUSY", text, retry);
      }
      case DONE -> {
        FieldLines answer = lines();
        clock.addDate(answer, clock.millis());
        PurgeFields.answer(purged, answer);
        answer.append(settings.viaLine(), 0, settings.viaLine().length);
        stream.head(head(PurgeFields.status(what, purged), answer).content(0, true));
        stream.flush();
      }
    }
  }

  /**
   * Says that the answer to an unsafe request for {@code url} goes on before disks have forgotten
   * what it makes invalid. Not more often than people can read: there is a counter, too.
   */
  void warnUnforgotten(String url) {
    long now = clock.nanos();
    if (unforgotten++ == 0 || now - warnedNanos >= WARN_NANOS) {
      warnedNanos = now;
      LOG.warn(
          "{}: the answer goes on, but a cache_dir has not confirmed in time that it has forgotten"
              + " what this makes invalid: it may be back after a crash ({} so far)",
          url,
          unforgotten);
    }
  }

  private ClientEvents deny(ClientStream stream, long contentLength, String rule) {
    stream.record().tag = LogTag.TCP_DENIED;
    stream.record().errorDetail = rule;
    return fail(
        stream, contentLength, 403, "ERR_ACCESS_DENIED", "Access denied by the proxy's rules.");
  }

  /** Answers with an error page; closes where the request has content nobody reads. */
  private ClientEvents fail(
      ClientStream stream, long contentLength, int status, String errorCode, String text) {
    stream.record().hitClass = HitClass.OWN_ANSWER;
    if (ContentLength.hasContent(contentLength)) {
      stream.closeAfter();
    }
    ErrorPage.send(stream, this, status, errorCode, text, null);
    return null;
  }

  /**
   * Why nothing is taken on that memory cannot answer, so that what was accepted does not suffer;
   * null: everything is.
   */
  private Shed overload() {
    if (counters.requestsInProgress() > settings.requestsPerLoop()) {
      return Shed.REQUESTS;
    }
    long lagMillis = settings.loopLagMillis;
    return lagMillis > 0 && timer.lagMillis() >= lagMillis ? Shed.LOOP_LAG : null;
  }

  @Override
  public ClientEvents shed(ClientStream stream, long contentLength, Shed why) {
    ExchangeRecord record = stream.record();
    record.shed = why;
    record.hitClass = HitClass.OWN_ANSWER;
    record.errorDetail = "too many: " + why;
    if (ContentLength.hasContent(contentLength)) {
      stream.closeAfter();
    }
    FieldLines retry = new FieldLines(32).add("Retry-After", RETRY_SECONDS);
    if (why == Shed.CLIENT_REQUESTS) {
      String text = "Too many requests of this client are in progress.";
      ErrorPage.send(stream, this, 429, "ERR_TOO_MANY_REQUESTS", text, retry);
    } else {
      ErrorPage.send(stream, this, 503, "ERR_OVERLOADED", "The proxy is overloaded.", retry);
    }
    return null;
  }

  @Override
  public void refused(ClientStream stream, ParseFailure failure) {
    ExchangeRecord record = stream.record();
    if (record.target == null) {
      if (record.url == null) {
        record.url = "error:invalid-request";
      }
      record.method = record.request == null ? ExchangeRecord.NO_METHOD : record.request.method();
    }
    record.errorDetail = failure.text();
    record.requestFailure = failure;
    stream.closeAfter();
    String code = ErrorPage.code(failure);
    ErrorPage.send(stream, this, failure.status(), code, failure.text() + ".", null);
  }

  @Override
  public void headTimedOut(ClientStream stream) {
    ExchangeRecord record = stream.record();
    record.url = "error:request-timeout";
    record.method = ExchangeRecord.NO_METHOD;
    record.timedOut = true;
    stream.closeAfter();
    ErrorPage.send(stream, this, 408, "ERR_REQUEST_TIMEOUT", "The request took too long.", null);
  }

  /**
   * Explains what {@code question} would get, without sending anything or counting a hit. On the
   * loop; {@code then} is told there, perhaps before this returns.
   *
   * @param executor this loop
   */
  public void explain(Question question, EventExecutor executor, Consumer<Explanation> then) {
    new Explaining(this, executor, question, then).start();
  }

  /**
   * Looks again for a request that waited for another's fetch. {@link Exchange#found} is told, at
   * once or, where the disk has to be asked, later.
   */
  void lookAgain(Exchange exchange, ClientStream stream) {
    CacheKeys.seal(probe, exchange.target());
    Fields request = exchange.head().fields();
    Entry entry = store.find(probe, request);
    if (entry != null || !store.mayLoad(probe)) {
      exchange.found(entry);
      return;
    }
    Store.Loaded now = store.loadNow(probe.toKey(), request, Wanted.CONTENT);
    if (now != null) {
      report(stream.record(), now.entry(), now.report());
      exchange.found(now.entry());
      return;
    }
    DiskLookUp.start(
        this,
        probe.toKey(),
        request,
        false,
        stream.loop(),
        new DiskLookUp.Asker() {
          @Override
          public boolean suffices(Entry entry) {
            return false; // never asked
          }

          @Override
          public boolean over() {
            return !exchange.waits();
          }

          @Override
          public void looked(Entry loaded, LoadReport report) {
            report(stream.record(), loaded, report);
            exchange.found(loaded);
          }

          @Override
          public void late() {
            stream.record().diskLate = true;
          }

          @Override
          public void broken(Throwable failure) {
            stream.failed(failure);
          }
        });
  }

  /** The loop's probe, sealed for {@code target}. */
  KeyProbe probe(RequestTarget target) {
    return CacheKeys.seal(probe, target);
  }

  private static void release(Entry entry) {
    if (entry != null) {
      entry.release();
    }
  }
}
