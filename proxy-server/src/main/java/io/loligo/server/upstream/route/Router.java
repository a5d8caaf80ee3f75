package io.loligo.server.upstream.route;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.record.RouteSurvey;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.own.OwnObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Chooses the hops of requests under one configuration. Confined to an event loop.
 *
 * <p>{@link PeerSelection} names the hops; the destination is resolved first if a rule tests its
 * addresses; {@code http_access} excludes some hops.
 */
public final class Router {
  /** Told the choice: one call, perhaps before {@link #route} returns. */
  public interface Listener {
    /** The hops, in order of preference, not empty. */
    void routed(List<Hop> hops);

    /** The request must not be sent to any hop. */
    void unroutable(FetchFailure failure);
  }

  private final PeerSelection peers;
  private final PeerSelection surveyed;
  private final PeerAsking asking;
  private final Upstream upstream;
  private final AclList access;

  /**
   * A router under {@code config}.
   *
   * @param asking asks peers
   * @param upstream resolves destinations
   * @param access {@code http_access}
   */
  public Router(
      HopHealth health, PeerAsking asking, Upstream upstream, ProxyConfig config, AclList access) {
    this.asking = asking;
    this.peers = new PeerSelection(health, config);
    this.surveyed = new PeerSelection(new WithoutTurns(health), config);
    this.upstream = upstream;
    this.access = access;
  }

  /**
   * Chooses the hops of {@code request}: at once, unless a rule tests addresses of the destination
   * that have to be resolved first.
   */
  public void route(RoutedRequest request, int methodId, Listener listener) {
    route(request, methodId, Askable.NOBODY, listener);
  }

  /**
   * The same, after peers were asked which of them has the response.
   *
   * @param whom the peers that may be asked
   */
  public void route(RoutedRequest request, int methodId, Askable whom, Listener listener) {
    if (request.host().equals(OwnObjects.HOST)) {
      listener.routed(request.isFromNode() ? OwnObjects.OWN_REQUEST_HOPS : OwnObjects.HOPS);
      return;
    }
    if (ask(request, methodId, whom, listener)) {
      return;
    }
    Route route = peers.choose(request, request.httpPort(), methodId, PeerAnswer.NOBODY);
    if (!route.needsDestination()) {
      tell(route, request, listener);
      return;
    }
    upstream.resolve(
        request.host(),
        addresses -> {
          request.destinations(addresses);
          if (!ask(request, methodId, whom, listener)) {
            choose(request, methodId, PeerAnswer.NOBODY, listener);
          }
        });
  }

  /** Asks peers, and then chooses; false: there is nobody to ask. */
  private boolean ask(RoutedRequest request, int methodId, Askable whom, Listener listener) {
    List<Peer> asked = peers.askable(request, methodId, whom, asking);
    if (asked.isEmpty()) {
      return false;
    }
    asking.ask(
        new PeerQuestion(request.url(), request.host(), request.requestFields(), asked),
        answer -> {
          if (answer.timedOut()) {
            request.peersTimedOut();
          }
          choose(request, methodId, answer, listener);
        });
    return true;
  }

  private void choose(RoutedRequest request, int methodId, PeerAnswer answer, Listener listener) {
    tell(peers.choose(request, request.httpPort(), methodId, answer), request, listener);
  }

  /**
   * Tells what {@link #route} would choose now, and changes nothing: no turn is taken. The first of
   * parents that take turns may be another one then. Objects of the proxy itself have no hops.
   *
   * @param then one call, perhaps before this method returns
   */
  public void survey(RoutedRequest request, int methodId, Consumer<RouteSurvey> then) {
    if (request.host().equals(OwnObjects.HOST)) {
      then.accept(RouteSurvey.NOWHERE);
      return;
    }
    Route route = surveyed.choose(request, request.httpPort(), methodId, PeerAnswer.NOBODY);
    if (!route.needsDestination()) {
      then.accept(survey(route, request, methodId));
      return;
    }
    upstream.resolve(
        request.host(),
        addresses -> {
          request.destinations(addresses);
          Route resolved =
              surveyed.choose(request, request.httpPort(), methodId, PeerAnswer.NOBODY);
          then.accept(survey(resolved, request, methodId));
        });
  }

  private RouteSurvey survey(Route route, RoutedRequest request, int methodId) {
    List<Hop> hops = permitted(request, route.hops());
    List<RouteSurvey.Asked> asked = new ArrayList<>();
    for (Hop hop : hops) {
      CachePeer peer = hop.peer();
      asked.add(new RouteSurvey.Asked(peer == null ? null : peer.name(), hop.code()));
    }
    List<RouteSurvey.Unused> unused = new ArrayList<>();
    for (Hop hop : route.hops()) {
      CachePeer peer = hop.peer();
      if (peer != null && !hops.contains(hop)) {
        unused.add(new RouteSurvey.Unused(peer.name(), RouteSurvey.Reason.ADDRESS_DENIED));
      }
    }
    unused.addAll(surveyed.unused(request, methodId, route.hops()));
    return new RouteSurvey(asked, unused, hops.isEmpty() ? failure(request).detail() : null);
  }

  private void tell(Route route, RoutedRequest request, Listener listener) {
    List<Hop> hops = permitted(request, route.hops());
    if (hops.isEmpty()) {
      listener.unroutable(failure(request));
    } else {
      listener.routed(hops);
    }
  }

  /**
   * The hops of {@code hops} that the rules permit: a parent chooses among the addresses itself.
   */
  private List<Hop> permitted(RoutedRequest request, List<Hop> hops) {
    return access.needsDestination()
            && !request.isSentElsewhere()
            && !onAllAddresses(request).allowed()
        ? hops.stream().filter(hop -> hop.peer() == null).toList()
        : hops;
  }

  /**
   * The verdict of http_access if the destination may be any of its addresses, or any to which they
   * lead: as in Squid, {@code dst} matches if one of them does.
   */
  private AclVerdict onAllAddresses(RoutedRequest request) {
    AclVerdict verdict = access.evaluate(request);
    return verdict.allowed() ? access.evaluate(request.withAliases()) : verdict;
  }

  private FetchFailure failure(RoutedRequest request) {
    AclVerdict verdict = onAllAddresses(request);
    if (!verdict.allowed()) {
      return new FetchFailure(
          FetchFailure.Kind.ADDRESS_DENIED, verdict.rule() + " (" + verdict.source() + ")");
    }
    String detail =
        request.scheme().equals("https")
            ? "no usable parent, and the origin is excluded by never_direct, the port or"
                + " tls_outgoing_options"
            : "never_direct and no usable parent";
    return new FetchFailure(FetchFailure.Kind.NO_ROUTE, detail);
  }
}
