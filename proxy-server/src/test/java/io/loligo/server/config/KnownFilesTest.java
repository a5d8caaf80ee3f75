package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.LineReport;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.ProcessDirectives;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.store.MemoryDirectives;
import org.junit.jupiter.api.Test;

/** Whole files as they are found in the world. */
class KnownFilesTest {
  private static final String DEBIAN =
      """
      acl localnet src 0.0.0.1-0.255.255.255\t# RFC 1122 "this" network (LAN)
      acl localnet src 10.0.0.0/8\t\t# RFC 1918 local private network (LAN)
      acl localnet src 100.64.0.0/10\t\t# RFC 6598 shared address space (CGN)
      acl localnet src 169.254.0.0/16 \t# RFC 3927 link-local (directly plugged) machines
      acl localnet src 172.16.0.0/12\t\t# RFC 1918 local private network (LAN)
      acl localnet src 192.168.0.0/16\t\t# RFC 1918 local private network (LAN)
      acl localnet src fc00::/7       \t# RFC 4193 local private network range
      acl localnet src fe80::/10      \t# RFC 4291 link-local (directly plugged) machines
      acl SSL_ports port 443
      acl Safe_ports port 80\t\t# http
      acl Safe_ports port 21\t\t# ftp
      acl Safe_ports port 443\t\t# https
      acl Safe_ports port 70\t\t# gopher
      acl Safe_ports port 210\t\t# wais
      acl Safe_ports port 1025-65535\t# unregistered ports
      acl Safe_ports port 280\t\t# http-mgmt
      acl Safe_ports port 488\t\t# gss-http
      acl Safe_ports port 591\t\t# filemaker
      acl Safe_ports port 777\t\t# multiling http
      http_access deny !Safe_ports
      http_access deny CONNECT !SSL_ports
      http_access allow localhost manager
      http_access deny manager
      include /etc/squid/conf.d/*.conf
      http_access allow localhost
      http_access deny all
      http_port 3128
      coredump_dir /var/spool/squid
      refresh_pattern ^ftp:\t\t1440\t20%\t10080
      refresh_pattern ^gopher:\t1440\t0%\t1440
      refresh_pattern -i (/cgi-bin/|\\?) 0\t0%\t0
      refresh_pattern .\t\t0\t20%\t4320
      """;

  @Test
  void loadsDebiansDefaultFileWithoutAWarning() {
    TextSource files =
        new TextSource()
            .with("/etc/squid/squid.conf", DEBIAN)
            .with("/etc/squid/conf.d/debian.conf", "# Debian\nlogfile_rotate 0\n");
    ConfigResult result = Features.reader(files).read("/etc/squid/squid.conf");
    assertThat(result.problems()).isEmpty();
    assertThat(result.config().get(PortDirectives.HTTP_PORT))
        .extracting(HttpPort::port)
        .containsExactly(3128);
    assertThat(result.config().get(CachingDirectives.REFRESH_PATTERN)).hasSize(4);
    assertThat(result.lines()).hasSize(33);
    assertThat(result.lines())
        .filteredOn(line -> line.verdict() != Verdict.USED)
        .extracting(LineReport::text)
        .containsExactly("coredump_dir /var/spool/squid");
  }

  @Test
  void loadsTheFiveLinesOfTheIssue() {
    ConfigResult result =
        TextSource.load(
            """
            cache_log /var/log/squid/cache.log
            http_access allow all
            http_port 8080
            cache_effective_user squid
            read_ahead_gap 64 KB
            """);
    assertThat(result.isUsable()).isTrue();
    ProxyConfig config = result.config();
    assertThat(config.get(ProcessDirectives.CACHE_LOG)).isEqualTo("/var/log/squid/cache.log");
    assertThat(config.source(ProcessDirectives.CACHE_LOG)).isEqualTo("squid.conf:1");
    assertThat(config.get(MemoryDirectives.READ_AHEAD_GAP)).isEqualTo(65_536);
    assertThat(config.warnings())
        .singleElement()
        .asString()
        .startsWith("squid.conf:4: WARNING: cache_effective_user");
  }
}
