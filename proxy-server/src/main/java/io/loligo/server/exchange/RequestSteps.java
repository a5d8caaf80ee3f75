package io.loligo.server.exchange;

import io.loligo.core.acl.AclInput;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.adapt.Adaptations;
import io.loligo.server.adapt.ServiceGroup;
import io.loligo.server.exchange.adapt.RequestAdaptation;
import io.loligo.server.exchange.admission.Admission;
import io.loligo.server.exchange.admission.MaxForwards;
import io.loligo.server.exchange.admission.Verdict;
import io.loligo.server.exchange.admission.Verdict.Adapt;
import io.loligo.server.exchange.admission.Verdict.AnswerHere;
import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.admission.Verdict.WaitFor;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.client.RequestHandler;
import io.loligo.server.exchange.explain.Explaining;
import io.loligo.server.exchange.fetch.BackgroundValidation;
import io.loligo.server.exchange.fetch.Fetch;
import io.loligo.server.exchange.fetch.SecondCopies;
import io.loligo.server.exchange.hit.DiskLookUp;
import io.loligo.server.exchange.hit.HitAnswer;
import io.loligo.server.exchange.inspect.Inspection;
import io.loligo.server.exchange.join.MissAnswer;
import io.loligo.server.exchange.manager.ManagerAnswer;
import io.loligo.server.exchange.neighbour.Neighbours;
import io.loligo.server.exchange.purge.PurgeAnswer;
import io.loligo.server.exchange.query.QueryContent;
import io.loligo.server.exchange.request.AddressBytes;
import io.loligo.server.exchange.request.Identification;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.request.Suspension;
import io.loligo.server.exchange.rules.BandwidthRules;
import io.loligo.server.exchange.rules.FieldFilter;
import io.loligo.server.exchange.rules.KeyRules;
import io.loligo.server.exchange.rules.NodeRequests;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.rules.StoreSteps;
import io.loligo.server.exchange.rules.UnreadRequest;
import io.loligo.server.exchange.services.BackgroundFetches;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.QosFlows;
import io.loligo.server.exchange.slice.SliceAnswer;
import io.loligo.server.exchange.tunnel.Tunneling;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.server.hook.HookFailure;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.Shed;
import io.loligo.server.record.Stage;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.shaping.Limit;
import io.loligo.server.trace.CausedTrace;
import io.loligo.server.upstream.Upstream;
import io.loligo.store.Store;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes each request of one event loop through the steps of the table in docs/architecture.md, and
 * passes it to the part that answers it. Confined to the loop.
 *
 * <p>A response from memory is sent here with the loop's scratch objects and allocates next to
 * nothing. A request that must wait continues as a {@link Suspension} or a {@link MissAnswer},
 * which have their own snapshots.
 *
 * <pre>
 *   receive   downstream                      400 408 414 431 501 505
 *   identify  {@link Identification}          400
 *   admit     {@link Admission}               200 401 403 405 407 409 413 501 503 508
 *   key       {@link KeyRules}
 *   look up   {@link StoreSteps}, {@link DiskLookUp}
 *   decide    {@link StoreSteps#decide}       504
 *   serve     {@link HitAnswer}               200 206 304 416
 *   slice     {@link SliceAnswer}             200 206 304 412 416
 *   join      {@link MissAnswer}
 *   fetch     {@link Fetch}                   502 503 504
 *   store     {@link Fetch}, the in-flight object
 *   log       downstream, once
 * </pre>
 */
public final class RequestSteps implements RequestHandler {
  /** The most QUERY requests whose content a loop holds at once. Further ones bypass the store. */
  static final int MAX_QUERIES = 64;

  private final LoopServices services;
  private final ExchangeSettings settings;
  private final Store store;
  private final Admission admission;
  private final HitAnswer hits;
  private final Neighbours neighbours;
  private final StoreSteps<Entry, ClientEvents> steps;

  /** The request in progress on this stack. Reused for each request. */
  private final Request current = new Request();

  /** Null: there are no rules about the fields of responses. */
  private final @Nullable FieldFilter replyFields;

  private final @Nullable QosFlows flows;

  /** Null: this process is no node that keeps second copies. */
  private final @Nullable SecondCopies secondCopies;

  private final RequestTarget currentTarget = new RequestTarget();

  /** The number of QUERY requests whose content is held. */
  private int queries;

  /** Creates the steps of the loop that {@code services} belong to. */
  public RequestSteps(LoopServices services) {
    this.services = services;
    this.settings = services.settings;
    this.store = services.store;
    this.admission = new Admission(services);
    this.hits = new HitAnswer(services);
    this.neighbours = new Neighbours(services, hits);
    this.steps = new Answering();
    this.replyFields = services.replyFields;
    this.flows = services.settings.fetches.flows;
    NodeRequests nodes = services.nodes;
    this.secondCopies =
        nodes != null && nodes.owners().keepsSecondCopies()
            ? new SecondCopies(services, nodes)
            : null;
  }

  /**
   * Returns the steps under another configuration. A request ends under the configuration with
   * which it began. Called on the loop, once: connections to services of this configuration end
   * with their messages.
   */
  public RequestSteps under(ExchangeSettings settings, Upstream upstream) {
    if (services.adaptations != null) {
      services.adaptations.close();
    }
    return new RequestSteps(services.under(settings, upstream));
  }

  @Override
  public @Nullable ClientEvents request(ClientStream stream, RequestHead head, long contentLength) {
    ParseFailure failure =
        Identification.identify(
            stream.port(),
            stream.record().local,
            stream.destination(),
            settings.access.refusesUserInfo,
            settings.cacheName(),
            head,
            currentTarget);
    if (failure != null) {
      refused(stream, failure);
      return null;
    }
    ExchangeRecord record = stream.record();
    record.target = currentTarget;
    store.requestBegins(record.startNanos, record.startMillis);
    current.begin(stream, head, contentLength, currentTarget, record.startMillis);
    if (stream.port().forNodes()) {
      return ofNode(current);
    }
    return admit(settings.logsByAcl() ? logged(current.snapshot()) : current);
  }

  /** The node that the client asked has done admission. */
  private @Nullable ClientEvents ofNode(Request request) {
    request.record().ofNode = true;
    NodeRequests nodes = services.nodes;
    boolean named = request.head().fields().has(FieldName.PEER_KEY);
    Request taken = named ? request.snapshot() : request;
    if (nodes != null && nodes.isForAnother(taken)) {
      taken.stream().abort("it is for another node"); // as if that were not here
      return null;
    }
    Refusal refusal = nodes == null ? Refusal.NOT_STORED : nodes.take(taken);
    return refusal == null ? lookUp(taken) : refuse(taken, refusal);
  }

  /** Prepares the facts that ACLs of access_log may need. {@code request} is a snapshot. */
  private Request logged(Request request) {
    if (settings.logsByDestination()) {
      request.record().known = () -> addresses(request.host());
    }
    return request;
  }

  private @Nullable List<byte[]> addresses(String host) {
    List<InetAddress> known = services.upstream.resolved(host);
    return known == null ? null : AddressBytes.of(known);
  }

  // ---- admit

  private @Nullable ClientEvents admit(Request request) {
    Verdict verdict = admission.check(request);
    if (verdict == Verdict.PROCEED) {
      return lookUp(request);
    }
    if (verdict instanceof Denied denied) {
      return refuse(request, denied.refusal());
    }
    if (verdict instanceof Adapt adapt) {
      return adapt(request.snapshot(), adapt.group());
    }
    return verdict instanceof WaitFor wait
        ? suspend(request.snapshot(), wait)
        : answerHere(request, (AnswerHere) verdict);
  }

  /** Takes the transactions with ICAP services from now on; null: they are not logged. */
  public void icapLog(@Nullable ExchangeSink log) {
    if (services.adaptations != null) {
      services.adaptations.log(log);
    }
  }

  /** Tells {@code sink} of fetches without a client from now on. */
  public void backgroundFetches(BackgroundFetches.Sink sink) {
    services.background.use(sink);
  }

  private ClientEvents adapt(Request request, ServiceGroup group) {
    Adaptations adaptations = services.adaptations;
    assert adaptations != null : "a service was chosen";
    RequestAdaptation.Continuation then =
        new RequestAdaptation.Continuation() {
          @Override
          public @Nullable ClientEvents adapted(Request adapted) {
            adapted.record().lap(Stage.ADAPTATION, services.clock.nanos());
            return admit(adapted);
          }

          @Override
          public void refused(Request refused, ParseFailure failure) {
            RequestSteps.this.refused(refused.stream(), failure);
          }
        };
    return new RequestAdaptation(services, adaptations, request, group, then).start();
  }

  /** Continues with {@code request}, a snapshot, after the other party has answered. */
  private ClientEvents suspend(Request request, WaitFor wait) {
    Suspension suspension = new Suspension(request);
    wait.party()
        .ask(
            request,
            fact ->
                suspension.resume(
                    () -> {
                      fact.run();
                      request.record().lap(wait.stage(), services.clock.nanos());
                      return admit(request);
                    }),
            suspension::whenGone);
    return suspension;
  }

  private @Nullable ClientEvents answerHere(Request request, AnswerHere part) {
    return switch (part) {
      case TUNNEL -> tunnel(request);
      case PURGE -> PurgeAnswer.start(services, request);
      case MANAGER -> ManagerAnswer.start(services, request);
      case MAX_FORWARDS -> {
        MaxForwards.answer(request, services);
        yield null;
      }
    };
  }

  private @Nullable ClientEvents tunnel(Request request) {
    Shed overload = store.isCrowded() ? Shed.MEMORY : services.overload.now();
    return overload != null
        ? refuse(request, Refusal.overload(overload))
        : inspects(request)
            ? new Inspection(services, request.snapshot()).start()
            : new Tunneling(services, request.snapshot()).connect();
  }

  private boolean inspects(Request request) {
    return request.httpPort().bump() != null && !settings.inspection.rules.isEmpty();
  }

  // ---- key

  private @Nullable ClientEvents lookUp(Request request) {
    if (services.caching.keysContent(request)) {
      if (!ContentLength.hasContent(request.contentLength())) {
        return query(request, new ContentDigest(request.head().fields()));
      }
      if (queries < MAX_QUERIES) {
        queries++;
        return new QueryContent(
                request.snapshot(), settings.queryContentMaxBytes, new QueryContinuation())
            .start();
      }
    }
    return steps.start(request, services.keys.seal(request));
  }

  /** Continues with a QUERY whose content has been read. */
  private final class QueryContinuation implements QueryContent.Continuation {
    @Override
    public @Nullable ClientEvents taken(Request request, @Nullable ContentDigest content) {
      request.record().lap(Stage.REQUEST_CONTENT, services.clock.nanos());
      return query(request, content);
    }

    @Override
    public void refused(Request request, ParseFailure failure) {
      RequestSteps.this.refused(request.stream(), failure);
    }

    @Override
    public void released() {
      queries--;
    }
  }

  /**
   * Continues with a QUERY.
   *
   * @param content the digest of its whole content; null: the content is not part of the key, and
   *     the request bypasses the store
   */
  private @Nullable ClientEvents query(Request request, @Nullable ContentDigest content) {
    if (content != null) {
      services.keys.keyByContent(request.target(), content);
    }
    return lookUpKeyed(request);
  }

  /** Looks up a request whose target already has its key rule. */
  private @Nullable ClientEvents lookUpKeyed(Request request) {
    return steps.start(request, services.keys.probe(request));
  }

  // ---- look up, decide, and what follows

  /** Answers clients. */
  private final class Answering extends StoreSteps<Entry, ClientEvents> {
    Answering() {
      super(services.caching);
    }

    @Override
    protected @Nullable ClientEvents bypass(
        Request request, KeyProbe probe, CacheDecision bypass, @Nullable String upgrade) {
      if (bypass.outcome() == Outcome.UNSATISFIABLE) {
        request.record().decision = bypass;
        return refuse(request, Refusal.NOT_STORED);
      }
      Refusal forwarding = services.caching.missRefusal(request);
      if (forwarding != null) {
        return refuse(request, forwarding);
      }
      Shed overload = services.overload.now();
      if (overload != null) {
        return refuse(request, Refusal.overload(overload));
      }
      return new MissAnswer(
              services, hits, request.snapshot(), probe.toKey(), null, bypass, upgrade)
          .start();
    }

    @Override
    protected @Nullable ClientEvents lookUp(Request request, KeyProbe probe) {
      Entry entry = store.find(probe, request.head().fields());
      if (entry != null || !store.mayLoad(probe)) {
        return decide(request, probe, entry, request.nowMillis(), null);
      }
      Store.Loaded now = DiskLookUp.now(services, request, probe.toKey());
      if (now != null) {
        return decide(request, probe, now.entry(), request.nowMillis(), now.report().outcome());
      }
      Shed overload = request.continuesAnswer() ? null : services.overload.now();
      return overload != null
          ? refuse(request, Refusal.overload(overload))
          : new Load(request.snapshot()).start(probe);
    }

    @Override
    protected boolean holdsOthers(KeyProbe probe) {
      return store.holds(probe);
    }

    @Override
    protected void unusable(Request request, Entry entry) {
      entry.release();
      request.record().fromDisk = false;
    }

    @Override
    protected void decided(Request request, CacheDecision decision) {
      ExchangeRecord record = request.record();
      record.decision = decision;
      noteLookUp(record);
    }

    @Override
    protected @Nullable ClientEvents slice(
        Request request,
        KeyProbe probe,
        @Nullable Entry entry,
        CacheDecision decision,
        @Nullable LoadOutcome load,
        long sliceBytes) {
      release(entry);
      return new SliceAnswer(
              services, request.snapshot(), sliceBytes, RequestSteps.this::lookUpKeyed)
          .start();
    }

    @Override
    protected @Nullable ClientEvents serve(
        Request request, KeyProbe probe, Entry entry, CacheDecision decision) {
      if (decision.revalidates()) {
        try {
          revalidate(request, probe, entry);
        } catch (RuntimeException | Error e) {
          entry.release();
          throw e;
        }
      }
      if (secondCopies != null && secondCopies.isDue(request, entry.hits() + 1)) {
        offer(secondCopies, request, probe, entry);
      }
      return hits.answer(request, entry, decision);
    }

    private void offer(SecondCopies copies, Request request, KeyProbe probe, Entry entry) {
      if (entry.meta().has(StoredMeta.COPY) || entry.meta().part() != null) {
        return;
      }
      try {
        copies.offer(request, probe.toKey());
      } catch (RuntimeException | Error e) {
        entry.release();
        throw e;
      }
    }

    @Override
    protected @Nullable ClientEvents unsatisfiable(
        Request request, @Nullable Entry entry, CacheDecision decision) {
      release(entry);
      if (secondCopies != null
          && secondCopies.isOffer(request)
          && services.caching.missRefusal(request) == null
          && services.overload.now() == null) {
        secondCopies.take(request, services.keys.probe(request.target()).toKey());
        return refuse(request, Refusal.NOT_STORED);
      }
      if (services.nodes != null
          && services.caching.missRefusal(request) == null
          && services.overload.now() == null) {
        CacheKey key = services.keys.probe(request.target()).toKey();
        if (services.nodes.mayAskForStored(request, key)) {
          return new MissAnswer(services, hits, request.snapshot(), key, null, decision, null)
              .start();
        }
      }
      return refuse(request, Refusal.NOT_STORED);
    }

    @Override
    protected @Nullable ClientEvents miss(
        Request request,
        KeyProbe probe,
        @Nullable Entry entry,
        CacheDecision decision,
        @Nullable LoadOutcome load) {
      Refusal forwarding = services.caching.missRefusal(request);
      if (forwarding != null) {
        release(entry);
        return refuse(request, forwarding);
      }
      boolean begins = load == null && !request.continuesAnswer();
      Shed overload = begins ? services.overload.now() : null;
      if (overload != null) {
        release(entry);
        return refuse(request, Refusal.overload(overload));
      }
      return new MissAnswer(
              services, hits, request.snapshot(), probe.toKey(), entry, decision, null)
          .afterDisk(load != null)
          .start();
    }
  }

  /** A request that waits for the disk. */
  private final class Load extends Suspension implements DiskLookUp.Asker {
    Load(Request request) {
      super(request);
    }

    ClientEvents start(KeyProbe probe) {
      if (request().isFromNode()) {
        request().stream().acknowledge();
      }
      RequestHead head = request().head();
      noteLookUp(request().record());
      boolean headMayDo =
          head.methodId() == Method.HEAD || head.fields().hasAny(Preconditions.FIELDS);
      DiskLookUp.start(services, request(), probe.toKey(), headMayDo, this);
      return this;
    }

    @Override
    public boolean suffices(Entry entry) {
      StoredMeta found = services.caching.regarded(entry, request());
      if (found == null) {
        return true; // this port may not use it: the content is not needed
      }
      CacheDecision decision =
          services.caching.decisionByHead(request(), found, services.clock.millis());
      return switch (decision.outcome()) {
        case NOT_MODIFIED -> !decision.revalidates();
        case SERVE -> request().head().methodId() == Method.HEAD;
        default -> false;
      };
    }

    @Override
    public void looked(@Nullable Entry entry, @Nullable LoadOutcome outcome) {
      resume(
          () -> {
            KeyProbe probe = services.keys.probe(request().target());
            // another request may have loaded or fetched it since
            Entry found = entry != null ? entry : store.find(probe, request().head().fields());
            return steps.decide(request(), probe, found, services.clock.millis(), outcome);
          });
    }
  }

  private void noteLookUp(ExchangeRecord record) {
    if (record.stage(Stage.LOOKUP) < 0) {
      record.lap(Stage.LOOKUP, services.clock.nanos());
    }
  }

  private void revalidate(Request request, KeyProbe probe, Entry entry) {
    RequestHead head = request.head();
    if (Method.isGetOrHead(head.methodId())
        && VarySelection.isSteeredLike(entry.meta().vary(), head.fields())
        && store.inFlight(probe, head.fields()) == null
        && (!head.fields().has(FieldName.AUTHORIZATION)
            || services.caching.isShared(request, entry))) {
      CausedTrace trace = settings.traces ? CausedTrace.of(head.fields(), request.record()) : null;
      BackgroundValidation.begin(services, request.inBackground(trace), probe.toKey(), entry);
    }
  }

  // ---- rules about the fields of responses

  @Override
  public @Nullable OutgoingHead ruled(ClientStream stream, OutgoingHead head, boolean toHead) {
    if (stream.port().forNodes()) {
      return toNode(stream.record().peerPurges, head);
    }
    FieldFilter filter = replyFields;
    if ((filter == null && flows == null) || opensTunnel(stream.record(), head)) {
      return head;
    }
    if (flows != null) {
      flows.apply(stream);
    }
    if (filter == null) {
      return head;
    }
    try {
      return filter.reply(inputOf(stream), stream.record(), head, toHead);
    } catch (HookFailure e) {
      stream.record().errorDetail = e.getMessage();
      return null;
    }
  }

  /** Also an error may be fresh for a while, and then other requests of the node get it. */
  private static OutgoingHead toNode(@Nullable String purges, OutgoingHead head) {
    if (purges != null) {
      head.lines().add("Peer-Purges", purges);
    }
    return head;
  }

  private static boolean opensTunnel(ExchangeRecord record, OutgoingHead head) {
    return record.request != null
        && record.request.methodId() == Method.CONNECT
        && head.status() / 100 == 2;
  }

  @Override
  public @Nullable Limit limit(ClientStream stream, OutgoingHead head, boolean toHead) {
    BandwidthRules bandwidth = services.bandwidth;
    if (bandwidth == null || stream.port().forNodes()) {
      return null;
    }
    Allowance allowance = bandwidth.ofClient(stream, inputOf(stream), head, toHead);
    return allowance == null ? null : new Limit(allowance, services.paces);
  }

  @Override
  public void ruleInterim(ClientStream stream, int status, FieldLines lines) {
    if (replyFields != null && !stream.port().forNodes()) {
      replyFields.interim(inputOf(stream), stream.record(), status, lines);
    }
  }

  @Override
  public Fields ruledTrailers(ClientStream stream, Fields trailers) {
    return replyFields == null || stream.port().forNodes()
        ? trailers
        : replyFields.trailers(inputOf(stream), trailers);
  }

  /** The request that {@code stream} answers, as far as it is known. */
  private AclInput inputOf(ClientStream stream) {
    ExchangeRecord record = stream.record();
    if (record.acl != null) {
      return record.acl;
    }
    return record.target == currentTarget
        ? current
        : new UnreadRequest(stream, services.clock.millis());
  }

  /** The process ends: no byte waits for a pool any more. On the loop. */
  public void close() {
    services.paces.end();
  }

  // ---- refused requests

  private @Nullable ClientEvents refuse(Request request, Refusal refusal) {
    if (request.isFromNode() && refusal.shed() != null) {
      return refuse(request, NodeRequests.overloaded(refusal));
    }
    ErrorPage.refuse(request.stream(), services, request.contentLength(), refusal);
    return null;
  }

  @Override
  public @Nullable ClientEvents shed(ClientStream stream, long contentLength, Shed why) {
    ErrorPage.refuse(stream, services, contentLength, Refusal.overload(why));
    return null;
  }

  @Override
  public void refused(ClientStream stream, ParseFailure failure) {
    ErrorPage.refuse(stream, services, failure);
  }

  @Override
  public void headTimedOut(ClientStream stream) {
    ExchangeRecord record = stream.record();
    record.url = "error:request-timeout";
    record.method = ExchangeRecord.NO_METHOD;
    record.timedOut = true;
    stream.closeAfter();
    ErrorPage.send(
        stream, services, 408, "ERR_REQUEST_TIMEOUT", "The request took too long.", null);
  }

  /**
   * Explains which response {@code question} would get, without sending anything or counting a hit.
   * Called on the loop; {@code then} is called there too, possibly before this returns.
   *
   * @param executor this loop
   */
  public void explain(Question question, EventExecutor executor, Consumer<Explanation> then) {
    new Explaining(services, admission, hits, executor, question, then).start();
  }

  /** Answers questions of neighbours about stored responses. */
  public Neighbours neighbours() {
    return neighbours;
  }

  private static void release(@Nullable Entry entry) {
    if (entry != null) {
      entry.release();
    }
  }
}
