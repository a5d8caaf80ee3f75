package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.Setting;
import io.loligo.core.http1.LimitDirectives;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.exchange.settings.FetchDirectives;
import io.loligo.server.exchange.settings.ForwardedFor;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortMode;
import io.loligo.server.upstream.names.NameDirectives;
import io.loligo.server.wire.acl.SampleRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms without sense that Squid accepts: they hold as in Squid, with a warning. */
class HarmlessFormsTest {
  private static ConfigResult load(String lines) {
    ConfigResult result = TextSource.load("http_port 3128\n" + lines);
    assertThat(result.errors()).as(lines).isEmpty();
    assertThat(result.warnings()).as(lines).hasSize(1);
    return result;
  }

  private static <T> T value(String line, Setting<T> setting) {
    return load(line).config().get(setting);
  }

  @Test
  void numbersBeyondTheirRange() {
    assertThat(value("quick_abort_pct -1", FetchDirectives.QUICK_ABORT_PCT)).isZero();
    assertThat(value("quick_abort_pct 150", FetchDirectives.QUICK_ABORT_PCT)).isEqualTo(100);
    assertThat(value("quick_abort_min -1 QB", FetchDirectives.QUICK_ABORT_MIN)).isEqualTo(-1L);
    assertThat(value("logfile_rotate -1", LogDirectives.LOGFILE_ROTATE)).isZero();
    assertThat(value("max_filedescriptors -1", ClientDirectives.MAX_FILEDESCRIPTORS)).isZero();
    assertThat(value("minimum_object_size -1", CachingDirectives.MINIMUM_OBJECT_SIZE)).isZero();
    assertThat(value("request_header_max_size 64", LimitDirectives.REQUEST_HEADER_MAX_SIZE))
        .isEqualTo(1024);
    load("workers -1");
  }

  @Test
  void valuesThatSquidDoesNotKnow() {
    assertThat(value("forwarded_for no", IdentityDirectives.FORWARDED_FOR))
        .isEqualTo(ForwardedFor.TRANSPARENT);
    assertThat(value("dns_nameservers 9.9.9.9 dns.test", NameDirectives.DNS_NAMESERVERS))
        .isEqualTo(List.of("9.9.9.9"));
    assertThat(value("dns_nameservers dns.test", NameDirectives.DNS_NAMESERVERS)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "debug_options ALL",
        "debug_options 28,9e",
        "tls_outgoing_options options=NO_TLS_v1",
        "http_port 3131 tls-cert=/x",
        "refresh_pattern . 0 20% 4320 an-option",
        "cache_peer p.test parent 3128 0 an-option",
        "cache_peer p.test parent 3128 0 an-option=1",
      })
  void optionsThatSquidDoesNotKnow(String line) {
    load(line);
  }

  @Test
  void vhostMakesAnAcceleratorPort() {
    assertThat(value("http_port 8080 vhost", PortDirectives.HTTP_PORT).get(1).mode())
        .isEqualTo(PortMode.ACCEL);
    // Squid refuses this one
    assertThat(TextSource.load("http_port 3128 vport").errors()).hasSize(1);
  }

  @Test
  void firstOfTwoEqualPorts() {
    assertThat(value("https_port 3128 tls-cert=/x", PortDirectives.HTTPS_PORT)).isEmpty();
    assertThat(value("http_port 3128 accel", PortDirectives.HTTP_PORT)).hasSize(1);
    ConfigResult result = TextSource.load("http_port 127.0.0.1:3128 accel\nhttp_port 3128 ipv4");
    assertThat(result.problems()).isEmpty();
    assertThat(result.config().get(PortDirectives.HTTP_PORT))
        .extracting(HttpPort::address)
        .containsExactly("127.0.0.1", "0.0.0.0");
    assertThat(load("http_port 0.0.0.0:3131\nhttp_port 3131 ipv4").config()).isNotNull();
    assertThat(TextSource.load("http_port [::1]:3128 ipv4").errors()).hasSize(1);
  }

  @Test
  void moreOptionsThanOne() {
    assertThat(TextSource.load("http_port 3128\nsslproxy_options NO_SSLv2 NO_TLSv1_3").warnings())
        .anyMatch(one -> one.text().contains("NO_TLSv1_3 (expected: one value): ignored"));
  }

  private static boolean allows(String acl, SampleRequest request) {
    return load(acl + "\nhttp_access allow a\nhttp_access deny all")
        .config()
        .get(AccessDirectives.HTTP_ACCESS)
        .evaluate(request.input())
        .allowed();
  }

  @Test
  void lettersThatAreNoDays() {
    assertThat(allows("acl a time SMTWHFAU", SampleRequest.get("example.com"))).isTrue();
    assertThat(allows("acl a time U 00:00-24:00", SampleRequest.get("example.com"))).isTrue();
    assertThat(TextSource.load("http_port 3128\nacl a time MON").errors()).hasSize(1);
  }

  @Test
  void addressesInShortForm() {
    String acl = "acl a dst 192.168.1\nacl b dst 127";
    ConfigResult result = TextSource.load("http_port 3128\n" + acl);
    assertThat(result.errors()).isEmpty();
    assertThat(result.warnings())
        .anyMatch(one -> one.text().contains("taken as 192.168.0.1"))
        .anyMatch(one -> one.text().contains("taken as 0.0.0.127"));
    assertThat(TextSource.load("http_port 3128\nacl a src 192.168.300").errors()).hasSize(1);
  }
}
