package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.loligo.core.acl.AclInput;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.caching.RefreshPattern;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.LimitDirectives;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.accesslog.LogSettings;
import io.loligo.server.accesslog.LogTarget;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.ProcessDirectives;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.exchange.settings.FetchDirectives;
import io.loligo.server.exchange.settings.ForwardedFor;
import io.loligo.server.exchange.settings.HitDirectives;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.exchange.settings.StoredSetCookie;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.Interception;
import io.loligo.server.port.KeepAlive;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortMode;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.PeerKind;
import io.loligo.server.upstream.PeerSpread;
import io.loligo.server.upstream.names.NameDirectives;
import io.loligo.server.upstream.route.RoutingDirectives;
import io.loligo.server.wire.acl.SampleRequest;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.MemorySettings;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each directive of the core set reaches its place. */
class ProxyConfigTest {
  private static ProxyConfig load(String lines) {
    ConfigResult result = TextSource.load("http_port 3128\n" + lines);
    assertThat(result.errors()).isEmpty();
    return result.config();
  }

  @Test
  void defaultsAreThoseOfTheTable() {
    ProxyConfig config = load("");
    assertThat(config.get(MemoryDirectives.CACHE_MEM)).isEqualTo(256 << 20);
    assertThat(MemorySettings.of(config).maxObjectInMemoryBytes()).isEqualTo(512 << 10);
    assertThat(config.get(MemoryDirectives.READ_AHEAD_GAP)).isEqualTo(64 << 10);
    assertThat(config.get(MemoryDirectives.STREAM_BUFFER_SIZE)).isEqualTo(64 << 10);
    assertThat(config.get(OriginDirectives.CONNECT_TIMEOUT)).isEqualTo(60_000);
    assertThat(config.get(ClientDirectives.CLIENT_LIFETIME)).isEqualTo(86_400_000);
    assertThat(config.get(OriginDirectives.SERVER_IDLE_PCONN_TIMEOUT)).isEqualTo(60_000);
    assertThat(config.get(ClientDirectives.CLIENT_IDLE_PCONN_TIMEOUT)).isEqualTo(120_000);
    assertThat(config.get(LimitDirectives.REQUEST_HEADER_MAX_SIZE)).isEqualTo(65_536);
    assertThat(config.get(AccessDirectives.REQUEST_BODY_MAX_SIZE)).isEqualTo(-1);
    assertThat(config.get(AccessDirectives.REPLY_BODY_MAX_SIZE).isForAll(-1)).isTrue();
    assertThat(new CacheSettings(config, DiskSettings.largestMaxSize(config)).maxObjectBytes)
        .isEqualTo(4 << 20);
    assertThat(config.get(CachingDirectives.MINIMUM_EXPIRY_TIME)).isZero();
    assertThat(config.get(CachingDirectives.MAX_STALE)).isEqualTo(604_800);
    assertThat(config.get(IdentityDirectives.VIA)).isTrue();
    assertThat(config.get(IdentityDirectives.FORWARDED_FOR)).isEqualTo(ForwardedFor.ON);
    assertThat(config.get(FetchDirectives.COLLAPSED_FORWARDING)).isTrue();
    assertThat(config.get(IdentityDirectives.VISIBLE_HOSTNAME)).isEqualTo("proxy.test");
    assertThat(config.get(FetchDirectives.RANGE_OFFSET_LIMIT).isForAll(0)).isTrue();
    assertThat(config.get(FetchDirectives.QUICK_ABORT_MIN)).isEqualTo(16_384);
    assertThat(config.get(FetchDirectives.QUICK_ABORT_PCT)).isEqualTo(95);
    assertThat(config.get(NameDirectives.DNS_NAMESERVERS)).isEmpty();
    assertThat(config.get(AdminDirectives.ADMIN_PORT).address()).isEqualTo("127.0.0.1");
    assertThat(config.get(AdminDirectives.ADMIN_PORT).port()).isEqualTo(3129);
    assertThat(config.get(AdminDirectives.ADMIN_SECRET)).isNull();
    assertThat(config.get(TransportDirectives.EVENT_LOOPS)).isZero();
    assertThat(config.get(ProcessDirectives.PID_FILENAME)).isNull();
    assertThat(config.get(LogDirectives.ACCESS_LOG))
        .extracting(LogTarget::place, LogTarget::format)
        .containsExactly(tuple("./var/log/access.log", "squid"));
    assertThat(config.get(LogDirectives.STRIP_QUERY_TERMS)).isTrue();
    assertThat(config.get(AccessDirectives.HTTP_ACCESS).isEmpty()).isTrue();
    assertThat(
            config
                .get(AccessDirectives.HTTP_ACCESS)
                .evaluate(SampleRequest.get("example.com").input())
                .denied())
        .isTrue();
    assertThat(
            config
                .get(AccessDirectives.CACHE)
                .evaluate(SampleRequest.get("example.com").input())
                .allowed())
        .isTrue();
    assertThat(
            config
                .get(RoutingDirectives.ALWAYS_DIRECT)
                .evaluate(SampleRequest.get("example.com").input())
                .denied())
        .isTrue();
    assertThat(
            config
                .get(RoutingDirectives.NEVER_DIRECT)
                .evaluate(SampleRequest.get("example.com").input())
                .denied())
        .isTrue();
    assertThat(config.get(FileDirectives.ACL).namesPurge()).isFalse();
    assertThat(
            config
                .get(AccessDirectives.UPGRADES)
                .of("WebSocket")
                .evaluate(SampleRequest.get("example.com").input())
                .allowed())
        .isTrue();
    assertThat(
            config
                .get(AccessDirectives.UPGRADES)
                .of("h2c")
                .evaluate(SampleRequest.get("example.com").input())
                .allowed())
        .isFalse();
  }

