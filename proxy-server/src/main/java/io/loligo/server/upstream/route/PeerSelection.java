package io.loligo.server.upstream.route;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.caching.CacheControl;
import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.caching.RefreshPattern;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.RouteSurvey;
import io.loligo.server.record.RouteSurvey.Reason;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.HopSecurity;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.server.upstream.OutgoingTls;
import io.loligo.server.upstream.OutgoingTlsDirectives;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.PeerKind;
import io.loligo.server.upstream.PeerSpread;
import io.loligo.server.upstream.RequestForm;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Chooses among origin and parents as Squid does, under one configuration. Thread-safe: a pure
 * function, except for the turns of round-robin peers and the health of all peers, which it reads.
 *
 * <ol>
 *   <li>{@code always_direct} allows: the origin, nothing else.
 *   <li>{@code never_direct} allows, or an accelerator port without {@code allow-direct}: parents
 *       only.
 *   <li>Else a request that is hierarchical (GET without credentials, TRACE), or any with {@code
 *       nonhierarchical_direct off}, goes to parents first, then to the origin, with {@code
 *       prefer_direct on} the other way round; any other only to the origin.
 * </ol>
 *
 * <p>A request of an intercepted client may be pinned to the address that the client connected to:
 * the origin is then asked there. If its host does not lead to that address, no parent gets it.
 *
 * <p>Among parents: one by the hash of the client's address, of the user or of the URL ({@link
 * ParentHash}), else one of the round-robin ones by turn and weight, where one that has just come
 * back leaves some of its turns to others, else the first that is up; the others follow in the
 * order of the configuration. Dead parents are skipped unless none is alive. A peer that was asked
 * and has the response, or the parent that is best placed to fetch it, comes before all others; the
 * origin comes before that parent if this proxy is nearer ({@code query_icmp}).
 */
final class PeerSelection {
  private enum Direct {
    YES,
    NO,
    MAYBE,
    UNDECIDED
  }

  /** The age that Squid permits where no refresh_pattern matches. */
  private static final long DEFAULT_MAX_AGE_SECONDS = TimeUnit.DAYS.toSeconds(3);

  /** A cache_peer line, and its peer. */
  private record Candidate(Peer line, CachePeer peer) {}

  /** A group of peers, and the code for the log. */
  private record Hashed(ParentHash hash, HierarchyCode code) {}

  private final HopHealth health;
  private final AclList alwaysDirect;
  private final AclList neverDirect;
  private final AclList spoof;
  private final boolean preferDirect;
  private final boolean nonHierarchicalDirect;
  private final List<Candidate> peers;
  private final OutgoingTls outgoingTls;
  private final boolean originHttp2;
  private final List<Hashed> hashes;
  private final boolean mayAsk;

  /** {@code query_icmp}. */
  private final boolean knowsDistances;

  private final int nearMillis;
  private final List<RefreshPattern> refreshPatterns;

  /** A selection under {@code config} that sees this health. */
  PeerSelection(HopHealth health, ProxyConfig config) {
    this.health = health;
    this.alwaysDirect = config.get(RoutingDirectives.ALWAYS_DIRECT);
    this.neverDirect = config.get(RoutingDirectives.NEVER_DIRECT);
    this.spoof = config.get(RoutingDirectives.SPOOF_CLIENT_IP);
    this.preferDirect = config.get(RoutingDirectives.PREFER_DIRECT);
    this.nonHierarchicalDirect = config.get(RoutingDirectives.NONHIERARCHICAL_DIRECT);
    this.outgoingTls = config.get(OutgoingTlsDirectives.TLS_OUTGOING_OPTIONS);
    this.originHttp2 = config.get(OriginDirectives.ORIGIN_HTTP2);
    this.peers =
        config.get(PeerDirectives.CACHE_PEER).stream()
            .map(line -> new Candidate(line, CachePeers.of(line)))
            .toList();
    this.mayAsk = !peers.isEmpty();
    this.knowsDistances = mayAsk && config.get(RoutingDirectives.QUERY_ICMP);
    this.nearMillis = config.get(RoutingDirectives.MINIMUM_DIRECT_RTT);
    this.refreshPatterns = config.get(CachingDirectives.REFRESH_PATTERN);
    List<Hashed> groups = new ArrayList<>();
    addHash(groups, PeerSpread.SOURCEHASH, HierarchyCode.SOURCEHASH_PARENT);
    addHash(groups, PeerSpread.USERHASH, HierarchyCode.USERHASH_PARENT);
    addHash(groups, PeerSpread.CARP, HierarchyCode.CARP);
    this.hashes = List.copyOf(groups);
  }

