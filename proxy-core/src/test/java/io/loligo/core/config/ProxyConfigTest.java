package io.loligo.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.loligo.core.acl.FakeRequest;
import io.loligo.core.caching.RefreshPattern;
import io.loligo.core.config.ProxyConfig.ForwardedFor;
import io.loligo.core.config.ProxyConfig.KeepAlive;
import io.loligo.core.config.ProxyConfig.PortMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    assertThat(config.memory().cacheBytes()).isEqualTo(256 << 20);
    assertThat(config.memory().maxObjectInMemoryBytes()).isEqualTo(512 << 10);
    assertThat(config.memory().readAheadGapBytes()).isEqualTo(64 << 10);
    assertThat(config.memory().streamBufferBytes()).isEqualTo(64 << 10);
    assertThat(config.timeouts().connect()).isEqualTo(60_000);
    assertThat(config.timeouts().clientLifetime()).isEqualTo(86_400_000);
    assertThat(config.timeouts().serverIdle()).isEqualTo(60_000);
    assertThat(config.timeouts().clientIdle()).isEqualTo(120_000);
    assertThat(config.limits().request().maxHeadBytes()).isEqualTo(65_536);
    assertThat(config.limits().requestBodyMaxBytes()).isEqualTo(-1);
    assertThat(config.limits().replyBodyMax().isForAll(-1)).isTrue();
    assertThat(config.caching().maxObjectBytes()).isEqualTo(4 << 20);
    assertThat(config.caching().minimumExpirySeconds()).isZero();
    assertThat(config.caching().maxStaleSeconds()).isEqualTo(604_800);
    assertThat(config.forwarding().via()).isTrue();
    assertThat(config.forwarding().forwardedFor()).isEqualTo(ForwardedFor.ON);
    assertThat(config.forwarding().collapsedForwarding()).isTrue();
    assertThat(config.forwarding().visibleHostname()).isEqualTo("proxy.test");
    assertThat(config.forwarding().rangeOffsetLimit().isForAll(0)).isTrue();
    assertThat(config.forwarding().quickAbortMinBytes()).isEqualTo(16_384);
    assertThat(config.forwarding().quickAbortPercent()).isEqualTo(95);
    assertThat(config.dns().nameservers()).isEmpty();
    assertThat(config.admin().address()).isEqualTo("127.0.0.1");
    assertThat(config.admin().port()).isEqualTo(3129);
    assertThat(config.admin().secret()).isNull();
    assertThat(config.workers().eventLoops()).isZero();
    assertThat(config.workers().pidFile()).isNull();
    assertThat(config.logging().accessLogs())
        .extracting(ProxyConfig.AccessLog::place, ProxyConfig.AccessLog::format)
        .containsExactly(tuple("./var/log/access.log", "squid"));
    assertThat(config.logging().stripQueryTerms()).isTrue();
    assertThat(config.access().httpAccess().isEmpty()).isTrue();
    assertThat(config.access().httpAccess().evaluate(new FakeRequest()).denied()).isTrue();
    assertThat(config.access().cache().evaluate(new FakeRequest()).allowed()).isTrue();
    assertThat(config.access().alwaysDirect().evaluate(new FakeRequest()).denied()).isTrue();
    assertThat(config.access().neverDirect().evaluate(new FakeRequest()).denied()).isTrue();
    assertThat(config.access().purgeEnabled()).isFalse();
    assertThat(config.access().upgrade("WebSocket").evaluate(new FakeRequest()).allowed()).isTrue();
    assertThat(config.access().upgrade("h2c").evaluate(new FakeRequest()).allowed()).isFalse();
  }

  @Test
  void portsHaveModesAndOptions() {
    ProxyConfig config =
        load(
            "http_port [::1]:80 accel defaultsite=a.test no-vhost vport=81 protocol=https"
                + " name=front allow-direct ignore-cc tcpkeepalive=30,5,10\n"
                + "http_port 8080 accel vhost tcpkeepalive=off\n");
    ProxyConfig.HttpPort first = config.ports().get(1);
    assertThat(first.address()).isEqualTo("::1");
    assertThat(first.port()).isEqualTo(80);
    assertThat(first.mode()).isEqualTo(PortMode.ACCEL);
    assertThat(first.defaultSite()).isEqualTo("a.test");
    assertThat(first.vhost()).isFalse();
    assertThat(first.vport()).isEqualTo(81);
    assertThat(first.protocol()).isEqualTo("https");
    assertThat(first.name()).isEqualTo("front");
    assertThat(first.allowDirect()).isTrue();
    assertThat(first.ignoreCc()).isTrue();
    assertThat(first.keepAlive()).isEqualTo(new KeepAlive(true, 30, 5, 10));
    assertThat(first.keepAlive().probes()).isEqualTo(2);
    assertThat(first.source()).isEqualTo("squid.conf:2");
    ProxyConfig.HttpPort second = config.ports().get(2);
    assertThat(second.vhost()).isTrue();
    assertThat(second.vport()).isEqualTo(-1);
    assertThat(second.keepAlive()).isEqualTo(KeepAlive.OFF);
    assertThat(config.ports().get(0).keepAlive()).isEqualTo(KeepAlive.SYSTEM);
    assertThat(config.ports().get(0).mode()).isEqualTo(PortMode.FORWARD);
  }

  @Test
  void portsWithoutNameHaveThatOfTheirLine() {
    ProxyConfig config =
        load("http_port 8080\nhttp_port 127.0.0.1:8081 accel\nhttp_port [::1]:8082\n");
    assertThat(config.ports().stream().map(ProxyConfig.HttpPort::name))
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
    assertThat(config.forwarding().peers()).hasSize(1);
    ProxyConfig.Peer peer = config.forwarding().peers().get(0);
    assertThat(peer.name()).isEqualTo("o");
    assertThat(peer.host()).isEqualTo("10.0.0.1");
    assertThat(peer.port()).isEqualTo(8080);
    assertThat(peer.originServer()).isTrue();
    assertThat(peer.isDefault()).isTrue();
    assertThat(peer.roundRobin()).isTrue();
    assertThat(peer.weight()).isEqualTo(3);
    assertThat(peer.login()).isEqualTo("PASS");
    assertThat(peer.forcedDomain()).isEqualTo("x.test");
    assertThat(peer.connectTimeoutMillis()).isEqualTo(7_000);
    assertThat(peer.connectFailLimit()).isEqualTo(2);
    assertThat(peer.maxConnections()).isEqualTo(9);
    assertThat(peer.access().evaluate(new FakeRequest()).denied()).isTrue();
    assertThat(peer.access().evaluate(new FakeRequest().method("POST")).allowed()).isTrue();
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
  void saysWhereLoginsOfClientsAreNotSentOn(String options, boolean said) {
    String lines = "http_port 3128\ncache_peer 10.0.0.1 parent 80 0 no-query " + options + "\n";
    String warnings = TextSource.load(lines).warnings().toString();
    assertThat(warnings.contains("logins of clients stay here")).isEqualTo(said);
    assertThat(warnings).doesNotContain("secret");
  }

  @Test
  void withoutCacheDirThereIsMemoryOnly() {
    assertThat(load("").disk()).isEqualTo(ProxyConfig.Disk.NONE);
    assertThat(load("cache_dir null /tmp\n").disk()).isEqualTo(ProxyConfig.Disk.NONE);
  }

  @Test
  void cacheDirsHaveSizesAndOptions() {
    ProxyConfig.Disk disk =
        load("""
                cache_dir aufs /var/spool/squid 100 16 256 min-size=10 max-size=2000000
                maximum_object_size 1 MB
                minimum_object_size 1 KB
                cache_dir rock ./rock 3000000 no-store swap-timeout=300
                store_avg_object_size 8 KB
                loligo_disk_threads 2
                loligo_disk_write_queue 64 MB
                """)
            .disk();
    assertThat(disk.dirs())
        .containsExactly(
            new ProxyConfig.CacheDir(
                "aufs", "/var/spool/squid", 100 << 20, 10, 2_000_000, false, "squid.conf:2"),
            new ProxyConfig.CacheDir(
                "rock", "./rock", 3_000_000L << 20, 1024, 1 << 20, true, "squid.conf:5"));
    assertThat(disk.meanObjectBytes()).isEqualTo(8 << 10);
    assertThat(disk.threads()).isEqualTo(2);
    assertThat(disk.writeQueueBytes()).isEqualTo(64 << 20);
    assertThat(disk.loadTimeoutMillis()).isEqualTo(300);
  }

  @Test
  void theLongestSwapTimeoutHolds() {
    assertThat(load("cache_dir rock /a 1\n").disk().loadTimeoutMillis()).isEqualTo(2_000);
    String two = "cache_dir rock /a 1 swap-timeout=10\ncache_dir rock /b 1 swap-timeout=";
    assertThat(load(two + "20\n").disk().loadTimeoutMillis()).isEqualTo(20);
    assertThat(load(two + "0\n").disk().loadTimeoutMillis()).isZero();
  }

  @Test
  void maximumObjectSizeHoldsUnlessADirectorySaysMore() {
    ProxyConfig small =
        load("maximum_object_size 1 KB\ncache_dir rock /a 1 max-size=512\ncache_dir rock /b 1\n");
    assertThat(small.caching().maxObjectBytes()).isEqualTo(1024);
    assertThat(small.memory().maxObjectInMemoryBytes()).isEqualTo(1024);
    assertThat(small.disk().dirs())
        .extracting(ProxyConfig.CacheDir::maxObjectBytes)
        .containsExactly(512L, 1024L);
    ProxyConfig large = load("cache_dir rock /a 1 max-size=9000000\n");
    assertThat(large.caching().maxObjectBytes()).isEqualTo(9_000_000);
    ProxyConfig any = load("cache_dir rock /a 1 max-size=-1\n");
    assertThat(any.caching().maxObjectBytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(any.disk().dirs().get(0).maxObjectBytes()).isEqualTo(-1);
    ProxyConfig none = load("maximum_object_size none\ncache_dir rock /a 1\n");
    assertThat(none.disk().dirs().get(0).maxObjectBytes()).isEqualTo(-1);
  }

  @Test
  void refreshPatternsKeepTheirOrderAndOptions() {
    RefreshPattern pattern =
        load("refresh_pattern -i \\.DEB$ 60 200% 1440 reload-into-ims max-stale=5\n")
            .caching()
            .refreshPatterns()
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
    assertThat(config.logging().accessLogs())
        .extracting(
            ProxyConfig.AccessLog::module,
            ProxyConfig.AccessLog::place,
            ProxyConfig.AccessLog::format,
            ProxyConfig.AccessLog::source)
        .containsExactly(
            tuple("none", "", "", "squid.conf:4"),
            tuple("stdio", "/a", "mine", "squid.conf:5"),
            tuple("daemon", "/b", "squid", "squid.conf:6"),
            tuple("stdio", "/c", "combined", "squid.conf:7"));
    assertThat(config.logging().formats()).containsEntry("mine", "%ts \"%ru\" # literal");
    FakeRequest get = new FakeRequest();
    assertThat(config.logging().accessLogs().get(1).access().evaluate(get).allowed()).isFalse();
    assertThat(config.logging().accessLogs().get(2).access().evaluate(get).allowed()).isTrue();
    assertThat(load("access_log none\n").logging().accessLogs()).isEmpty();
  }

  @Test
  void quotesOfLogformatAreTextUnlessTheyJoin() {
    String lines =
        "logformat csv \"%>a\",\"%ru\"\nlogformat all \"%rm \\\"%ru\\\"\"\n"
            + "configuration_includes_quoted_values on\nlogformat joined \"%rm %ru\"\n";
    assertThat(load(lines).logging().formats())
        .containsEntry("csv", "\"%>a\",\"%ru\"")
        .containsEntry("all", "\"%rm \\\"%ru\\\"\"")
        .containsEntry("joined", "%rm %ru");
  }

  @Test
  void adminPortGivesWayToPortsOfTheFile() {
    ProxyConfig config = load("http_port 3129\nhttp_port 3130\n");
    assertThat(config.admin().port()).isEqualTo(3131);
    assertThat(load("http_port 3129\nloligo_admin_port 9\n").admin().port()).isEqualTo(9);
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
    assertThat(config.forwarding().forwardedFor()).isEqualTo(ForwardedFor.TRUNCATE);
    assertThat(config.forwarding().visibleHostname()).isEqualTo("px");
    assertThat(config.workers().eventLoops()).isEqualTo(3);
    assertThat(config.workers().pidFile()).isEqualTo("/run/x.pid");
    assertThat(config.workers().pidFileSource()).isEqualTo("squid.conf:5");
    assertThat(config.logging().cacheLogSource()).isEqualTo("squid.conf:6");
    assertThat(config.caching().maxObjectBytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(config.forwarding().rangeOffsetLimit().isForAll(-1)).isTrue();
    assertThat(config.forwarding().quickAbortMinBytes()).isEqualTo(-1);
    assertThat(config.limits().requestBodyMaxBytes()).isEqualTo(1 << 20);
    assertThat(config.limits().replyBodyMax().isForAll(2 << 20)).isTrue();
    assertThat(config.limits().request().maxTargetBytes()).isEqualTo(1024);
    assertThat(config.dns().nameservers()).containsExactly("9.9.9.9", "::1");
    assertThat(config.connections().clientPersistent()).isFalse();
    assertThat(config.admin().port()).isEqualTo(-1);
    assertThat(config.logging().blockWhenFull()).isTrue();
    assertThat(config.forwarding().storedSetCookie()).isEqualTo(ProxyConfig.StoredSetCookie.REPLAY);
    assertThat(config.access().upgrade("Foo/1").evaluate(new FakeRequest()).allowed()).isTrue();
    assertThat(config.access().upgrade("Foo").evaluate(new FakeRequest()).denied()).isTrue();
    assertThat(config.access().upgrade("websocket").evaluate(new FakeRequest()).denied()).isTrue();
    assertThat(config.access().purgeEnabled()).isTrue();
  }
}
