package io.loligo.server.exchange.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.FreshnessSum;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.OfferedTags;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.StoreId;
import io.loligo.core.range.Incomplete;
import io.loligo.server.exchange.admission.Admission;
import io.loligo.server.exchange.admission.Verdict;
import io.loligo.server.exchange.admission.Verdict.AnswerHere;
import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.admission.Verdict.WaitFor;
import io.loligo.server.exchange.fetch.OfferedVariants;
import io.loligo.server.exchange.hit.HitAnswer;
import io.loligo.server.exchange.join.MissAnswer;
import io.loligo.server.exchange.request.Identification;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.rules.StoreSteps;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Forecast;
import io.loligo.server.explain.Question;
import io.loligo.server.explain.QuestionReader;
import io.loligo.server.explain.StoredVariant;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.RouteSurvey;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.own.OwnObjects;
import io.loligo.store.Store.Peek;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Glimpse;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request that no client sent through the steps of {@code RequestSteps} up to the decision,
 * and reports the results. It calls the same functions as for clients, but sends, stores, counts
 * and promotes nothing. Confined to the loop.
 */
public final class Explaining {
  /** The stored fields that determine freshness and validation. */
  private static final Set<String> INPUTS =
      Set.of(
          "cache-control",
          "cdn-cache-control",
          "loligo-cache-control",
          "date",
          "expires",
          "last-modified",
          "etag",
          "vary",
          "no-vary-search");

  /** Selecting fields whose values may be shown. The value of any other may be a credential. */
  private static final Set<String> HARMLESS =
      Set.of(
          "accept",
          "accept-charset",
          "accept-encoding",
          "accept-language",
          "forwarded",
          "front-end-https",
          "origin",
          "user-agent",
          "save-data",
          "sec-fetch-dest",
          "sec-fetch-mode",
          "sec-fetch-site",
          "upgrade-insecure-requests",
          "x-forwarded-host",
          "x-forwarded-port",
          "x-forwarded-proto",
          "x-forwarded-scheme",
          "x-requested-with");

  private static final int MAX_SHOWN = 256;

  private final LoopServices services;
  private final EventExecutor executor;
  private final Question question;
  private final Consumer<Explanation> then;
  private final Admission admission;
  private final HitAnswer hits;
  private RequestHead head = new RequestHead();
  private RequestTarget target = new RequestTarget();
  private @Nullable Request request;
  private @Nullable CacheKey key;

  /**
   * Prepares the explanation of {@code question}.
   *
   * @param executor the loop
   * @param then receives the explanation on the loop
   */
  public Explaining(
      LoopServices services,
      Admission admission,
      HitAnswer hits,
      EventExecutor executor,
      Question question,
      Consumer<Explanation> then) {
    this.services = services;
    this.admission = admission;
    this.hits = hits;
    this.executor = executor;
    this.question = question;
    this.then = then;
  }

  /** Runs the steps receive and identify, then the others. */
  public void start() {
    HttpPort port = port();
    InetSocketAddress client = client();
    if (port == null || client == null) {
      refuse(port == null ? "no such http_port" : "client is not an IP address");
      return;
    }
    if (!isVisible(question.url()) || !isVisible(question.method())) {
      refuse("percent-encode all characters that are not visible ASCII");
      return;
    }
    QuestionReader reader = new QuestionReader(services.settings.config());
    if (!reader.read(question, head)) {
      refuse(reader.failure());
      return;
    }
    ParseFailure failure =
        Identification.identify(
            port,
            null,
            null,
            services.settings.access.refusesUserInfo,
            services.settings.cacheName(),
            head,
            target);
    if (failure != null) {
      refuse(failure);
      return;
    }
    long now = services.clock.millis();
    request = Request.asked(port, client, head, reader.contentLength(), target, now);
    admit();
  }

  /** The request, once it is identified. */
  private Request request() {
    assert request != null : "not identified";
    return request;
  }

  private void admit() {
    Verdict verdict = admission.check(request());
    if (verdict instanceof WaitFor wait) {
      wait.party()
          .ask(
              request(),
              fact -> {
                fact.run();
                admit();
              });
    } else {
      // a rewriter may have changed them
      head = request().head();
      target = request().target();
      if (seal(verdict)) {
        admitted(verdict);
      }
    }
  }

  /** Computes the key. Returns false if the question does not contain all parts of it. */
  private boolean seal(Verdict verdict) {
    String content = question.content();
    if (services.caching.keysContent(request())) {
      byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
      if (bytes.length != Math.max(0, request().contentLength())) {
        refuse(
            verdict instanceof Denied denied
                ? denied.refusal().summary()
                : "the content of a QUERY is part of its key: the question needs all of it");
        return false;
      }
      services.keys.keyByContent(
          target, new ContentDigest(head.fields()).update(bytes, bytes.length));
    }
    key = services.keys.seal(request()).toKey();
    return true;
  }

  /** The key, once it is computed. */
  private CacheKey key() {
    assert key != null : "not sealed";
    return key;
  }

