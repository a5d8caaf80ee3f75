package io.loligo.server.exchange.admission;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclType;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.Acls;
import io.loligo.core.acl.LoginState;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.message.Authority;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.WebSocketHandshake;
import io.loligo.server.adapt.Adaptations;
import io.loligo.server.adapt.ServiceGroup;
import io.loligo.server.exchange.adapt.ServiceChoice;
import io.loligo.server.exchange.admission.Verdict.Adapt;
import io.loligo.server.exchange.admission.Verdict.AnswerHere;
import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.admission.Verdict.WaitFor;
import io.loligo.server.exchange.login.LoginStep;
import io.loligo.server.exchange.request.ManagerTarget;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.DestinationRules;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.FetchSettings;
import io.loligo.server.exchange.settings.programs.ExternalAclTypes;
import io.loligo.server.exchange.settings.programs.RewriteSettings;
import io.loligo.server.exchange.settings.programs.StoreIdSettings;
import io.loligo.server.hook.AccessHook;
import io.loligo.server.hook.HookFailure;
import io.loligo.server.hook.HookedRequest;
import io.loligo.server.hook.Hooks;
import io.loligo.server.login.Logins;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.RequestLogin;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortMode;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.RequestId;
import io.loligo.server.record.Shed;
import io.loligo.server.record.Stage;
import io.loligo.server.shaping.RequestRate;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The steps that a request passes before the store lookup, in their order. The first verdict other
 * than {@link Verdict#PROCEED} ends them. A step that does nothing under a configuration is left
 * out: each is a call through an interface. Confined to the event loop.
 *
 * <pre>
 *   client        follow_x_forwarded_for
 *   destination   intercepted: Host and address agree  403, 409, or waits for DNS
 *   login         the user, for http_access            (access asks 401, 407, or waits)
 *   access        http_access                          401, 403, 407, 503, or waits for DNS
 *   laterFacts    for further lists: login, client,    waits for them
 *                 helpers
 *   rates         loligo_request_rate                  429
 *   trafficClass  clientside_tos, mark_client_packet
 *   manager       /squid-internal-mgr/                 a manager page, 401, 403, 404 or 405
 *   adapt         adaptation_access                    an adaptation, or waits
 *   rewrite       url_rewrite_program                  30x, 500, or waits for the helper
 *   adaptedAccess adapted_http_access                  403, or waits for DNS
 *   missAccess    CONNECT: miss_access                 403, or waits for DNS
 *   tunnel        CONNECT                              405, or a tunnel
 *   maxForwards   OPTIONS and TRACE, Max-Forwards 0    200
 *   forwardLoop   the proxy's own Via                  508
 *   scheme        a URL that the port does not serve   501
 *   storeId       store_id_program                   waits for DNS or the helper; PURGE 500
 *   purge         PURGE                                403, or a purge
 *   contentSize   request_body_max_size                413
 *   webSocket     http_upgrade_request_protocols       403 over HTTP/2
 * </pre>
 */
public final class Admission {
  /** Matches no rule. */
  private static final String NOT_LOOKED_UP = "";

  private static final AclVerdict HOOK_ALLOWS =
      new AclVerdict(AclVerdict.Kind.ALLOWED, "access rule", "application", "");

  private static final AclVerdict HOOK_DENIES =
      new AclVerdict(AclVerdict.Kind.DENIED, "access rule", "application", "");

  /** One step: a function of the request. */
  private interface Step {
    Verdict check(Request request);
  }

  private final LoopServices services;
  private final Verdict waitForNames = new WaitFor(Stage.ACL, this::resolve);
  private final Verdict waitForName = new WaitFor(Stage.ACL, this::findName);
  private final Verdict waitForLogin = new WaitFor(Stage.LOGIN, this::logIn);

  /** Whether rules or helpers annotate the connections of clients. */
  private final boolean annotatesClients;

  private final boolean asksForUserLater;

  /** Null: http_access alone decides. */
  private final @Nullable AccessHook accessHook;

  private final ClientLookUp clients;
  private final RealClient realClient;
  private final @Nullable LoginStep logins;
  private final @Nullable ExternalAcls externals;
  private final @Nullable UrlRewriting rewriting;
  private final ManagerAccess managerAccess;
  private final @Nullable RequestRates rates;
  private final @Nullable StoreIds storeIds;
  private final Step[] steps;

  /** Creates the steps of the loop that {@code services} belong to. */
  public Admission(LoopServices services) {
    this.services = services;
    accessHook = services.hooks.access();
    Acls acls = services.settings.config().get(FileDirectives.ACL);
    asksForUserLater = acls.asksForUserLater();
    clients = new ClientLookUp(services);
    realClient = new RealClient(services.settings.realClient);
    Logins checked = services.settings.logins;
    logins = checked == null ? null : new LoginStep(checked, services.timer.loop());
    ExternalAclTypes types = services.settings.externals;
    externals = types.types().isEmpty() ? null : new ExternalAcls(services, types);
    RewriteSettings rewriter = services.settings.rewriting;
    rewriting = rewriter == null ? null : new UrlRewriting(services, rewriter, waitForNames);
    StoreIdSettings named = services.settings.storeIds;
    storeIds = named == null ? null : new StoreIds(services, named, waitForNames);
    List<RequestRate> limits = services.settings.requestRates;
    rates = limits.isEmpty() ? null : new RequestRates(limits, services.clock);
    managerAccess = new ManagerAccess(services);
    annotatesClients =
        externals != null || rewriting != null || acls.names(AclType.ANNOTATE_CLIENT);
    steps = steps();
  }

  /** The steps of the table, without those that do nothing under this configuration. */
  private Step[] steps() {
    ExchangeSettings settings = services.settings;
    FetchSettings fetches = settings.fetches;
    boolean findsClients = !settings.requestIdTrust.isEmpty() || realClient.isWanted();
    boolean needsFactsLater = asksForUserLater || clients.isAskedLater() || externals != null;
    boolean changesRequests = services.adaptations != null || rewriting != null;
    List<Step> steps = new ArrayList<>();
    addIf(annotatesClients || findsClients, this::client, steps);
    addIf(logins != null, this::user, steps);
    steps.add(new HostVerification(services, waitForNames, this::access)::check);
    steps.add(this::access);
    addIf(needsFactsLater, this::laterFacts, steps);
    addIf(rates != null, this::rates, steps);
    addIf(fetches.classifiesClients() || fetches.marksClients(), this::trafficClass, steps);
    steps.add(this::manager);
    addIf(services.adaptations != null, this::adapt, steps);
    addIf(rewriting != null, this::rewrite, steps);
    addIf(
        changesRequests || !settings.access.adaptedHttpAccess.isEmpty(),
        this::adaptedAccess,
        steps);
    addIf(!settings.access.missAccess.isEmpty(), this::missAccess, steps);
    steps.add(this::tunnel);
    steps.add(this::maxForwards);
    steps.add(this::forwardLoop);
    steps.add(this::scheme);
    addIf(storeIds != null, this::storeId, steps);
    steps.add(this::purge);
    addIf(settings.access.requestBodyMaxBytes >= 0, this::contentSize, steps);
    steps.add(this::webSocket);
    return steps.toArray(Step[]::new);
  }

  private static void addIf(boolean needed, Step step, List<Step> to) {
    if (needed) {
      to.add(step);
    }
  }

  /**
   * Runs the steps, beginning with {@link Request#nextStep}. After a {@link WaitFor} verdict, the
   * caller calls this again once the party has answered.
   *
   * @param request borrowed
   */
  public Verdict check(Request request) {
    for (int i = request.nextStep(); i < steps.length; i++) {
      Verdict verdict = steps[i].check(request);
      if (verdict != Verdict.PROCEED) {
        request.nextStep(i);
        return verdict;
      }
    }
    request.nextStep(steps.length);
    return Verdict.PROCEED;
  }

  private Verdict client(Request request) {
    if (externals != null) {
      request.helperAnswers().externals(externals);
    }
    if (annotatesClients) {
      request.takeClientNotes();
    }
    takeId(request);
    realClient.find(request);
    return Verdict.PROCEED;
  }

  /** The list tests the address of the connection: the indirect client is not known yet. */
  private void takeId(Request request) {
    AclList trust = services.settings.requestIdTrust;
    if (trust.isEmpty()) {
      return;
    }
    Fields fields = request.head().fields();
    int field = fields.first(FieldName.X_REQUEST_ID);
    if (field >= 0
        && fields.next(FieldName.X_REQUEST_ID, field + 1) < 0
        && RequestId.isAcceptable(fields.bytes(), fields.valueStart(field), fields.valueEnd(field))
        && trust.evaluate(request).allowed()) {
      request.record().givenId = fields.value(field);
    }
  }

  private Verdict user(Request request) {
    if (logins != null) {
      logins.find(request);
    }
    return Verdict.PROCEED;
  }

  private Verdict access(Request request) {
    DestinationRules rules = services.destinations;
    forgetUnasked(request);
    AclVerdict hooked = null;
    if (accessHook != null) {
      try {
        hooked = hooked(accessHook, request);
      } catch (HookFailure e) {
        return new Denied(
            Refusal.of(500, "ERR_INTERNAL", "The proxy has failed.").because(e.toString()));
      }
    }
    AclVerdict verdict = hooked == null ? rules.access(request) : hooked;
    // each turn adds a fact, so there are three at most
    while (true) {
      if (verdict.kind() == AclVerdict.Kind.NEEDS_NAME) {
        if (!takesKnownName(request)) {
          return waitForName;
        }
      } else if (request.destinationAddresses() == null
          && rules.needsDestination(verdict, request)) {
        List<InetAddress> known = services.upstream.resolved(request.host());
        if (known == null) {
          return waitForNames;
        }
        request.destinations(known);
      } else {
        break;
      }
      verdict = hooked == null ? rules.access(request) : hooked;
    }
    ExchangeRecord record = request.record();
    record.lap(Stage.ACL, services.clock.nanos());
    record.rule = verdict;
    if (verdict.allowed()) {
      sealName(request);
      return Verdict.PROCEED;
    }
    if (verdict.kind() == AclVerdict.Kind.NEEDS_LOGIN && unavailable(request) == null) {
      return waitForLogin;
    }
    if (verdict.kind() == AclVerdict.Kind.NEEDS_HELPER && externals != null) {
      return externals.waitFor(request);
    }
    if (verdict.kind() == AclVerdict.Kind.NEEDS_CLIENT) {
      return clients.waitForClient;
    }
    if (request.head().methodId() != Method.CONNECT) {
      services.keys.seal(request); // operators see the last decisions about a URL, found by its key
    }
    return new Denied(refusal(request, verdict));
  }

  /** The verdict of the application; null: the lines of http_access decide. */
  private static @Nullable AclVerdict hooked(AccessHook hook, Request request) {
    Boolean allows =
        Hooks.allows(hook, new HookedRequest(request.head(), request.target(), request.client()));
    return allows == null ? null : allows ? HOOK_ALLOWS : HOOK_DENIES;
  }

  private void forgetUnasked(Request request) {
    if (externals != null) {
      request.helperAnswers().forgetUnasked();
    }
  }

  private static @Nullable Unavailable unavailable(Request request) {
    RequestLogin login = request.foundLogin();
    return login == null ? null : login.whyUnavailable();
  }

  private Refusal refusal(Request request, AclVerdict verdict) {
    String rule = Refusal.rule(verdict);
    return switch (verdict.kind()) {
      case NEEDS_LOGIN -> unchecked(rule, unavailable(request));
      case CHALLENGE -> challenge(request, rule);
      default ->
          mayLogIn(request) && services.destinations.endsWithUser(request)
              ? challenge(request, rule)
              : Refusal.denied(verdict);
    };
  }

  private static Refusal unchecked(String rule, @Nullable Unavailable why) {
    assert why != null : "else it waits";
    Shed shed = why.failures() ? Shed.LOGIN_FAILURES : Shed.LOGINS;
    return Refusal.overload(shed).because(rule + ": " + why.why());
  }

  /** A client in a decrypted tunnel has logged in outside of it, if at all. */
  private boolean mayLogIn(Request request) {
    return logins != null && request.foundLogin() != null && request.destination() == null;
  }

  private Refusal challenge(Request request, String rule) {
    assert logins != null : "a rule has asked";
    return logins.challenge(request).because(rule);
  }

  private void logIn(Request request, Consumer<Runnable> then) {
    assert logins != null : "a rule has asked";
    logins.ask(request, then);
  }

  /** Asked after the steps that change a request. */
  private Verdict adaptedAccess(Request request) {
    AclList rules = services.settings.access.adaptedHttpAccess;
    if (rules.isEmpty()) {
      sealName(request);
      return Verdict.PROCEED;
    }
    forgetUnasked(request);
    AclVerdict verdict = rules.evaluate(request);
    if (verdict.kind() == AclVerdict.Kind.NEEDS_NAME) {
      if (!takesKnownName(request)) {
        return waitForName;
      }
      verdict = rules.evaluate(request);
    }
    sealName(request);
    if (verdict.kind() == AclVerdict.Kind.NEEDS_DESTINATION) {
      if (!takesKnownAddresses(request)) {
        return waitForNames;
      }
      verdict = rules.evaluate(request);
    }
    if (verdict.kind() == AclVerdict.Kind.NEEDS_CLIENT) {
      return clients.waitForClient;
    }
    if (verdict.kind() == AclVerdict.Kind.NEEDS_LOGIN && unavailable(request) == null) {
      return waitForLogin;
    }
    if (verdict.kind() == AclVerdict.Kind.NEEDS_HELPER && externals != null) {
      return externals.waitFor(request);
    }
    return verdict.allowed() ? Verdict.PROCEED : new Denied(adaptedRefusal(request, verdict));
  }

  private Refusal adaptedRefusal(Request request, AclVerdict verdict) {
    boolean asks = verdict.kind() == AclVerdict.Kind.CHALLENGE;
    return asks || verdict.kind() == AclVerdict.Kind.NEEDS_LOGIN
        ? refusal(request, verdict)
        : Refusal.denied(verdict);
  }

  /** Other requests are asked when they turn out to be misses. */
  private Verdict missAccess(Request request) {
    AclList rules = services.settings.access.missAccess;
    if (rules.isEmpty() || request.head().methodId() != Method.CONNECT) {
      return Verdict.PROCEED;
    }
    if (rules.evaluate(request).kind() == AclVerdict.Kind.NEEDS_DESTINATION
        && !takesKnownAddresses(request)) {
      return waitForNames;
    }
    Refusal refusal = services.caching.missRefusal(request);
    return refusal == null ? Verdict.PROCEED : new Denied(refusal);
  }

  /** Gives rules the addresses of the destination if they are known without a wait. */
  private boolean takesKnownAddresses(Request request) {
    List<InetAddress> known = services.upstream.resolved(request.host());
    if (known != null) {
      request.destinations(known);
    }
    return known != null;
  }

  private void resolve(Request request, Consumer<Runnable> then) {
    services.upstream.resolve(
        request.host(), addresses -> then.accept(() -> request.destinations(addresses)));
  }

  private Verdict rates(Request request) {
    return rates == null ? Verdict.PROCEED : rates.check(request);
  }

  /** Lists that are evaluated later do not wait: the facts that they ask for are found now. */
  private Verdict laterFacts(Request request) {
    boolean unchecked = asksForUserLater && request.login() == LoginState.UNCHECKED;
    if (unchecked && unavailable(request) == null) {
      return waitForLogin;
    }
    if (clients.isOwed(request)) {
      return clients.waitForClient;
    }
    return externals == null ? Verdict.PROCEED : externals.askLater(request);
  }

  private Verdict trafficClass(Request request) {
    FetchSettings fetches = services.settings.fetches;
    if (fetches.classifiesClients() && request.isOfClient()) {
      Integer value = fetches.clientClass(request);
      if (value != null) {
        request.stream().trafficClass(value);
      }
    }
    if (fetches.marksClients() && request.isOfClient()) {
      Integer value = fetches.clientMark(request);
      if (value != null) {
        request.stream().packetMark(value);
      }
    }
    return Verdict.PROCEED;
  }

  /** Before the steps that show requests to services and programs: it may have a password. */
  private Verdict manager(Request request) {
    if (!ManagerTarget.isFor(request)) {
      return Verdict.PROCEED;
    }
    Verdict adapted = adaptedAccess(request);
    return adapted == Verdict.PROCEED ? managerAccess.check(request) : adapted;
  }

  /** Gives rules the name of the destination if it is known without a wait. */
  private boolean takesKnownName(Request request) {
    String name =
        services.settings.access.looksUpNames
            ? services.upstream.knownName(request.host())
            : NOT_LOOKED_UP;
    if (name != null) {
      request.destinationName(name);
    }
    return name != null;
  }

  /** Later rules look up no name. */
  private static void sealName(Request request) {
    if (request.destinationName() == null) {
      request.destinationName(AclInput.NO_NAME);
    }
  }

  private void findName(Request request, Consumer<Runnable> then) {
    services.upstream.findName(
        request.host(), name -> then.accept(() -> request.destinationName(name)));
  }

  private Verdict adapt(Request request) {
    Adaptations adaptations = services.adaptations;
    if (adaptations == null
        || request.isAdapted()
        || !request.isOfClient()
        || contentSize(request) != Verdict.PROCEED) {
      return Verdict.PROCEED;
    }
    return new AdaptationChoice(adaptations, request).verdict();
  }

  /** The choice of a service for one request. */
  private final class AdaptationChoice implements ServiceChoice.Undecided {
    private final Adaptations adaptations;
    private final Request request;
    private @Nullable Verdict wait;

    AdaptationChoice(Adaptations adaptations, Request request) {
      this.adaptations = adaptations;
      this.request = request;
    }

    Verdict verdict() {
      forgetUnasked(request);
      ServiceGroup group = ServiceChoice.of(adaptations, request, /* responses= */ false, this);
      if (wait != null) {
        return wait;
      }
      return group == null ? Verdict.PROCEED : new Adapt(group);
    }

    @Override
    public boolean allows(AclVerdict verdict) {
      wait =
          switch (verdict.kind()) {
            case NEEDS_DESTINATION -> request.destinationAddresses() == null ? waitForNames : null;
            case NEEDS_NAME -> request.destinationName() == null ? waitForName : null;
            case NEEDS_LOGIN -> unavailable(request) == null ? waitForLogin : null;
            case NEEDS_HELPER -> externals == null ? null : externals.waitFor(request);
            default -> null;
          };
      return true; // what nobody can decide is adapted
    }
  }

  private Verdict rewrite(Request request) {
    return rewriting == null ? Verdict.PROCEED : rewriting.check(request);
  }

  private Verdict tunnel(Request request) {
    if (request.head().methodId() != Method.CONNECT) {
      return Verdict.PROCEED;
    }
    return !opensTunnels(request)
        ? new Denied(
            Refusal.ofMethod(
                "This port does not open tunnels.",
                "GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH"))
        : AnswerHere.TUNNEL;
  }

  private static boolean opensTunnels(Request request) {
    return request.impliesConnect()
        || (request.httpPort().mode() == PortMode.FORWARD && request.destination() == null);
  }

  private Verdict maxForwards(Request request) {
    return MaxForwards.endsHere(request.head()) ? AnswerHere.MAX_FORWARDS : Verdict.PROCEED;
  }

  private Verdict forwardLoop(Request request) {
    return hasBeenHere(request.head().fields())
        ? new Denied(
            Refusal.of(
                508, "ERR_FORWARDING_LOOP", "This request has already passed through this proxy."))
        : Verdict.PROCEED;
  }

  private boolean hasBeenHere(Fields fields) {
    if (!fields.has(FieldName.VIA)) {
      return false;
    }
    for (int i = fields.first(FieldName.VIA); i >= 0; i = fields.next(FieldName.VIA, i + 1)) {
      if (fields.value(i).contains(services.settings.viaMark())) {
        return true;
      }
    }
    return false;
  }

  private Verdict scheme(Request request) {
    String scheme = request.target().scheme();
    return serves(request, scheme)
        ? Verdict.PROCEED
        : new Denied(
            Refusal.of(
                501,
                "ERR_UNSUP_REQ",
                "Requests for " + scheme + " URLs are not supported by this port."));
  }

  /**
   * Whether the port of {@code request} serves URLs of {@code scheme}. An accelerator port serves
   * only the scheme of its {@code protocol=}, and an intercepted or decrypted connection only its
   * own: the origin does not learn the scheme, so its response would be stored under the wrong one.
   * A rewriter may choose either.
   */
  private static boolean serves(Request request, String scheme) {
    if (request.rewritten() != null && Authority.defaultPort(scheme) > 0) {
      return true;
    }
    Destination destination = request.destination();
    if (destination != null) {
      return scheme.equals(destination.scheme());
    }
    HttpPort port = request.httpPort();
    return scheme.equals(port.scheme())
        || (port.mode() == PortMode.FORWARD && scheme.equals("https"));
  }

  private Verdict storeId(Request request) {
    return storeIds == null ? Verdict.PROCEED : storeIds.check(request);
  }

  private Verdict purge(Request request) {
    if (request.head().methodId() != Method.PURGE) {
      return Verdict.PROCEED;
    }
    return services.settings.access.purgeEnabled
        ? AnswerHere.PURGE
        : new Denied(Refusal.denied("PURGE is enabled by an acl that names method PURGE"));
  }

  private Verdict contentSize(Request request) {
    long limit = services.settings.access.requestBodyMaxBytes;
    return limit >= 0 && request.contentLength() > limit
        ? new Denied(Refusal.ofContent(limit))
        : Verdict.PROCEED;
  }

  /** Over HTTP/1.1 a request that may not switch becomes an ordinary one; a CONNECT cannot. */
  private Verdict webSocket(Request request) {
    return WebSocketHandshake.isOurs(request.head()) && services.caching.upgrade(request) == null
        ? new Denied(Refusal.denied("http_upgrade_request_protocols"))
        : Verdict.PROCEED;
  }
}