  @Test
  void portsHaveModesAndOptions() {
    ProxyConfig config =
        load(
            "http_port [::1]:80 accel defaultsite=a.test no-vhost vport=81 protocol=https"
                + " name=front allow-direct ignore-cc tcpkeepalive=30,5,10\n"
                + "http_port 8080 accel vhost tcpkeepalive=off\n");
    HttpPort first = config.get(PortDirectives.HTTP_PORT).get(1);
    assertThat(first.address()).isEqualTo("::1");
    assertThat(first.port()).isEqualTo(80);
    assertThat(first.mode()).isEqualTo(PortMode.ACCEL);
    assertThat(first.accel().defaultSite()).isEqualTo("a.test");
    assertThat(first.accel().vhost()).isFalse();
    assertThat(first.accel().vport()).isEqualTo(81);
    assertThat(first.accel().protocol()).isEqualTo("https");
    assertThat(first.name()).isEqualTo("front");
    assertThat(first.accel().allowDirect()).isTrue();
    assertThat(first.accel().ignoreCc()).isTrue();
    assertThat(first.keepAlive()).isEqualTo(new KeepAlive(true, 30, 5, 10));
    assertThat(first.keepAlive().probes()).isEqualTo(2);
    assertThat(first.source()).isEqualTo("squid.conf:2");
    HttpPort second = config.get(PortDirectives.HTTP_PORT).get(2);
    assertThat(second.accel().vhost()).isTrue();
    assertThat(second.accel().vport()).isEqualTo(-1);
    assertThat(second.keepAlive()).isEqualTo(KeepAlive.OFF);
    assertThat(config.get(PortDirectives.HTTP_PORT).get(0).keepAlive()).isEqualTo(KeepAlive.SYSTEM);
    assertThat(config.get(PortDirectives.HTTP_PORT).get(0).mode()).isEqualTo(PortMode.FORWARD);
  }

  @ParameterizedTest
  @CsvSource({"intercept,NAT", "transparent,NAT", "tproxy,TPROXY"})
  void portsMayIntercept(String option, Interception expected) {
    HttpPort port = load("http_port 8080 " + option).get(PortDirectives.HTTP_PORT).get(1);
    assertThat(port.interception()).isEqualTo(expected);
    assertThat(port.mode()).isEqualTo(PortMode.INTERCEPT);
    assertThat(port.scheme()).isEqualTo("http");
  }

  @Test
  void portsWithoutNameHaveThatOfTheirLine() {
    ProxyConfig config =
        load("http_port 8080\nhttp_port 127.0.0.1:8081 accel\nhttp_port [::1]:8082\n");
    assertThat(config.get(PortDirectives.HTTP_PORT).stream().map(HttpPort::name))
        .containsExactly("3128", "8080", "127.0.0.1:8081", "[::1]:8082");
  }