  private void admitted(Verdict verdict) {
    if (verdict instanceof Denied denied) {
      refuse(denied.refusal().summary());
    } else if (verdict == AnswerHere.TUNNEL) {
      tunnel();
    } else if (verdict instanceof AnswerHere part) {
      refuse(part.summary());
    } else {
      services.store.peek(key(), head.fields(), executor, this::peeked);
    }
  }

  /** A parent may lead elsewhere: only without one the proxy connects to the host itself. */
  private void tunnel() {
    if (services.settings.config().get(PeerDirectives.CACHE_PEER).isEmpty()) {
      new AddressSurvey(
              services,
              executor,
              request(),
              why -> refuse(why == null ? AnswerHere.TUNNEL.summary() : "403, " + why))
          .start();
    } else {
      refuse(AnswerHere.TUNNEL.summary());
    }
  }

  /** Runs the steps look up and decide on the responses found. */
  private void peeked(Peek peek) {
    long now = services.clock.millis();
    Forecasting forecasting = new Forecasting(peek, now);
    Forecast forecast = forecasting.start(request(), services.keys.probe(target));
    assert forecast != null : "each end gives one";
    Glimpse selected = peek.selected();
    boolean asksStore =
        !forecast.decision().reason().bypasses()
            && selected != null
            && services.caching.regarded(selected, request()) != null;
    List<StoredVariant> stored = new ArrayList<>();
    for (Glimpse one : peek.variants()) {
      if (!one.purged()) {
        stored.add(variant(one, one.selected() && asksStore, now));
      }
    }
    boolean fetching = services.store.inFlight(services.keys.probe(target), head.fields()) != null;
    String disk = peek.disk() == null ? null : peek.disk().name().toLowerCase(Locale.ROOT);
    Explanation all =
        Explanation.of(head.method(), now)
            .url(shownUrl())
            .storeId(shownStoreId())
            .forecast(forecast)
            .stored(stored)
            .disk(disk)
            .fetching(fetching)
            .key(key)
            .build();
    services.keys.probe(target);
    if (!forecast.isSent()) {
      sliced(all, forecasting.sliceBytes);
    } else {
      services.router.survey(
          request(), head.methodId(), route -> routed(all, route, forecasting.sliceBytes));
    }
  }

  private void routed(Explanation all, RouteSurvey route, long sliceBytes) {
    boolean hasPeers = !services.settings.config().get(PeerDirectives.CACHE_PEER).isEmpty();
    Explanation way = hasPeers || route.failure() != null ? all.withRoute(route) : all;
    if (!route.hops().isEmpty() && route.hops().get(0).peer() == null) {
      toOrigin(way, sliceBytes);
    } else {
      sliced(way, sliceBytes);
    }
  }

  /** The origin is the first to be asked; if the proxy may not connect to it, no other one is. */
  private void toOrigin(Explanation all, long sliceBytes) {
    if (request().host().equals(OwnObjects.HOST)) {
      sliced(all, sliceBytes);
      return;
    }
    new AddressSurvey(
            services,
            executor,
            request(),
            refusal -> sliced(refusal == null ? all : all.withoutWay(refusal), sliceBytes))
        .start();
  }

  private void sliced(Explanation all, long sliceBytes) {
    if (sliceBytes == 0) {
      then.accept(all);
    } else {
      new SliceSurvey(
              services,
              executor,
              head,
              target,
              sliceBytes,
              slices -> then.accept(all.withSlices(slices)))
          .start();
    }
  }

  /** Records what a client would get. */
  private final class Forecasting extends StoreSteps<Glimpse, Forecast> {
    private final Peek peek;
    private final long nowMillis;

    /** The size of the slices in which the request would be answered; 0 if it is not sliced. */
    private long sliceBytes;

    Forecasting(Peek peek, long nowMillis) {
      super(services.caching);
      this.peek = peek;
      this.nowMillis = nowMillis;
    }

    @Override
    protected Forecast bypass(
        Request request, KeyProbe probe, CacheDecision bypass, @Nullable String upgrade) {
      if (bypass.outcome() != Outcome.BYPASS) {
        return unsatisfiable(request, null, bypass);
      }
      Refusal refusal = services.caching.missRefusal(request);
      return refusal == null
          ? new Forecast(bypass, 0, LogTag.TCP_MISS, false, 0, false)
          : refused(bypass, refusal);
    }