  private void addHash(List<Hashed> groups, PeerSpread spread, HierarchyCode code) {
    ParentHash hash =
        ParentHash.of(
            spread,
            peers.stream()
                .map(Candidate::line)
                .filter(line -> line.kind() == PeerKind.PARENT)
                .toList());
    if (hash != null) {
      groups.add(new Hashed(hash, code));
    }
  }

  /**
   * Chooses.
   *
   * @param request the request as rules see it
   * @param port the port that got it
   * @param methodId {@link Method} id
   * @param answer of peers that were asked
   */
  Route choose(RoutedRequest request, HttpPort port, int methodId, PeerAnswer answer) {
    Direct direct = direct(request, port);
    if (direct == Direct.UNDECIDED) {
      return Route.NEEDS_DESTINATION;
    }
    boolean secure = request.scheme().equals("https") && methodId != Method.CONNECT;
    InetAddress from = request.transparentClient();
    if (from != null) {
      AclVerdict keeps = spoof.evaluate(request);
      if (keeps.kind() == AclVerdict.Kind.NEEDS_DESTINATION) {
        return Route.NEEDS_DESTINATION;
      }
      from = keeps.allowed() ? from : null;
    }
    boolean near = direct == Direct.MAYBE && isNear(request, answer);
    Hop origin = origin(request, secure, from, near);
    boolean forParents = !nonHierarchicalDirect || hierarchical(request, methodId);
    boolean originOnly = direct == Direct.MAYBE && (peers.isEmpty() || !forParents);
    boolean reachable = !secure || outgoingTls.enabled();
    if (request.hostConflicts() && direct == Direct.NO) {
      return Route.NOWHERE;
    }
    if (direct == Direct.YES || originOnly || request.hostConflicts()) {
      return Route.of(reachable ? List.of(origin) : List.of());
    }
    List<Candidate> usable = new ArrayList<>(peers.size());
    for (Candidate peer : peers) {
      AclVerdict verdict = mayBeUsed(peer.line(), request, methodId);
      if (verdict != null && verdict.kind() == AclVerdict.Kind.NEEDS_DESTINATION) {
        return Route.NEEDS_DESTINATION;
      }
      if (verdict != null && verdict.allowed()) {
        usable.add(peer);
      }
    }
    Candidate first = answering(usable, answer);
    boolean originFirst = preferDirect || near;
    usable.removeIf(each -> each.equals(first) || !isParent(each, request));
    List<Hop> hops = parents(usable, request, from);
    if (direct == Direct.MAYBE && reachable) {
      hops.add(originFirst ? 0 : hops.size(), origin);
    }
    if (first != null) {
      boolean second = near && hops.contains(origin);
      hops.add(second ? 1 : 0, hop(first, answer.code(), request, from));
    }
    return Route.of(hops);
  }

  /**
   * Whether the origin gets {@code request} before parents, because it is near: within {@code
   * minimum_direct_rtt}, or as near to this proxy as to the nearest parent.
   */
  private boolean isNear(RoutedRequest request, PeerAnswer answer) {
    if (!knowsDistances || request.pinned() != null) {
      return false;
    }
    HierarchyCode code = answer.code();
    boolean lacking = code == HierarchyCode.HIER_NONE || isMiss(code);
    int own = lacking ? health.originMillis(request.host()) : 0;
    return own > 0 && (own <= nearMillis || own <= answer.distanceMillis());
  }