  @Test
  void peersHaveOptionsAndRules() {
    ProxyConfig config =
        load(
            "acl get method GET\n"
                + "cache_peer 10.0.0.1 parent 8080 0 no-query originserver name=o round-robin"
                + " weight=3 login=PASS forceddomain=x.test connect-timeout=7"
                + " connect-fail-limit=2 max-conn=9 default\n"
                + "cache_peer_access o allow !get\n"
                + "cache_peer sib sibling 80 3130\n");
    assertThat(config.get(PeerDirectives.CACHE_PEER))
        .extracting(Peer::kind)
        .containsExactly(PeerKind.PARENT, PeerKind.SIBLING);
    Peer peer = config.get(PeerDirectives.CACHE_PEER).get(0);
    assertThat(peer.name()).isEqualTo("o");
    assertThat(peer.host()).isEqualTo("10.0.0.1");
    assertThat(peer.port()).isEqualTo(8080);
    assertThat(peer.originServer()).isTrue();
    assertThat(peer.isDefault()).isTrue();
    assertThat(peer.spreads()).containsExactly(PeerSpread.ROUND_ROBIN);
    assertThat(peer.weight()).isEqualTo(3);
    assertThat(peer.login()).isEqualTo("PASS");
    assertThat(peer.forcedDomain()).isEqualTo("x.test");
    assertThat(peer.connectTimeoutMillis()).isEqualTo(7_000);
    assertThat(peer.connectFailLimit()).isEqualTo(2);
    assertThat(peer.maxConnections()).isEqualTo(9);
    assertThat(peer.access().evaluate(SampleRequest.get("example.com").input()).denied()).isTrue();
    assertThat(
            peer.access()
                .evaluate(SampleRequest.get("example.com").method("POST").input())
                .allowed())
        .isTrue();
  }

  /** Squid knows them with a number only. */
  @ParameterizedTest
  @ValueSource(
      strings = {"max-conn", "max-conn = 500", "weight", "connect-timeout", "connect-fail-limit"})
  void anOptionOfAPeerWithoutItsNumberIsIgnored(String words) {
    String peer = "http_port 3128\ncache_peer 10.0.0.1 parent 80 0 no-query name=p";
    ConfigResult result = TextSource.load(peer + " " + words + "\n");
    assertThat(result.warnings()).hasSize(words.split(" ", -1).length);
    assertThat(result.warnings().get(0).text()).endsWith("ignored, as in Squid");
    assertThat(result.config().get(PeerDirectives.CACHE_PEER))
        .usingRecursiveComparison()
        .ignoringFields("access")
        .isEqualTo(TextSource.load(peer + "\n").config().get(PeerDirectives.CACHE_PEER));
    assertThat(TextSource.load(peer + " max-conn=x\n").errors()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "login=PASS, true",
    "login=PASSTHRU, true",
    "login=*:secret, true",
    "login=u:secret, false",
    "login=PASSEPARTOUT:secret, false",
    "originserver login=PASS, false",
    "originserver login=*:secret, true"
  })
  void saysWhereClientsCannotLogInForAPeer(String options, boolean said) {
    String lines = "http_port 3128\ncache_peer 10.0.0.1 parent 80 0 no-query " + options + "\n";
    String warnings = TextSource.load(lines).warnings().toString();
    assertThat(warnings.contains("they have to log in here")).isEqualTo(said);
    assertThat(warnings).doesNotContain("secret");
    String users = "auth_param basic program /x/basic_ncsa_auth /users\n";
    TextSource file = new TextSource().with("/users", "bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=");
    assertThat(Features.reader(file).readText("squid.conf", lines + users).problems()).isEmpty();
  }

  @Test
  void withoutCacheDirThereIsMemoryOnly() {
    for (String lines : List.of("", "cache_dir null /tmp\n")) {
      assertThat(DiskSettings.of(load(lines)))
          .as("memory only, with the same defaults")
          .usingRecursiveComparison()
          .isEqualTo(DiskSettings.NONE);
    }
  }

  @Test
  void cacheDirsHaveSizesAndOptions() {
    DiskSettings disk =
        DiskSettings.of(
            load(
                """
                cache_dir aufs /var/spool/squid 100 16 256 min-size=10 max-size=2000000
                maximum_object_size 1 MB
                minimum_object_size 1 KB
                cache_dir rock ./rock 3000000 no-store swap-timeout=300
                store_avg_object_size 8 KB
                loligo_disk_threads 2
                loligo_disk_write_queue 64 MB
                """));
    assertThat(disk.dirs())
        .containsExactly(
            new CacheDir(
                "aufs", "/var/spool/squid", 100 << 20, 10, 2_000_000, false, "squid.conf:2"),
            new CacheDir("rock", "./rock", 3_000_000L << 20, 1024, 1 << 20, true, "squid.conf:5"));
    assertThat(disk.meanObjectBytes()).isEqualTo(8 << 10);
    assertThat(disk.threads()).isEqualTo(2);
    assertThat(disk.writeQueueBytes()).isEqualTo(64 << 20);
    assertThat(disk.loadTimeoutMillis()).isEqualTo(300);
  }

