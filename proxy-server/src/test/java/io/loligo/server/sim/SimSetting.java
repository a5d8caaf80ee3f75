package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.exchange.settings.ShapingSettings;
import io.loligo.server.shaping.PoolCount;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.server.upstream.names.NameSettings;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A configuration, read once for all worlds. Immutable. */
final class SimSetting {
  private static final String ROUND_ROBIN = peers("round-robin");
  private static final String IN_TURN = peers("default");
  private static final String FORBIDDEN = "acl forbidden dst 10.9.0.3\nhttp_access deny forbidden";

  /** Bytes wait, but for no longer than a timeout. */
  private static final List<String> POOLS =
      List.of(
          "acl even urlpath_regex [02468]$",
          "delay_pools 2",
          "delay_class 1 1",
          "delay_parameters 1 100000/20000",
          "delay_access 1 allow even",
          "delay_class 2 2",
          "delay_parameters 2 200000/50000 60000/10000",
          "delay_access 2 allow all",
          "client_delay_pools 1",
          "client_delay_parameters 1 150000 20000",
          "client_delay_access 1 allow all",
          "response_delay_pool each individual-restore=80000 individual-maximum=8000",
          "response_delay_pool_access each allow even");

  static final Map<String, List<InetAddress>> ADDRESSES =
      Map.of(
          "a.test", addresses("10.9.0.1"),
          "b.test", addresses("10.9.0.2"),
          "c.test", addresses("10.9.0.3", "10.9.0.1"),
          "p0.parent.test", addresses("10.8.0.0"),
          "p1.parent.test", addresses("10.8.0.1"));

  /** Configurations; a world has one of them. */
  static final List<SimSetting> ALL =
      List.of(
          new SimSetting(""),
          new SimSetting("loligo_stream_buffer_size 4 KB", "read_ahead_gap 4 KB"),
          new SimSetting("quick_abort_min 0 KB", "quick_abort_max 0 KB"),
          new SimSetting("maximum_object_size_in_memory 16 KB", "read_ahead_gap 8 KB"),
          new SimSetting("range_offset_limit none", "loligo_stream_buffer_size 4 KB"),
          new SimSetting("collapsed_forwarding off", "half_closed_clients on"));

  /** Configurations with parents, and one without. */
  static final List<SimSetting> WITH_PARENTS =
      List.of(
          new SimSetting(ROUND_ROBIN, "never_direct allow all"),
          new SimSetting(
              IN_TURN, FORBIDDEN, "loligo_stream_buffer_size 4 KB", "read_ahead_gap 4 KB"),
          new SimSetting(ROUND_ROBIN, "nonhierarchical_direct off", "prefer_direct on", FORBIDDEN),
          new SimSetting(
              IN_TURN,
              "acl to_b dstdomain b.test",
              "always_direct allow to_b",
              "never_direct allow all"),
          new SimSetting(ROUND_ROBIN, "nonhierarchical_direct off", FORBIDDEN),
          new SimSetting(""));

  /** {@code read_timeout}, after which a tunnel ends through which nothing goes, nanoseconds. */
  static final long IDLE_NANOS = 5_000_000_000L;

  /** Whether origins are not to be asked, but those of b.test where {@link #asksB}. */
  final boolean neverDirect;

  /** Whether the parents of b.test get requests, and only for its resources. */
  final boolean asksB;

  /** Whether there are parents. */
  final boolean hasParents;

  /** Whether 10.9.0.3 must not be dialled, nor any hop asked for resources that may be there. */
  final boolean forbids;

  final ProxyConfig config;

  private final List<String> lines;
  final DnsSettings names;

  /** The same without a question to a nameserver. */
  final DnsSettings listed;

  /** The same with {@link Truth#isClosed} resources. */
  final ProxyConfig closing;

  SimSetting(String... lines) {
    List<String> all = List.of(lines);
    this.lines = all;
    neverDirect = all.contains("never_direct allow all");
    asksB = all.contains("always_direct allow to_b");
    forbids = all.contains(FORBIDDEN);
    hasParents = all.contains(ROUND_ROBIN) || all.contains(IN_TURN);
    String text =
        String.join(
            "\n",
            "http_port 3128",
            "cache_mem 16 MB",
            "dns_nameservers 192.0.2.53",
            "hosts_file none",
            "dns_timeout 6 seconds",
            "dns_retransmit_interval 2 seconds",
            "negative_dns_ttl 3 seconds",
            "positive_dns_ttl 20 seconds",
            "connect_timeout 3 seconds",
            "peer_connect_timeout 3 seconds",
            "forward_timeout 8 seconds",
            "read_timeout 5 seconds",
            "write_timeout 6 seconds",
            "request_timeout 5 seconds",
            "request_start_timeout 10 seconds",
            "client_idle_pconn_timeout 10 seconds",
            "server_idle_pconn_timeout 6 seconds",
            "loligo_collapsed_wait 4 seconds",
            "max_stale " + Truth.MAX_STALE + " seconds",
            String.join("\n", lines),
            "");
    config = read(text + "http_access allow all\n");
    closing =
        read(
            text
                + "acl closed urlpath_regex [13579]$\n"
                + "http_access deny closed\n"
                + "acl closed_ports port "
                + Tunneled.FIRST_CLOSED_PORT
                + "-59999\n"
                + "http_access deny closed_ports\n"
                + "http_access allow all\n");
    names = DnsSettings.load(new NameSettings(config));
    listed =
        new DnsSettings(names.config(), names.servers(), ADDRESSES, names.names(), names.system());
  }

  /** The same with pools, which no world has used. */
  SimSetting pooled() {
    return new SimSetting(Stream.concat(lines.stream(), POOLS.stream()).toArray(String[]::new));
  }

  /** Times that bytes had to wait. */
  long waits() {
    return Stream.of(config, closing)
        .flatMap(each -> ShapingSettings.counts(each).stream())
        .mapToLong(each -> each.value(PoolCount.WAITS))
        .sum();
  }

  private static List<InetAddress> addresses(String... texts) {
    return Stream.of(texts).map(NetUtil::createInetAddressFromIpAddressString).toList();
  }

  private static String peers(String how) {
    String rest = ".parent.test parent 3128 0 no-query connect-fail-limit=" + Parent.FAIL_LIMIT;
    return "cache_peer p0" + rest + " " + how + "\ncache_peer p1" + rest + " " + how;
  }

  private static ProxyConfig read(String text) {
    ConfigResult result =
        io.loligo.server.boot.Features.reader(new FileConfigSource()).readText("sim.conf", text);
    assertThat(result.errors()).isEmpty();
    return result.config();
  }

  @Override
  public String toString() {
    return config.inForce().toString();
  }
}
