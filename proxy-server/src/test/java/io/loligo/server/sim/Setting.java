package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.upstream.names.DnsSettings;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/** A configuration, read once for all worlds. Immutable. */
final class Setting {
  static final Map<String, List<InetAddress>> ADDRESSES =
      Map.of(
          "a.test", List.of(NetUtil.createInetAddressFromIpAddressString("10.9.0.1")),
          "b.test", List.of(NetUtil.createInetAddressFromIpAddressString("10.9.0.2")));

  /** Configurations; a world has one of them. */
  static final List<Setting> ALL =
      List.of(
          new Setting(""),
          new Setting("loligo_stream_buffer_size 4 KB", "read_ahead_gap 4 KB"),
          new Setting("quick_abort_min 0 KB", "quick_abort_max 0 KB"),
          new Setting("maximum_object_size_in_memory 16 KB", "read_ahead_gap 8 KB"),
          new Setting("range_offset_limit none", "loligo_stream_buffer_size 4 KB"),
          new Setting("collapsed_forwarding off", "half_closed_clients on"));

  final ProxyConfig config;
  final DnsSettings names;

  /** The same where nobody has to be asked. */
  final DnsSettings listed;

  /** The same with {@link Truth#isClosed} resources. */
  final ProxyConfig closing;

  Setting(String... lines) {
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
                + "http_access allow all\n");
    names = DnsSettings.load(config.dns());
    listed = new DnsSettings(names.config(), names.servers(), ADDRESSES, names.system());
  }

  private static ProxyConfig read(String text) {
    ConfigResult result = new ConfigReader(new FileConfigSource()).readText("sim.conf", text);
    assertThat(result.errors()).isEmpty();
    return result.config();
  }

  @Override
  public String toString() {
    return config.memory() + " " + config.forwarding();
  }
}