  @Test
  void theLongestSwapTimeoutHolds() {
    assertThat(DiskSettings.of(load("cache_dir rock /a 1\n")).loadTimeoutMillis()).isEqualTo(2_000);
    String two = "cache_dir rock /a 1 swap-timeout=10\ncache_dir rock /b 1 swap-timeout=";
    assertThat(DiskSettings.of(load(two + "20\n")).loadTimeoutMillis()).isEqualTo(20);
    assertThat(DiskSettings.of(load(two + "0\n")).loadTimeoutMillis()).isZero();
  }

  @Test
  void maximumObjectSizeHoldsUnlessADirectorySaysMore() {
    ProxyConfig small =
        load("maximum_object_size 1 KB\ncache_dir rock /a 1 max-size=512\ncache_dir rock /b 1\n");
    assertThat(new CacheSettings(small, DiskSettings.largestMaxSize(small)).maxObjectBytes)
        .isEqualTo(1024);
    assertThat(MemorySettings.of(small).maxObjectInMemoryBytes()).isEqualTo(1024);
    assertThat(DiskSettings.of(small).dirs())
        .extracting(CacheDir::maxObjectBytes)
        .containsExactly(512L, 1024L);
    ProxyConfig large = load("cache_dir rock /a 1 max-size=9000000\n");
    assertThat(new CacheSettings(large, DiskSettings.largestMaxSize(large)).maxObjectBytes)
        .isEqualTo(9_000_000);
    ProxyConfig any = load("cache_dir rock /a 1 max-size=-1\n");
    assertThat(new CacheSettings(any, DiskSettings.largestMaxSize(any)).maxObjectBytes)
        .isEqualTo(Long.MAX_VALUE);
    assertThat(DiskSettings.of(any).dirs().get(0).maxObjectBytes()).isEqualTo(-1);
    ProxyConfig none = load("maximum_object_size none\ncache_dir rock /a 1\n");
    assertThat(DiskSettings.of(none).dirs().get(0).maxObjectBytes()).isEqualTo(-1);
  }

  @Test
  void refreshPatternsKeepTheirOrderAndOptions() {
    RefreshPattern pattern =
        load("refresh_pattern -i \\.DEB$ 60 200% 1440 reload-into-ims max-stale=5\n")
            .get(CachingDirectives.REFRESH_PATTERN)
            .get(0);
    assertThat(pattern.regex().matcher("http://h/a.deb").find()).isTrue();
    assertThat(pattern.minMinutes()).isEqualTo(60);
    assertThat(pattern.percent()).isEqualTo(200);
    assertThat(pattern.maxMinutes()).isEqualTo(1440);
    assertThat(pattern.options()).containsExactly(RefreshPattern.Option.RELOAD_INTO_IMS);
    assertThat(pattern.maxStaleSeconds()).isEqualTo(5);
    assertThat(pattern.source()).isEqualTo("squid.conf:2");
  }

  @Test
  void accessLogsReadOldAndNewForms() {
    ProxyConfig config =
        load(
            """
            acl get method GET
            logformat mine %ts "%ru" # literal
            access_log none CONNECT
            access_log /a mine !get
            access_log daemon:/b get
            access_log stdio:/c on-error=drop logformat=combined get
            access_log none
            access_log /never
            """);
    assertThat(config.get(LogDirectives.ACCESS_LOG))
        .extracting(LogTarget::module, LogTarget::place, LogTarget::format, LogTarget::source)
        .containsExactly(
            tuple("none", "", "", "squid.conf:4"),
            tuple("stdio", "/a", "mine", "squid.conf:5"),
            tuple("daemon", "/b", "squid", "squid.conf:6"),
            tuple("stdio", "/c", "combined", "squid.conf:7"));
    assertThat(config.get(LogDirectives.LOGFORMAT)).containsEntry("mine", "%ts \"%ru\" # literal");
    AclInput get = SampleRequest.get("example.com").input();
    assertThat(config.get(LogDirectives.ACCESS_LOG).get(1).access().evaluate(get).allowed())
        .isFalse();
    assertThat(config.get(LogDirectives.ACCESS_LOG).get(2).access().evaluate(get).allowed())
        .isTrue();
    assertThat(load("access_log none\n").get(LogDirectives.ACCESS_LOG)).isEmpty();
  }