    @Override
    protected @Nullable Forecast lookUp(Request request, KeyProbe probe) {
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

    /** The forecast is the one without slices. */
    @Override
    protected Forecast slice(
        Request request,
        KeyProbe probe,
        @Nullable Glimpse stored,
        CacheDecision decision,
        @Nullable LoadOutcome load,
        long sliceBytes) {
      this.sliceBytes = sliceBytes;
      return decision.outcome() == Outcome.UNSATISFIABLE
          ? unsatisfiable(request, stored, decision)
          : miss(request, probe, stored, decision, load);
    }

    @Override
    protected Forecast serve(
        Request request, KeyProbe probe, Glimpse stored, CacheDecision decision) {
      request.reply(stored);
      Refusal refusal = hits.refusal(request, stored.meta(), decision);
      request.forgetReply();
      if (refusal != null) {
        return refused(decision, refusal);
      }
      int status = HitAnswer.status(head, stored.meta(), decision);
      return new Forecast(decision, status, hitTag(stored, decision), false, 0, false);
    }

    @Override
    protected Forecast unsatisfiable(
        Request request, @Nullable Glimpse stored, CacheDecision decision) {
      return new Forecast(decision, 504, LogTag.TCP_MISS, false, 0, false);
    }

    @Override
    protected Forecast miss(
        Request request,
        KeyProbe probe,
        @Nullable Glimpse stored,
        CacheDecision decision,
        @Nullable LoadOutcome load) {
      Refusal refusal = services.caching.missRefusal(request);
      if (refusal != null) {
        return refused(decision, refusal);
      }
      StoredMeta found = stored == null ? null : services.caching.regarded(stored, request);
      boolean onError =
          found != null
              && Incomplete.answers(head, found)
              && Reuse.mayServeOnError(
                  nowMillis, head, found, target.ruledUrl(), services.caching.of(request));
      LogTag miss = load == LoadOutcome.DAMAGED ? LogTag.TCP_SWAPFAIL_MISS : LogTag.TCP_MISS;
      LogTag tag = MissAnswer.fetchedTag(decision, miss);
      boolean whole = services.caching.fetchesWhole(request, decision);
      return new Forecast(decision, 0, tag, onError, offered(decision), whole);
    }

    private Forecast refused(CacheDecision decision, Refusal refusal) {
      LogTag tag = refusal.tag() == null ? LogTag.NONE_NONE : refusal.tag();
      return Forecast.refused(decision, refusal.status(), tag, refusal.summary());
    }

    private int offered(CacheDecision decision) {
      boolean gateway = services.caching.of(request()).gateway;
      return OfferedTags.goWith(decision, head)
          ? OfferedVariants.foretell(peek.variants(), head.fields(), gateway)
          : 0;
    }
  }

  private LogTag hitTag(Glimpse selected, CacheDecision decision) {
    ExchangeRecord record = new ExchangeRecord();
    record.fromDisk = selected.onDisk();
    HitAnswer.classify(record, head, decision, selected.onDisk());
    return record.tag;
  }

  private StoredVariant variant(Glimpse stored, boolean selected, long now) {
    CacheSettings rules = services.caching.of(request());
    StoredMeta regarded = services.caching.regarded(stored, request());
    Glimpse one = regarded == null ? stored : stored.with(regarded);
    if (regarded == null) {
      rules = rules.asGateway(!rules.gateway);
    }
    Fields fields = StoredFields.index(one.storedLines());
    List<String> inputs = new ArrayList<>();
    for (int i = 0; i < fields.count(); i++) {
      if (INPUTS.contains(fields.lowerName(i))) {
        inputs.add(fields.name(i) + ": " + shortened(fields.value(i)));
      }
    }
    return new StoredVariant(
        one.onDisk(),
        selected,
        one.meta(),
        selecting(one.meta().vary()),
        inputs,
        new FreshnessSum(one.meta(), fields, target.ruledUrl(), rules, now),
        one.bytes(),
        one.hits());
  }

  private static List<String> selecting(@Nullable VarySelection vary) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; vary != null && i < vary.names().size(); i++) {
      String name = vary.names().get(i);
      String value = vary.value(i);
      if (value == null) {
        lines.add(name + ": (absent)");
      } else {
        lines.add(name + ": " + (HARMLESS.contains(name) ? shortened(value) : "(not shown)"));
      }
    }
    return lines;
  }

  private static String shortened(String value) {
    return value.length() <= MAX_SHOWN ? value : value.substring(0, MAX_SHOWN) + "...";
  }

  // ---- the request

  private static boolean isVisible(String text) {
    return text.chars().allMatch(c -> c > ' ' && c < 0x7f) && !text.isEmpty();
  }

  private @Nullable HttpPort port() {
    return PortDirectives.portFor(services.settings.config(), question.portName(), question.url());
  }

  private @Nullable InetSocketAddress client() {
    String text = question.client() == null ? "127.0.0.1" : question.client();
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
    try {
      return bytes == null ? null : new InetSocketAddress(InetAddress.getByAddress(bytes), 0);
    } catch (UnknownHostException e) {
      return null;
    }
  }

  // ---- endings

  private @Nullable String shownUrl() {
    if (key == null) {
      return null;
    }
    return shown(target.url());
  }

  private @Nullable String shownStoreId() {
    StoreId id = target.storeId();
    return id == null ? null : shown(id.text());
  }

  private String shown(String url) {
    int query = services.settings.stripQueryTerms ? url.indexOf('?') : -1;
    return query < 0 ? url : url.substring(0, query + 1);
  }

  private void refuse(@Nullable ParseFailure failure) {
    refuse(failure == null ? "not a request" : failure.status() + ", " + failure.text());
  }

  private void refuse(String why) {
    then.accept(
        Explanation.of(question.method(), services.clock.millis())
            .url(shownUrl())
            .storeId(shownStoreId())
            .refusal(why)
            .key(key)
            .build());
  }
}
