package io.loligo.server.exchange.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.FreshnessSum;
import io.loligo.core.caching.OfferedTags;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.range.Incomplete;
import io.loligo.core.range.JoinedParts;
import io.loligo.server.exchange.RequestSteps;
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
import io.loligo.server.exchange.rules.CacheRules;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Forecast;
import io.loligo.server.explain.Question;
import io.loligo.server.explain.QuestionReader;
import io.loligo.server.explain.StoredVariant;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortMode;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
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
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request that no client sent through the steps of {@link RequestSteps} up to the decision,
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
  private final RequestHead head = new RequestHead();
  private final RequestTarget target = new RequestTarget();
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
    ParseFailure failure = Identification.identify(port, null, null, head, target);
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
    } else if (seal(verdict)) {
      admitted(verdict);
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
    } else if (verdict instanceof AnswerHere part) {
      refuse(part.summary());
    } else {
      services.store.peek(key(), executor, this::peeked);
    }
  }

  /** Runs the steps look up and decide on the responses found. */
  private void peeked(Peek peek) {
    long now = services.clock.millis();
    List<Glimpse> variants = peek.variants();
    int inMemory = select(variants, false);
    boolean purgedInMemory = inMemory >= 0 && variants.get(inMemory).purged();
    int selected = inMemory < 0 || purgedInMemory ? select(variants, true) : inMemory;
    List<Glimpse> used = new ArrayList<>();
    Glimpse chosen = null;
    if (selected < 0) {
      chosen = joined(variants, used);
    } else if (!variants.get(selected).purged()) {
      chosen = variants.get(selected);
      used.add(chosen);
    }
    boolean others =
        services.store.mayLoad(services.keys.probe(target))
            || (purgedInMemory
                ? remains(variants, inMemory)
                : services.store.holds(services.keys.probe(target)));
    Glimpse found = chosen == null ? null : regarded(chosen);
    // a response in memory ends the lookup even if this port may not use it
    LoadOutcome load = chosen == null ? peek.disk() : chosen.onDisk() ? LoadOutcome.FOUND : null;
    Forecast forecast = forecast(found, chosen == null && others, load, variants, now);
    List<StoredVariant> stored = new ArrayList<>();
    for (int i = 0; i < variants.size(); i++) {
      if (!variants.get(i).purged()) {
        boolean serves = used.contains(variants.get(i)) && found != null && asksStore(forecast);
        stored.add(variant(variants.get(i), serves, now));
      }
    }
    boolean fetching = services.store.inFlight(services.keys.probe(target), head.fields()) != null;
    String disk = peek.disk() == null ? null : peek.disk().name().toLowerCase(Locale.ROOT);
    Explanation all =
        new Explanation(
            shownUrl(),
            head.method(),
            now,
            null,
            forecast,
            stored,
            null,
            disk,
            fetching,
            List.of(),
            key);
    services.keys.probe(target);
    StoredMeta whole = found == null ? null : found.meta();
    long sliceBytes = services.caching.sliceBytes(request(), whole, forecast.decision());
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

  /** {@code one} as this port sees it; null if the port may not use it (RFC 9213). */
  private @Nullable Glimpse regarded(Glimpse one) {
    StoredMeta meta = services.caching.regarded(one.meta(), one.fields(), request());
    return meta == null ? null : one.with(meta);
  }

  private static boolean asksStore(Forecast forecast) {
    return !forecast.decision().reason().bypasses();
  }

  /**
   * The parts on disk that the request selects, joined into one response. Adds the parts that it
   * needs to {@code used}. Null if the request selects none.
   */
  private @Nullable Glimpse joined(List<Glimpse> variants, List<Glimpse> used) {
    List<Glimpse> parts = new ArrayList<>();
    for (Glimpse one : variants) {
      if (one.onDisk()
          && !one.purged()
          && one.meta().part() != null
          && one.meta().isSelectedBy(head.fields())) {
        parts.add(one);
      }
    }
    if (parts.isEmpty()) {
      return null;
    }
    List<StoredMeta> metas = parts.stream().map(Glimpse::meta).toList();
    JoinedParts joined = JoinedParts.of(metas, head.fields());
    joined.used().forEach(number -> used.add(parts.get(number)));
    return parts.get(joined.newest()).with(joined.meta());
  }

  /**
   * The index of the response in one tier that the request selects; -1 if there is none. On disk,
   * only whole responses count.
   */
  private int select(List<Glimpse> variants, boolean onDisk) {
    int found = -1;
    for (int i = 0; i < variants.size(); i++) {
      StoredMeta one = variants.get(i).meta();
      if (variants.get(i).onDisk() == onDisk
          && (!onDisk || one.part() == null)
          && (found < 0 || VarySelection.prefers(one, variants.get(found).meta()))
          && one.isSelectedBy(head.fields())) {
        found = i;
      }
    }
    return found;
  }

  /** Whether memory holds another variant after the purged one is gone. */
  private static boolean remains(List<Glimpse> variants, int gone) {
    long inMemory = variants.stream().filter(one -> !one.onDisk()).count();
    return variants.get(gone).meta().vary() != null && inMemory > 1;
  }

  /**
   * What the proxy would do with {@code selected}.
   *
   * @param selected may be null
   * @param looked how a disk lookup would end; null if there would be none
   * @param variants all stored variants
   */
  private Forecast forecast(
      @Nullable Glimpse selected,
      boolean others,
      @Nullable LoadOutcome looked,
      List<Glimpse> variants,
      long now) {
    services.keys.probe(target);
    CacheRules rules = services.caching;
    CacheDecision bypass = rules.bypass(request(), rules.upgrade(request()));
    if (bypass != null) {
      return bypass.outcome() == Outcome.BYPASS
          ? new Forecast(bypass, 0, LogTag.TCP_MISS, false, 0, false)
          : new Forecast(bypass, 504, LogTag.NONE_NONE, false, 0, false);
    }
    StoredMeta found = selected == null ? null : selected.meta();
    // the disk was read, but the variant is not selected or is purged: not a disk failure
    LoadOutcome load = looked == LoadOutcome.FOUND ? LoadOutcome.ABSENT : looked;
    boolean denied = selected != null && isHitDenied(selected);
    CacheDecision decision = rules.decision(request(), found, denied, others, now, load);
    if (denied) {
      return decision.outcome() == Outcome.FETCH
          ? new Forecast(decision, 0, LogTag.TCP_MISS, false, 0, false)
          : new Forecast(decision, 504, LogTag.NONE_NONE, false, 0, false);
    }
    boolean onError =
        found != null
            && Incomplete.answers(head, found)
            && Reuse.mayServeOnError(
                now, head, found, target.url(), services.caching.of(request()));
    return switch (decision.outcome()) {
      case SERVE, NOT_MODIFIED, SERVE_STALE_AND_REVALIDATE -> {
        assert selected != null : "it was decided about";
        yield hit(selected, decision);
      }
      case UNSATISFIABLE -> new Forecast(decision, 504, LogTag.NONE_NONE, false, 0, false);
      default -> {
        boolean damaged = found == null && load == LoadOutcome.DAMAGED;
        LogTag miss = damaged ? LogTag.TCP_SWAPFAIL_MISS : LogTag.TCP_MISS;
        LogTag tag = MissAnswer.fetchedTag(decision, miss);
        int offered = offered(decision, variants);
        yield new Forecast(
            decision, 0, tag, onError, offered, services.caching.fetchesWhole(request(), decision));
      }
    };
  }

  private boolean isHitDenied(Glimpse selected) {
    reply(selected);
    boolean denied = services.caching.isHitDenied(request());
    request().forgetReply();
    return denied;
  }

  private void reply(Glimpse selected) {
    request().reply(StoredFields.index(selected.fields()), selected.meta().status());
  }

  private Forecast hit(Glimpse selected, CacheDecision decision) {
    reply(selected);
    Refusal refusal = hits.refusal(request(), selected.meta(), decision);
    request().forgetReply();
    if (refusal != null) {
      LogTag tag = refusal.tag() == null ? LogTag.NONE_NONE : refusal.tag();
      return new Forecast(decision, refusal.status(), tag, false, 0, false);
    }
    return new Forecast(
        decision,
        HitAnswer.status(head, selected.meta(), decision),
        hitTag(selected, decision),
        false,
        0,
        false);
  }

  /** The number of entity tags that {@link OfferedVariants} would offer. */
  private int offered(CacheDecision decision, List<Glimpse> variants) {
    OfferedTags tags = new OfferedTags();
    if (!OfferedTags.goWith(decision, head)) {
      return 0;
    }
    Set<VarySelection> inMemory = new HashSet<>();
    for (Glimpse one : variants) {
      if (!one.onDisk()) {
        inMemory.add(one.meta().vary());
        offer(one, tags);
      }
    }
    variants.stream()
        .filter(one -> one.onDisk() && isFor(one) && OfferedTags.hasTag(one.meta()))
        .filter(one -> !inMemory.contains(one.meta().vary()))
        .limit(OfferedTags.MAX_TAGS - tags.size())
        .forEach(one -> offer(one, tags));
    return tags.size();
  }

  private boolean isFor(Glimpse one) {
    return one.meta().isFor(services.caching.of(request()).gateway);
  }

  private void offer(Glimpse one, OfferedTags tags) {
    if (!one.purged() && isFor(one)) {
      tags.add(one.meta(), StoredFields.index(one.fields()), head.fields());
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
    Glimpse one = regarded(stored);
    if (one == null) {
      one = stored;
      rules = rules.asGateway(!rules.gateway);
    }
    Fields fields = StoredFields.index(one.fields());
    List<String> inputs = new ArrayList<>();
    for (int i = 0; i < fields.count(); i++) {
      if (INPUTS.contains(fields.name(i).toLowerCase(Locale.ROOT))) {
        inputs.add(fields.name(i) + ": " + shortened(fields.value(i)));
      }
    }
    return new StoredVariant(
        one.onDisk(),
        selected,
        one.meta(),
        selecting(one.meta().vary()),
        inputs,
        FreshnessSum.of(one.meta(), fields, target.url(), rules, now),
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
    List<HttpPort> ports = PortDirectives.ports(services.settings.config());
    if (question.portName() != null) {
      return ports.stream()
          .filter(port -> question.portName().equals(port.name()))
          .findFirst()
          .orElse(null);
    }
    boolean https = question.url().regionMatches(true, 0, "https:", 0, 6);
    HttpPort best = null;
    for (HttpPort port : ports) {
      if (best == null || rank(port, https) > rank(best, https)) {
        best = port;
      }
    }
    return best;
  }

  /**
   * Ranks ports: those that serve the scheme come first, then forward ports before accelerators.
   */
  private static int rank(HttpPort port, boolean https) {
    boolean forward = port.mode() == PortMode.FORWARD;
    boolean serves = forward || https == port.scheme().equals("https");
    return (serves ? 2 : 0) + (forward ? 1 : 0);
  }

  private @Nullable InetSocketAddress client() {
    String text = question.client() == null ? "127.0.0.1" : question.client();
    byte[] octets = NetUtil.createByteArrayFromIpAddressString(text);
    try {
      return octets == null ? null : new InetSocketAddress(InetAddress.getByAddress(octets), 0);
    } catch (UnknownHostException e) {
      return null;
    }
  }

  // ---- endings

  private @Nullable String shownUrl() {
    if (key == null) {
      return null;
    }
    String url = target.url();
    int query = services.settings.stripQueryTerms ? url.indexOf('?') : -1;
    return query < 0 ? url : url.substring(0, query + 1);
  }

  private void refuse(@Nullable ParseFailure failure) {
    refuse(failure == null ? "not a request" : failure.status() + ", " + failure.text());
  }

  private void refuse(String why) {
    then.accept(
        new Explanation(
            shownUrl(),
            question.method(),
            services.clock.millis(),
            why,
            null,
            List.of(),
            null,
            null,
            false,
            List.of(),
            key));
  }
}