  @Test
  void quotesOfLogformatAreTextUnlessTheyJoin() {
    String lines =
        "logformat csv \"%>a\",\"%ru\"\nlogformat all \"%rm \\\"%ru\\\"\"\n"
            + "configuration_includes_quoted_values on\nlogformat joined \"%rm %ru\"\n";
    assertThat(load(lines).get(LogDirectives.LOGFORMAT))
        .containsEntry("csv", "\"%>a\",\"%ru\"")
        .containsEntry("all", "\"%rm \\\"%ru\\\"\"")
        .containsEntry("joined", "%rm %ru");
  }

  @Test
  void adminPortGivesWayToPortsOfTheFile() {
    ProxyConfig config = load("http_port 3129\nhttp_port 3130\n");
    assertThat(config.get(AdminDirectives.ADMIN_PORT).port()).isEqualTo(3131);
    ProxyConfig given = load("http_port 3129\nloligo_admin_port 9\n");
    assertThat(given.get(AdminDirectives.ADMIN_PORT).port()).isEqualTo(9);
  }

  @Test
  void singleValuesReachTheirPlaces() {
    ProxyConfig config =
        load(
            """
            forwarded_for truncate
            visible_hostname px
            workers 3
            pid_filename /run/x.pid
            cache_log /l/c.log
            maximum_object_size none
            range_offset_limit none
            quick_abort_min -1 KB
            request_body_max_size 1 MB
            reply_body_max_size 2 MB all
            dns_nameservers 9.9.9.9 ::1
            client_persistent_connections off
            loligo_admin_port off
            loligo_log_overflow block
            loligo_stored_set_cookie replay
            loligo_max_uri_length 1 KB
            http_upgrade_request_protocols foo/1 allow all
            acl p method PURGE
            """);
    assertThat(config.get(IdentityDirectives.FORWARDED_FOR)).isEqualTo(ForwardedFor.TRUNCATE);
    assertThat(config.get(IdentityDirectives.VISIBLE_HOSTNAME)).isEqualTo("px");
    assertThat(TransportDirectives.loops(config)).isEqualTo(3);
    assertThat(config.get(ProcessDirectives.PID_FILENAME)).isEqualTo("/run/x.pid");
    assertThat(config.source(ProcessDirectives.PID_FILENAME)).isEqualTo("squid.conf:5");
    assertThat(config.source(ProcessDirectives.CACHE_LOG)).isEqualTo("squid.conf:6");
    assertThat(new CacheSettings(config, DiskSettings.largestMaxSize(config)).maxObjectBytes)
        .isEqualTo(Long.MAX_VALUE);
    assertThat(config.get(FetchDirectives.RANGE_OFFSET_LIMIT).isForAll(-1)).isTrue();
    assertThat(config.get(FetchDirectives.QUICK_ABORT_MIN)).isEqualTo(-1);
    assertThat(config.get(AccessDirectives.REQUEST_BODY_MAX_SIZE)).isEqualTo(1 << 20);
    assertThat(config.get(AccessDirectives.REPLY_BODY_MAX_SIZE).isForAll(2 << 20)).isTrue();
    assertThat(config.get(LimitDirectives.MAX_URI_LENGTH)).isEqualTo(1024);
    assertThat(config.get(NameDirectives.DNS_NAMESERVERS)).containsExactly("9.9.9.9", "::1");
    assertThat(config.get(ClientDirectives.CLIENT_PERSISTENT_CONNECTIONS)).isFalse();
    assertThat(config.get(AdminDirectives.ADMIN_PORT)).isNull();
    assertThat(new LogSettings(config).blockWhenFull).isTrue();
    assertThat(config.get(HitDirectives.STORED_SET_COOKIE)).isEqualTo(StoredSetCookie.REPLAY);
    assertThat(
            config
                .get(AccessDirectives.UPGRADES)
                .of("Foo/1")
                .evaluate(SampleRequest.get("example.com").input())
                .allowed())
        .isTrue();
    assertThat(
            config
                .get(AccessDirectives.UPGRADES)
                .of("Foo")
                .evaluate(SampleRequest.get("example.com").input())
                .denied())
        .isTrue();
    assertThat(
            config
                .get(AccessDirectives.UPGRADES)
                .of("websocket")
                .evaluate(SampleRequest.get("example.com").input())
                .denied())
        .isTrue();
    assertThat(config.get(FileDirectives.ACL).namesPurge()).isTrue();
  }
}