  private static boolean isMiss(HierarchyCode code) {
    return code == HierarchyCode.CLOSEST_PARENT_MISS || code == HierarchyCode.FIRST_PARENT_MISS;
  }

  private static boolean isParent(Candidate peer, RoutedRequest request) {
    return peer.line().kind(request.host()) == PeerKind.PARENT;
  }

  /** The peer that {@code answer} names, if it can be used now; else null. */
  private @Nullable Candidate answering(List<Candidate> usable, PeerAnswer answer) {
    for (Candidate each : usable) {
      // it may answer queries, and accept no connections
      if (each.peer().name().equals(answer.peer())
          && health.alive(each.peer())
          && health.hasRoom(each.peer())) {
        return each;
      }
    }
    return null;
  }

  /**
   * The peers of which one may have the response to {@code request}, in the order of their lines.
   * Empty too while a rule needs the destination's addresses.
   */
  List<Peer> askable(RoutedRequest request, int methodId, Askable whom, PeerAsking asking) {
    if (!mayAsk || whom == Askable.NOBODY || methodId != Method.GET || request.hostConflicts()) {
      return List.of();
    }
    if (!request.mayBeTold()) {
      return List.of();
    }
    Direct direct = direct(request, request.httpPort());
    boolean hierarchical = hierarchical(request, methodId);
    if (direct == Direct.YES
        || direct == Direct.UNDECIDED
        || (direct == Direct.MAYBE && (!hierarchical || isNear(request, PeerAnswer.NOBODY)))) {
      return List.of();
    }
    boolean siblings =
        whom == Askable.ALL
            && hierarchical
            && !CacheControl.ofRequest(request.requestFields()).has(CacheControl.NO_CACHE);
    List<Peer> asked = new ArrayList<>();
    for (Candidate each : peers) {
      Peer line = each.line();
      if ((isParent(each, request) || siblings) && asking.asks(line)) {
        AclVerdict verdict = mayBeUsed(line, request, methodId);
        if (verdict != null && verdict.kind() == AclVerdict.Kind.NEEDS_DESTINATION) {
          return List.of();
        }
        if (verdict != null && verdict.allowed() && health.hasRoom(each.peer())) {
          asked.add(line);
        }
      }
    }
    return asked;
  }

  /** The peers that are not among {@code hops}, and why. The destination's addresses are known. */
  List<RouteSurvey.Unused> unused(RoutedRequest request, int methodId, List<Hop> hops) {
    List<RouteSurvey.Unused> unused = new ArrayList<>();
    for (Candidate each : peers) {
      if (hops.stream().noneMatch(hop -> each.peer().equals(hop.peer()))) {
        unused.add(new RouteSurvey.Unused(each.peer().name(), reason(each, request, methodId)));
      }
    }
    return unused;
  }

  private Reason reason(Candidate candidate, RoutedRequest request, int methodId) {
    if (!isParent(candidate, request)) {
      return Reason.SIBLING;
    }
    AclVerdict verdict = mayBeUsed(candidate.line(), request, methodId);
    if (verdict == null) {
      return Reason.NO_TUNNEL;
    }
    if (!verdict.allowed()) {
      return Reason.DENIED;
    }
    if (!health.alive(candidate.peer())) {
      return Reason.DOWN;
    }
    return health.hasRoom(candidate.peer()) ? Reason.ORIGIN_ONLY : Reason.FULL;
  }

