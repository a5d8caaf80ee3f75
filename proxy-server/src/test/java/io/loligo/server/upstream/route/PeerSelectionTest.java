package io.loligo.server.upstream.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.port.Accel;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortMode;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.RouteSurvey.Reason;
import io.loligo.server.record.RouteSurvey.Unused;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerKind;
import io.loligo.server.upstream.PeerSpread;
import io.loligo.server.upstream.Settings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PeerSelectionTest {
  private static final InetSocketAddress CLIENT = new InetSocketAddress("192.0.2.7", 1234);
  private static final InetSocketAddress LOCAL = new InetSocketAddress("198.51.100.1", 80);
  private static final HttpPort FORWARD = port(PortMode.FORWARD, false);
  private static final HttpPort ACCEL = port(PortMode.ACCEL, false);
  private static final HttpPort ACCEL_DIRECT = port(PortMode.ACCEL, true);

  private final AtomicLong nanos = new AtomicLong();
  private final PeerHealth health = new PeerHealth(nanos::get);
  private final Settings settings = new Settings();
  private final Request request = new Request();

  @Test
  void goesDirectWithoutPeers() {
    Route route = choose(FORWARD, Method.GET);
    assertThat(hosts(route)).containsExactly("origin.example:80");
    assertThat(route.code()).isEqualTo(HierarchyCode.HIER_DIRECT);
  }

  @Test
  void asksTheOriginAtThePinnedAddress() {
    settings.peers = List.of(Settings.parent("a"));
    request.pinned = new InetSocketAddress("192.0.2.1", 8080);
    Route route = choose(FORWARD, Method.GET);
    assertThat(hosts(route)).containsExactly("a.example:3128", "192.0.2.1:8080");
    assertThat(codes(route)).endsWith(HierarchyCode.ORIGINAL_DST);
    request.pinned = new InetSocketAddress("2001:db8::1", 80);
    assertThat(hosts(choose(FORWARD, Method.POST))).containsExactly("2001:db8::1:80");
  }

  @Test
  void aParentThatWantsAHeaderGetsThatOfTheRequest() {
    Peer told =
        Peer.parent("told", "told.example", 3128)
            .proxyProtocol(ProxyHeaderVersion.VERSION_2)
            .tls(TlsOptions.DEFAULT)
            .build();
    settings.peers = List.of(told, Settings.parent("other"));
    List<Hop> hops = choose(FORWARD, Method.GET).hops();
    HopProxyHeader header = new HopProxyHeader(ProxyHeaderVersion.VERSION_2, CLIENT, LOCAL);
    assertThat(hops).extracting(Hop::proxyHeader).containsExactly(header, null, null);
    assertThat(hops.get(0).security().http2()).as("shared by clients").isFalse();
  }

  @Test
  void connectionsForATransparentClientHaveItsAddress() throws Exception {
    InetAddress client = InetAddress.getByName("192.0.2.9");
    Peer shy = Peer.parent("shy", "shy.example", 3128).keepsClientAddress(false).build();
    settings.peers = List.of(Settings.parent("a"), shy);
    request.transparentClient = client;
    assertThat(choose(FORWARD, Method.GET).hops())
        .extracting(Hop::from)
        .containsExactly(client, null, client);
    settings.spoof = AclList.denyAll();
    assertThat(choose(FORWARD, Method.GET).hops())
        .extracting(Hop::from)
        .containsExactly(null, null, null);
    settings.spoof = new Undecided();
    assertThat(choose(FORWARD, Method.GET).needsDestination()).isTrue();
    request.transparentClient = null;
    assertThat(choose(FORWARD, Method.GET).needsDestination()).isFalse();
  }

  @Test
  void noParentGetsARequestWhoseHostIsElsewhere() {
    settings.peers = List.of(Settings.parent("a"));
    request.pinned = new InetSocketAddress("192.0.2.1", 80);
    request.conflicts = true;
    assertThat(hosts(choose(FORWARD, Method.GET))).containsExactly("192.0.2.1:80");
    settings.neverDirect = AclList.allowAll();
    assertThat(choose(FORWARD, Method.GET).code()).isEqualTo(HierarchyCode.NO_DIRECT_FAIL);
  }

  @Test
  void asksTheParentBeforeTheOrigin() {
    settings.peers = List.of(Settings.parent("a"), Settings.parent("b"));
    Route route = choose(FORWARD, Method.GET);
    assertThat(hosts(route))
        .containsExactly("a.example:3128", "b.example:3128", "origin.example:80");
    assertThat(codes(route))
        .containsExactly(
            HierarchyCode.FIRSTUP_PARENT, HierarchyCode.ANY_OLD_PARENT, HierarchyCode.HIER_DIRECT);
  }

  @Test
  void sendsRequestsThatAreNotHierarchicalDirect() {
    settings.peers = List.of(Settings.parent("a"));
    assertThat(hosts(choose(FORWARD, Method.POST))).containsExactly("origin.example:80");
    assertThat(hosts(choose(FORWARD, Method.CONNECT))).containsExactly("origin.example:80");
    request.fields.clear("x".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    request.fields.add(FieldName.AUTHORIZATION, 0, 1, 0, 1);
    assertThat(hosts(choose(FORWARD, Method.GET))).containsExactly("origin.example:80");
  }

  @Test
  void nonhierarchicalDirectOffSendsEverythingToParentsFirst() {
    settings.peers = List.of(Settings.parent("a"));
    settings.nonHierarchicalDirect = false;
    for (int method : List.of(Method.GET, Method.POST, Method.CONNECT)) {
      assertThat(hosts(choose(FORWARD, method)))
          .containsExactly("a.example:3128", "origin.example:80");
    }
  }

  @Test
  void preferDirectLeavesParentsForTheCaseThatTheOriginFails() {
    settings.peers = List.of(Settings.parent("a"));
    settings.preferDirect = true;
    Route route = choose(FORWARD, Method.GET);
    assertThat(hosts(route)).containsExactly("origin.example:80", "a.example:3128");
    assertThat(route.code()).isEqualTo(HierarchyCode.HIER_DIRECT);
    assertThat(hosts(choose(FORWARD, Method.POST))).containsExactly("origin.example:80");
    settings.nonHierarchicalDirect = false;
    assertThat(hosts(choose(FORWARD, Method.POST)))
        .containsExactly("origin.example:80", "a.example:3128");
    settings.neverDirect = AclList.allowAll();
    assertThat(hosts(choose(FORWARD, Method.GET))).containsExactly("a.example:3128");
  }

  @Test
  void neverDirectLeavesParentsOnly() {
    settings.peers = List.of(Settings.parent("a"));
    settings.neverDirect = AclList.allowAll();
    assertThat(hosts(choose(FORWARD, Method.CONNECT))).containsExactly("a.example:3128");
  }

  @Test
  void neverDirectWithoutParentsLeavesNothing() {
    settings.neverDirect = AclList.allowAll();
    Route route = choose(FORWARD, Method.GET);
    assertThat(route.hops()).isEmpty();
    assertThat(route.code()).isEqualTo(HierarchyCode.NO_DIRECT_FAIL);
  }

  @Test
  void alwaysDirectLeavesTheOriginOnly() {
    settings.peers = List.of(Settings.parent("a"));
    settings.alwaysDirect = AclList.allowAll();
    settings.neverDirect = AclList.allowAll();
    assertThat(hosts(choose(FORWARD, Method.GET))).containsExactly("origin.example:80");
  }

  @Test
  void acceleratorsUseTheirServersOnly() {
    settings.peers = List.of(Settings.originServer("web"));
    assertThat(hosts(choose(ACCEL, Method.POST))).containsExactly("web.example:3128");
    assertThat(choose(ACCEL, Method.POST).hops().get(0).form().absolute()).isFalse();
    assertThat(hosts(choose(ACCEL_DIRECT, Method.POST))).containsExactly("origin.example:80");
    settings.peers = List.of();
    assertThat(choose(ACCEL, Method.GET).code()).isEqualTo(HierarchyCode.NO_DIRECT_FAIL);
  }

  @Test
  void tunnelsLeadToNoOriginServerOfAnotherPort() {
    settings.peers = List.of(Settings.originServer("web"));
    settings.neverDirect = AclList.allowAll();
    assertThat(choose(FORWARD, Method.CONNECT).hops()).isEmpty();
    request.port = 3128;
    assertThat(choose(FORWARD, Method.CONNECT).hops()).hasSize(1);
  }

  @Test
  void respectsCachePeerAccess() {
    settings.neverDirect = AclList.allowAll();
    settings.peers = List.of(with(Settings.parent("a"), AclList.denyAll()), Settings.parent("b"));
    assertThat(hosts(choose(FORWARD, Method.GET))).containsExactly("b.example:3128");
  }

  @Test
  void asksForTheDestinationWhereARuleDoes() {
    settings.alwaysDirect = new Undecided();
    assertThat(choose(FORWARD, Method.GET).needsDestination()).isTrue();
    settings.alwaysDirect = AclList.denyAll();
    settings.peers = List.of(with(Settings.parent("a"), new Undecided()));
    assertThat(choose(FORWARD, Method.GET).needsDestination()).isTrue();
  }

  @Test
  void takesTurnsByWeight() {
    settings.neverDirect = AclList.allowAll();
    settings.peers = List.of(Settings.roundRobin("a", 1), Settings.roundRobin("b", 2));
    List<String> first = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Route route = choose(FORWARD, Method.GET);
      assertThat(route.code()).isEqualTo(HierarchyCode.ROUNDROBIN_PARENT);
      assertThat(route.hops()).hasSize(2);
      first.add(route.hops().get(0).peer().name());
    }
    assertThat(first).containsExactly("a", "b", "b", "a", "b", "b");
  }

  @Test
  void aPeerThatWasDownTakesMoreAndMoreOfItsTurns() {
    List<Peer> peers = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      peers.add(
          Peer.parent(name, name + ".example", 3128)
              .spread(PeerSpread.ROUND_ROBIN)
              .connectFailLimit(1)
              .slowStartMillis(10_000)
              .build());
    }
    settings.neverDirect = AclList.allowAll();
    settings.peers = peers;
    assertFirstOf300(100);
    CachePeer a = CachePeers.of(peers.get(0));
    health.failed(a);
    assertFirstOf300(0);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(PeerHealth.REVIVAL_SECONDS));
    assertFirstOf300(10); // on trial
    health.connected(a);
    assertFirstOf300(10);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
    assertFirstOf300(55);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
    assertFirstOf300(100);
    health.connected(a);
    assertFirstOf300(100);
  }

  @Test
  void aPeerWithoutOthersTakesAllTurns() {
    Peer a =
        Peer.parent("a", "a.example", 3128)
            .spread(PeerSpread.ROUND_ROBIN)
            .connectFailLimit(1)
            .slowStartMillis(10_000)
            .build();
    settings.neverDirect = AclList.allowAll();
    settings.peers = List.of(a, Settings.parent("b"));
    health.failed(CachePeers.of(a));
    health.connected(CachePeers.of(a));
    for (int i = 0; i < 20; i++) {
      assertThat(hosts(choose(FORWARD, Method.GET))).startsWith("a.example:3128");
    }
  }

  /** Of 300 requests the first peer gets {@code expected}, and the two others equally many. */
  private void assertFirstOf300(int expected) {
    int[] shares = new int[settings.peers.size()];
    for (int i = 0; i < 300; i++) {
      CachePeer first = choose(FORWARD, Method.GET).hops().get(0).peer();
      for (int j = 0; j < shares.length; j++) {
        shares[j] += settings.peers.get(j).name().equals(first.name()) ? 1 : 0;
      }
    }
    assertThat(shares[0]).isEqualTo(expected);
    int others = (300 - expected) / 2;
    assertThat(shares[1]).isBetween(others - 10, others + 10);
  }

  @Test
  void passesOverTheDeadUntilTheyRevive() {
    Peer a = Settings.peer("a", false, false, 1, null, 3, 0);
    settings.neverDirect = AclList.allowAll();
    settings.peers = List.of(a, Settings.parent("b"));
    health.failed(CachePeers.of(a));
    health.failed(CachePeers.of(a));
    assertThat(hosts(choose(FORWARD, Method.GET))).hasSize(2);
    health.failed(CachePeers.of(a));
    assertThat(hosts(choose(FORWARD, Method.GET))).containsExactly("b.example:3128");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(PeerHealth.REVIVAL_SECONDS));
    assertThat(hosts(choose(FORWARD, Method.GET))).startsWith("a.example:3128");
    health.failed(CachePeers.of(a));
    assertThat(hosts(choose(FORWARD, Method.GET))).containsExactly("b.example:3128");
    health.connected(CachePeers.of(a));
    assertThat(hosts(choose(FORWARD, Method.GET))).startsWith("a.example:3128");
  }

  @Test
  void triesDeadPeersIfNoOtherIsLeft() {
    Peer a = Settings.peer("a", false, false, 1, null, 1, 0);
    settings.neverDirect = AclList.allowAll();
    settings.peers = List.of(a);
    health.failed(CachePeers.of(a));
    Route route = choose(FORWARD, Method.GET);
    assertThat(hosts(route)).containsExactly("a.example:3128");
    assertThat(route.code()).isEqualTo(HierarchyCode.ANY_OLD_PARENT);
  }

  @Test
  void passesOverTheFull() {
    Peer a = Settings.peer("a", false, false, 1, null, 0, 1);
    settings.neverDirect = AclList.allowAll();
    settings.peers = List.of(a, Settings.parent("b"));
    assertThat(health.open(CachePeers.of(a))).isTrue();
    assertThat(health.open(CachePeers.of(a))).isFalse();
    assertThat(hosts(choose(FORWARD, Method.GET))).containsExactly("b.example:3128");
    health.closed(CachePeers.of(a));
    Settings.assertOpen(health, "a", 0);
    assertThat(hosts(choose(FORWARD, Method.GET))).startsWith("a.example:3128");
  }

  @Test
  void saysWhyAParentIsNotAsked() {
    Peer dead = Settings.peer("dead", false, false, 1, null, 1, 0);
    Peer full = Settings.peer("full", false, false, 1, null, 0, 1);
    Peer denied = Peer.parent("denied", "denied.example", 3128).access(AclList.denyAll()).build();
    Peer server = Peer.parent("server", "server.example", 80).originServer(true).build();
    settings.peers = List.of(dead, Settings.parent("b"), full, denied, server);
    health.failed(CachePeers.of(dead));
    assertThat(health.open(CachePeers.of(full))).isTrue();
    assertThat(unused(Method.GET))
        .containsExactly(
            new Unused("dead", Reason.DOWN),
            new Unused("full", Reason.FULL),
            new Unused("denied", Reason.DENIED));
    settings.nonHierarchicalDirect = false;
    request.port = 443;
    assertThat(unused(Method.CONNECT)).contains(new Unused("server", Reason.NO_TUNNEL));
    settings.alwaysDirect = AclList.allowAll();
    assertThat(unused(Method.GET)).contains(new Unused("b", Reason.ORIGIN_ONLY));
  }

  @Test
  void aSiblingGetsOnlyRequestsThatItsAnswerNames() {
    settings.peers = List.of(sibling("s", false), Settings.parent("a"));
    assertThat(hosts(choose(FORWARD, Method.GET)))
        .containsExactly("a.example:3128", "origin.example:80");
    Route route = choose("s", HierarchyCode.SIBLING_HIT);
    assertThat(hosts(route))
        .containsExactly("s.example:3128", "a.example:3128", "origin.example:80");
    assertThat(codes(route))
        .containsExactly(
            HierarchyCode.SIBLING_HIT, HierarchyCode.FIRSTUP_PARENT, HierarchyCode.HIER_DIRECT);
    assertThat(unused(Method.GET)).containsExactly(new Unused("s", Reason.SIBLING));
  }

  @Test
  void aSiblingThatAcceptsNoConnectionsIsPassedOver() {
    Peer dead = sibling("s", false);
    settings.peers = List.of(dead);
    for (int i = 0; i < 10; i++) {
      health.failed(CachePeers.of(dead));
    }
    assertThat(hosts(choose("s", HierarchyCode.SIBLING_HIT))).containsExactly("origin.example:80");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(PeerHealth.REVIVAL_SECONDS));
    assertThat(hosts(choose("s", HierarchyCode.SIBLING_HIT))).startsWith("s.example:3128");
  }

  @Test
  void aSiblingIsToldToAnswerFromItsStore() {
    settings.peers = List.of(sibling("s", false), sibling("m", true));
    Hop sibling = choose("s", HierarchyCode.SIBLING_HIT).hops().get(0);
    assertThat(sibling.form().cacheControl()).isEqualTo("max-age=259200, only-if-cached");
    assertThat(sibling.form().absolute()).isTrue();
    assertThat(List.of(504, 503, 403, 407)).allMatch(sibling::declines);
    assertThat(List.of(200, 304, 404)).noneMatch(sibling::declines);
    Hop allowsMiss = choose("m", HierarchyCode.SIBLING_HIT).hops().get(0);
    assertThat(allowsMiss.form().cacheControl()).isNull();
    request.cacheControl("max-age=5, no-transform");
    assertThat(choose("s", HierarchyCode.SIBLING_HIT).hops().get(0).form().cacheControl())
        .isEqualTo("max-age=5, no-transform, only-if-cached");
  }

  @Test
  void theAgeThatASiblingMayGiveIsThatOfRefreshPattern() {
    settings.refreshPatterns = "refresh_pattern -i ORIGIN 0 20% 60\nrefresh_pattern . 0 0% 1\n";
    settings.peers = List.of(sibling("s", false));
    assertThat(choose("s", HierarchyCode.SIBLING_HIT).hops().get(0).form().cacheControl())
        .isEqualTo("max-age=3600, only-if-cached");
  }

  @Test
  void theParentThatPeersNamedComesFirstAndOnce() {
    settings.peers = List.of(Settings.parent("a"), Settings.parent("b"));
    settings.preferDirect = true;
    Route route = choose("b", HierarchyCode.FIRST_PARENT_MISS);
    assertThat(hosts(route))
        .containsExactly("b.example:3128", "origin.example:80", "a.example:3128");
    assertThat(codes(route)).startsWith(HierarchyCode.FIRST_PARENT_MISS);
    settings.alwaysDirect = AclList.allowAll();
    assertThat(hosts(choose("b", HierarchyCode.PARENT_HIT))).containsExactly("origin.example:80");
  }

  @Test
  void siblingsAreAskedAboutMissesOnly() {
    settings.peers = List.of(sibling("s", false), Settings.parent("a"));
    assertThat(asked(Askable.ALL)).containsExactly("s", "a");
    assertThat(asked(Askable.PARENTS)).containsExactly("a");
    assertThat(asked(Askable.NOBODY)).isEmpty();
    request.cacheControl("no-cache");
    assertThat(asked(Askable.ALL)).containsExactly("a");
  }

  @Test
  void nobodyIsAskedAboutRequestsThatNoPeerGets() {
    settings.peers = List.of(sibling("s", false), with(Settings.parent("a"), AclList.denyAll()));
    assertThat(asked(Askable.ALL)).containsExactly("s");
    settings.alwaysDirect = AclList.allowAll();
    assertThat(asked(Askable.ALL)).isEmpty();
    settings.alwaysDirect = AclList.denyAll();
    request.conflicts = true;
    assertThat(asked(Askable.ALL)).isEmpty();
    request.conflicts = false;
    request.fields.clear("x".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    request.fields.add(FieldName.AUTHORIZATION, 0, 1, 0, 1);
    assertThat(asked(Askable.ALL)).as("not hierarchical").isEmpty();
  }

  @Test
  void queriesDoNotTellTheUrlsOfTunnels() {
    settings.peers = List.of(sibling("s", false));
    request.scheme = "https";
    assertThat(asked(Askable.ALL)).isEmpty();
  }

  private static Peer sibling(String name, boolean allowMiss) {
    return Peer.parent(name, name + ".example", 3128)
        .kind(PeerKind.SIBLING)
        .allowMiss(allowMiss)
        .build();
  }

  private List<String> asked(Askable whom) {
    PeerAsking all =
        new PeerAsking() {
          @Override
          public boolean asks(Peer peer) {
            return true;
          }

          @Override
          public void ask(PeerQuestion question, Consumer<PeerAnswer> then) {
            throw new AssertionError("nobody asks here");
          }
        };
    return new PeerSelection(health, settings.build())
        .askable(request, Method.GET, whom, all).stream().map(Peer::name).toList();
  }

  private Route choose(String answering, HierarchyCode code) {
    return new PeerSelection(health, settings.build())
        .choose(request, FORWARD, Method.GET, new PeerAnswer(answering, code, false));
  }

  private List<Unused> unused(int method) {
    PeerSelection selection = new PeerSelection(health, settings.build());
    return selection.unused(
        request, method, selection.choose(request, FORWARD, method, PeerAnswer.NOBODY).hops());
  }

  @Test
  void aChoiceThatNobodyCarriesOutTakesNoTurn() {
    settings.neverDirect = AclList.allowAll();
    settings.peers =
        List.of(
            Settings.peer("a", false, true, 1, null, 0, 0),
            Settings.peer("b", false, true, 1, null, 0, 0));
    List<String> first = hosts(choose(FORWARD, Method.GET));
    PeerSelection survey = new PeerSelection(new WithoutTurns(health), settings.build());
    for (int i = 0; i < 3; i++) {
      assertThat(survey.choose(request, FORWARD, Method.GET, PeerAnswer.NOBODY).code())
          .isEqualTo(HierarchyCode.ROUNDROBIN_PARENT);
    }
    assertThat(hosts(choose(FORWARD, Method.GET))).isNotEqualTo(first);
  }

  private Route choose(HttpPort port, int method) {
    return new PeerSelection(health, settings.build())
        .choose(request, port, method, PeerAnswer.NOBODY);
  }

  private static List<String> hosts(Route route) {
    return route.hops().stream().map(hop -> hop.host() + ":" + hop.port()).toList();
  }

  private static List<HierarchyCode> codes(Route route) {
    return route.hops().stream().map(Hop::code).toList();
  }

  private static HttpPort port(PortMode mode, boolean allowDirect) {
    Accel accel =
        mode == PortMode.ACCEL ? new Accel(null, true, -1, "http", allowDirect, false) : null;
    return HttpPort.at("", 3128).accel(accel).build();
  }

  private static Peer with(Peer peer, AclList access) {
    return Peer.parent(peer.name(), peer.host(), peer.port()).access(access).build();
  }

  /** A list whose rules ask for the destination. */
  private static final class Undecided implements AclList {
    @Override
    public AclVerdict evaluate(AclInput request) {
      return new AclVerdict(AclVerdict.Kind.NEEDS_DESTINATION, "", "", "");
    }

    @Override
    public AclVerdict evaluate(AclInput request, byte[] destinationAddress) {
      return evaluate(request);
    }

    @Override
    public boolean needsDestination() {
      return true;
    }

    @Override
    public boolean isEmpty() {
      return false;
    }
  }

  private static final class Request implements RoutedRequest {
    private InetSocketAddress pinned;
    private boolean conflicts;
    private InetAddress transparentClient;
    private final Fields fields = new Fields(4);
    private int port = 80;
    private String scheme = "http";

    void cacheControl(String value) {
      byte[] bytes = ("Cache-Control" + value).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      fields.clear(bytes);
      fields.add(FieldName.CACHE_CONTROL, 0, 13, 13, bytes.length);
    }

    @Override
    public HttpPort httpPort() {
      return FORWARD;
    }

    @Override
    public void destinations(List<InetAddress> addresses) {
      throw new AssertionError("nothing is resolved here");
    }

    @Override
    public InetSocketAddress pinned() {
      return pinned;
    }

    @Override
    public boolean hostConflicts() {
      return conflicts;
    }

    @Override
    public AclInput withAliases() {
      return this;
    }

    @Override
    public InetSocketAddress client() {
      return CLIENT;
    }

    @Override
    public InetAddress transparentClient() {
      return transparentClient;
    }

    @Override
    public HopProxyHeader proxyHeader(ProxyHeaderVersion version) {
      return new HopProxyHeader(version, CLIENT, LOCAL);
    }

    @Override
    public byte[] clientAddress() {
      return new byte[4];
    }

    @Override
    public byte[] localAddress() {
      return new byte[4];
    }

    @Override
    public int localPort() {
      return 3128;
    }

    @Override
    public String portName() {
      return "3128";
    }

    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String scheme() {
      return scheme;
    }

    @Override
    public String host() {
      return "origin.example";
    }

    @Override
    public int port() {
      return port;
    }

    @Override
    public String url() {
      return "http://origin.example/";
    }

    @Override
    public String urlPath() {
      return "/";
    }

    @Override
    public Fields requestFields() {
      return fields;
    }

    @Override
    public Fields replyFields() {
      return null;
    }

    @Override
    public int replyStatus() {
      return 0;
    }

    @Override
    public List<byte[]> destinationAddresses() {
      return null;
    }

    @Override
    public int clientConnections() {
      return 1;
    }

    @Override
    public long nowMillis() {
      return 0;
    }
  }
}
