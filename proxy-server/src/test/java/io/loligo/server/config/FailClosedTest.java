package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.LineReport;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.upstream.route.RoutingDirectives;
import io.loligo.server.wire.acl.SampleRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines that restrict, inspect or identify and have no effect. */
class FailClosedTest {
  private static ConfigResult load(String lines) {
    return TextSource.load("http_port 3128\n" + lines);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth /etc/passwd",
        "acl users proxy_auth REQUIRED",
        "https_port 3129 tls-cert=/x.pem tls-cafile=/ca.pem",
        "ecap_service av reqmod_precache ecap://example.test/av",
        "ecap_enable on",
        "follow_x_forwarded_for allow to_localhost",
        "mark_client_connection 0x1",
        "acl list dstdomain \"/missing\"",
        "http_port 8080 connection-auth",
      })
  void stopTheStartUnlessWaived(String line) {
    ConfigResult closed = load(line);
    assertThat(closed.isUsable()).isFalse();
    assertThat(closed.errors()).hasSize(1);
    assertThat(closed.errors().get(0).text()).contains("squid.conf:2: ERROR", "# loligo: waive");

    ConfigResult behind = load(line + " # loligo: waive");
    assertThat(behind.errors()).isEmpty();
    assertThat(behind.warnings()).anyMatch(one -> one.text().contains("waived"));
    assertThat(load("# loligo: waive, we know\n" + line).errors()).isEmpty();
    assertThat(load("# loligo: waive\nvia on\n" + line).errors()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "icap_enable off",
        "follow_x_forwarded_for deny all",
        "delay_pools 0",
        "ssl_bump none all",
        "host_verify_strict off",
      })
  void linesWithTheDefaultAreHarmless(String line) {
    assertThat(load(line).problems()).isEmpty();
  }

  @Test
  void identIsRefusedWithAdvice() {
    for (String type : new String[] {"ident", "ident_regex"}) {
      assertThat(load("acl a " + type + " jo").errors())
          .singleElement()
          .satisfies(one -> assertThat(one.text()).contains("use proxy_auth or src"));
    }
  }

  @Test
  void aWaiverDoesNotCoverAWrongValue() {
    assertThat(load("cache_mem 64MB # loligo: waive").isUsable()).isFalse();
    assertThat(load("icap_enable maybe # loligo: waive").isUsable()).isFalse();
  }

  @Test
  void aWaiverThatWaivesNothingIsRemarkedOn() {
    assertThat(load("via on # loligo: waive").warnings())
        .singleElement()
        .satisfies(one -> assertThat(one.text()).contains("not needed"));
  }

  private static boolean allowed(String lines) {
    ConfigResult result = load("acl users proxy_auth REQUIRED # loligo: waive\n" + lines);
    assertThat(result.isUsable()).isTrue();
    return result
        .config()
        .get(AccessDirectives.HTTP_ACCESS)
        .evaluate(SampleRequest.get("example.com").input())
        .allowed();
  }

  @Test
  void anUndecidableRequestIsRefused() {
    assertThat(allowed("http_access allow users\nhttp_access deny all")).isFalse();
    assertThat(allowed("http_access allow !users\nhttp_access deny all")).isFalse();
    assertThat(allowed("http_access deny users\nhttp_access allow all")).isFalse();
    assertThat(allowed("http_access deny !users\nhttp_access allow all")).isFalse();
    assertThat(allowed("http_access allow USERS\nhttp_access deny all")).isFalse();
    assertThat(allowed("acl any any-of all users\nhttp_access allow any\nhttp_access deny all"))
        .isFalse();
  }

  @Test
  void anAclThatDoesNotMatchStillKeepsADenyingLineAway() {
    assertThat(allowed("http_access deny CONNECT !users\nhttp_access allow all")).isTrue();
  }

  @Test
  void aWaivedRuleThatNamesItIsLeftOut() {
    assertThat(allowed("http_access deny !users # loligo: waive\nhttp_access allow all")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "deny CONNECT, allow users, false",
    "deny CONNECT, allow !users, false",
    "allow CONNECT, deny users, true",
    "deny CONNECT, allow reply, false",
  })
  void aLastRuleThatIsLeftOutStillTurnsTheDefault(String first, String last, boolean expected) {
    String lines = "acl reply http_status 200\nhttp_access %s\nhttp_access %s # loligo: waive";
    assertThat(allowed(lines.formatted(first, last))).isEqualTo(expected);
  }

  @Test
  void anUpgradeWhoseOnlyRuleIsLeftOutIsNotAllowedToAll() {
    ConfigResult result =
        load(
            """
            acl users proxy_auth REQUIRED # loligo: waive
            http_upgrade_request_protocols websocket allow users # loligo: waive
            """);
    assertThat(
            result
                .config()
                .get(AccessDirectives.UPGRADES)
                .of("websocket")
                .evaluate(SampleRequest.get("example.com").input())
                .allowed())
        .isFalse();
  }

  @Test
  void neverDirectIsCarefulTheOtherWayRound() {
    ConfigResult result =
        load("acl users proxy_auth REQUIRED # loligo: waive\nnever_direct allow users\n");
    assertThat(
            result
                .config()
                .get(RoutingDirectives.NEVER_DIRECT)
                .evaluate(SampleRequest.get("example.com").input())
                .allowed())
        .isTrue();
  }

  @Test
  void anAclWithoutItsFileKeepsItsOtherValuesWhenWaived() {
    ConfigResult result =
        load(
            """
            acl a dstdomain "/missing" example.com # loligo: waive
            http_access deny a
            http_access allow all
            """);
    assertThat(
            result
                .config()
                .get(AccessDirectives.HTTP_ACCESS)
                .evaluate(SampleRequest.get("example.com").input())
                .denied())
        .isTrue();
    assertThat(
            result
                .config()
                .get(AccessDirectives.HTTP_ACCESS)
                .evaluate(SampleRequest.get("other.org").input())
                .allowed())
        .isTrue();
  }

  @Test
  void tuningLinesOnlyWarn() {
    ConfigResult result = load("cache_swap_low 90\ncache_replacement_policy heap LFUDA\n");
    assertThat(result.isUsable()).isTrue();
    assertThat(result.warnings()).isNotEmpty();
    assertThat(result.lines().subList(1, 3))
        .extracting(LineReport::verdict)
        .containsOnly(Verdict.WITHOUT_EFFECT);
  }
}