  private Hop origin(
      RoutedRequest request, boolean secure, @Nullable InetAddress from, boolean near) {
    HopSecurity security =
        secure ? new HopSecurity(request.host(), outgoingTls.options(), originHttp2) : null;
    InetSocketAddress pinned = request.pinned();
    RequestForm form = RequestForm.DIRECT.with(request);
    return pinned == null
        ? new Hop.Direct(
            request.host(),
            request.port(),
            near ? HierarchyCode.CLOSEST_DIRECT : HierarchyCode.HIER_DIRECT,
            security,
            from,
            form)
        : new Hop.Direct(
            NetUtil.toAddressString(pinned.getAddress()),
            pinned.getPort(),
            HierarchyCode.ORIGINAL_DST,
            security,
            from,
            form);
  }

  private Direct direct(AclInput request, HttpPort port) {
    AclVerdict always = alwaysDirect.evaluate(request);
    if (always.kind() == AclVerdict.Kind.NEEDS_DESTINATION) {
      return Direct.UNDECIDED;
    }
    if (always.allowed()) {
      return Direct.YES;
    }
    AclVerdict never = neverDirect.evaluate(request);
    if (never.kind() == AclVerdict.Kind.NEEDS_DESTINATION) {
      return Direct.UNDECIDED;
    }
    boolean accelerated = port.accel() != null && !port.accel().allowDirect();
    return never.allowed() || accelerated ? Direct.NO : Direct.MAYBE;
  }

  private static boolean hierarchical(AclInput request, int methodId) {
    return methodId == Method.TRACE
        || (methodId == Method.GET && !request.requestFields().has(FieldName.AUTHORIZATION));
  }

  /** The verdict of the peer's rules; null if it may not be used regardless of them. */
  private static @Nullable AclVerdict mayBeUsed(Peer peer, AclInput request, int methodId) {
    // a tunnel is not a request for an origin server, unless it leads to that very port
    if (peer.originServer() && methodId == Method.CONNECT && request.port() != peer.port()) {
      return null;
    }
    return peer.access().evaluate(request);
  }

  private List<Hop> parents(
      List<Candidate> usable, RoutedRequest request, @Nullable InetAddress from) {
    List<Candidate> candidates = new ArrayList<>(usable.size());
    for (Candidate each : usable) {
      if (health.alive(each.peer()) && health.hasRoom(each.peer())) {
        candidates.add(each);
      }
    }
    List<Hop> hops = new ArrayList<>(usable.size() + 1);
    if (candidates.isEmpty()) {
      lastResort(usable, request, from, hops);
      return hops;
    }
    HierarchyCode code = HierarchyCode.ROUNDROBIN_PARENT;
    Candidate first = null;
    for (int i = 0; i < hashes.size() && first == null; i++) {
      first = byHash(hashes.get(i).hash, candidates, request);
      code = first == null ? code : hashes.get(i).code;
    }
    if (first == null) {
      first = byTurn(candidates, PeerSpread.ROUND_ROBIN);
    }
    if (first == null) {
      first = byTurn(candidates, PeerSpread.WEIGHTED_ROUND_ROBIN);
    }
    if (first == null) {
      first = candidates.get(0);
      code = HierarchyCode.FIRSTUP_PARENT;
    }
    hops.add(parent(first, code, request, from));
    for (Candidate each : candidates) {
      if (!each.peer().name().equals(first.peer().name())) {
        hops.add(parent(each, HierarchyCode.ANY_OLD_PARENT, request, from));
      }
    }
    return hops;
  }

  private static @Nullable Candidate byHash(
      ParentHash hash, List<Candidate> candidates, RoutedRequest request) {
    Peer chosen =
        hash.choose(request, peer -> candidates.stream().anyMatch(each -> each.line() == peer));
    for (Candidate each : candidates) {
      if (each.line() == chosen) {
        return each;
      }
    }
    return null;
  }

  private @Nullable Candidate byTurn(List<Candidate> candidates, PeerSpread spread) {
    long number = -1;
    List<Candidate> left = candidates;
    Candidate first = null;
    while (true) {
      long weights = weights(left, spread);
      if (weights == 0) {
        return first;
      }
      // a turn that is not taken goes to others, and does not move theirs
      number = number < 0 ? health.nextTurn() & Long.MAX_VALUE : number;
      Candidate next = at(number % weights, left, spread);
      first = first == null ? next : first;
      if (health.takesTurn(next.peer())) {
        return next;
      }
      left = left.stream().filter(each -> !each.equals(next)).toList();
    }
  }

  private static long weights(List<Candidate> candidates, PeerSpread spread) {
    long weights = 0;
    for (Candidate each : candidates) {
      weights += weight(each.line(), spread);
    }
    return weights;
  }

  /** The one whose turn {@code place} is, 0 or more, less than all their weights. */
  private static Candidate at(long place, List<Candidate> candidates, PeerSpread spread) {
    long turn = place;
    for (Candidate each : candidates) {
      turn -= weight(each.line(), spread);
      if (turn < 0) {
        return each;
      }
    }
    throw new AssertionError(turn);
  }

  /** The number of its turns. */
  private static int weight(Peer peer, PeerSpread spread) {
    if (!peer.spreads().contains(spread)) {
      return 0;
    }
    return spread == PeerSpread.ROUND_ROBIN ? Math.max(1, peer.weight()) : 1;
  }

  /** All of them look dead or full: a try is better than a refusal. */
  private static void lastResort(
      List<Candidate> usable, RoutedRequest request, @Nullable InetAddress from, List<Hop> hops) {
    for (Candidate each : usable) {
      boolean isDefault = each.line().isDefault();
      hops.add(
          parent(
              each,
              isDefault ? HierarchyCode.DEFAULT_PARENT : HierarchyCode.ANY_OLD_PARENT,
              request,
              from));
    }
  }

  private Hop hop(
      Candidate peer, HierarchyCode code, RoutedRequest request, @Nullable InetAddress from) {
    if (peer.line().kind(request.host()) != PeerKind.SIBLING) {
      return parent(peer, code, request, from);
    }
    RequestForm form = peer.peer().form().with(request);
    return new Hop.Sibling(
        peer.peer(),
        code,
        proxyHeader(peer, request),
        peer.line().keepsClientAddress() ? from : null,
        peer.line().allowMiss() ? form : form.withCacheControl(onlyIfCached(request)));
  }

  /**
   * The Cache-Control of {@code request} for a sibling: without a max-age of the client, Squid
   * sends the limit of the first {@code refresh_pattern} that matches.
   */
  private String onlyIfCached(RoutedRequest request) {
    Fields fields = request.requestFields();
    String given = fields.joined("Cache-Control");
    StringBuilder value = new StringBuilder(given == null ? "" : given);
    if (CacheControl.ofRequest(fields).maxAgeSeconds() == CacheControl.ABSENT) {
      value.append(value.length() == 0 ? "" : ", ").append("max-age=").append(maxAge(request));
    }
    return value.append(", only-if-cached").toString();
  }

  private long maxAge(RoutedRequest request) {
    String url = request.url();
    for (RefreshPattern pattern : refreshPatterns) {
      if (pattern.regex().matcher(url).find()) {
        return TimeUnit.MINUTES.toSeconds(pattern.maxMinutes());
      }
    }
    return DEFAULT_MAX_AGE_SECONDS;
  }

  private static @Nullable HopProxyHeader proxyHeader(Candidate peer, RoutedRequest request) {
    ProxyHeaderVersion version = peer.peer().proxyProtocol();
    return version == null ? null : request.proxyHeader(version);
  }

  private static Hop parent(
      Candidate peer, HierarchyCode code, RoutedRequest request, @Nullable InetAddress from) {
    return new Hop.Parent(
        peer.peer(),
        code,
        proxyHeader(peer, request),
        peer.line().keepsClientAddress() ? from : null,
        peer.peer().form().with(request));
  }
}
