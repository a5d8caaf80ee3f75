package io.loligo.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ExaminedConfig;
import io.loligo.core.config.ValueInForce;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.check.Finding.Kind;
import io.loligo.server.config.TextSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigCheckTest {
  private static final String ACLS =
      """
      http_port 3128
      acl localnet src 10.0.0.0/8
      acl subnet src 10.1.0.0/16
      acl safe port 80 443
      acl web port 80
      acl high port 1024-65535
      acl net dstdomain .example.net
      acl www dstdomain www.example.net
      acl other dstdomain www.example.com
      acl words url_regex -i casino poker
      acl casino url_regex -i casino
      acl get method GET HEAD
      acl lucky random 1/2
      acl nets any-of localnet net
      acl both all-of localnet net
      """;

  private static ConfigCheck check(String text) {
    ExaminedConfig examined = TextSource.examine(text);
    return new ConfigCheck("squid.conf", examined, examined.result(), Map.of(), 0);
  }

  private static List<Finding> of(Kind kind, String lines) {
    return check(lines).findings().stream().filter(one -> one.kind() == kind).toList();
  }

  /** Whether the second of two lines is said to decide never. */
  private static boolean shadows(String first, String second) {
    List<Finding> found =
        of(
            Kind.SHADOWED,
            ACLS + "http_access " + first + "\nhttp_access " + second + "\nhttp_access deny all\n");
    return found.stream().anyMatch(one -> one.line() == 17);
  }

  @ParameterizedTest
  @CsvSource({
    "allow localnet, deny subnet",
    "allow localnet, deny localnet www",
    "deny net, allow www",
    "deny net, allow localnet www",
    "deny safe get, allow get web",
    "deny !web, allow !safe",
    "deny words, allow casino",
    "allow nets, deny www",
    "allow localnet, deny both",
    "deny all localnet, allow subnet",
    "allow localnet, allow localnet",
  })
  void aLineThatAnotherAlwaysPrecedesNeverDecides(String first, String second) {
    assertThat(shadows(first, second)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "deny subnet, allow localnet",
    "deny localnet www, allow localnet",
    "deny www, allow net",
    "deny web get, allow safe get",
    "deny !safe, allow !web",
    "deny casino, allow words",
    "deny both, allow localnet",
    "deny www, allow other",
    "allow lucky, deny lucky",
    "allow localnet, deny !localnet",
    "deny get, allow safe",
  })
  void otherLinesCanDecide(String first, String second) {
    assertThat(shadows(first, second)).isFalse();
  }

  @Test
  void contradictionsNeverMatch() {
    assertThat(shadows("deny get", "allow subnet !localnet")).isTrue();
    assertThat(shadows("deny get", "allow localnet !subnet")).isFalse();
    assertThat(shadows("deny get", "allow get !all")).isTrue();
  }

  @Test
  void linesBelowOneThatMatchesEverythingAreOneFinding() {
    String lines = "http_access deny all\nhttp_access allow localnet\nhttp_access deny www\n";
    assertThat(of(Kind.ORDER, ACLS + lines))
        .singleElement()
        .satisfies(one -> assertThat(one.line()).isEqualTo(16))
        .satisfies(
            one -> assertThat(one.text()).contains("2 lines below", "squid.conf:17 (http_access"));
    assertThat(of(Kind.SHADOWED, ACLS + lines)).isEmpty();
  }

  @Test
  void clientsThatPassBeforeDenialsAreATrap() {
    String denials = "http_access deny words\nhttp_access deny !safe\nhttp_access deny all\n";
    assertThat(of(Kind.ORDER, ACLS + "http_access allow localnet\n" + denials))
        .singleElement()
        .satisfies(one -> assertThat(one.text()).contains("2 lines below with", "squid.conf:17"));
    assertThat(of(Kind.ORDER, ACLS + "http_access allow localhost\n" + denials)).isEmpty();
    assertThat(of(Kind.ORDER, ACLS + denials + "http_access allow localnet\n")).hasSize(1);
    assertThat(of(Kind.ORDER, ACLS + "http_access allow localnet web\n" + denials)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http_port 3128\nhttp_access allow all",
        "http_port 3128\nhttp_access deny to_localhost\nhttp_access allow !to_localhost",
        "http_port 3128\nacl s port 80\nhttp_access allow s",
        "http_port 3128\nacl six src ::/0\nhttp_access allow six",
        "http_port 3128\nacl s port 443\nhttp_access allow CONNECT s",
      })
  void everybodyMayUseAnOpenProxy(String lines) {
    assertThat(of(Kind.OPEN_PROXY, lines)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http_port 127.0.0.1:3128\nhttp_access allow all",
        "http_port [::1]:3128\nhttp_access allow all",
        "http_port 3128 accel\nhttp_access allow all",
        "http_port 3128\nacl net src 10.0.0.0/8\nhttp_access allow net",
        "http_port 3128\nacl d dstdomain .example.net\nhttp_access allow d",
      })
  void othersMayNot(String lines) {
    assertThat(of(Kind.OPEN_PROXY, lines)).isEmpty();
  }

  @Test
  void missingRulesAboutPortsAreFound() {
    String allow = "http_access allow localnet\n";
    assertThat(of(Kind.OPEN_PORTS, ACLS + allow).get(0).text()).contains("deny CONNECT !SSL_ports");
    String tunnels = "http_access deny CONNECT !web\n";
    assertThat(of(Kind.OPEN_PORTS, ACLS + tunnels + allow).get(0).text())
        .contains("deny !Safe_ports");
    assertThat(of(Kind.OPEN_PORTS, ACLS + "http_access deny !safe\n" + allow)).isEmpty();
  }

  @Test
  void routesThatContradictAreFound() {
    String never = "http_port 3128\nnever_direct allow all\n";
    String peer = "cache_peer p.test parent 3128 0 no-query\n";
    assertThat(of(Kind.ROUTE, never).get(0).text()).contains("no cache_peer");
    assertThat(of(Kind.ROUTE, never + peer)).isEmpty();
    assertThat(of(Kind.ROUTE, never + peer + "always_direct allow all\n").get(0).text())
        .contains("squid.conf:4 (always_direct allow all) comes first");
  }

  @Test
  void namesThatNothingUsesAreFound() {
    String text =
        "http_port 3128\nacl a src 10.0.0.1\nacl B src 10.0.0.2\nacl c src 10.0.0.3\n"
            + "acl g any-of c\nhttp_access allow !b g\nacl e port 1\nicp_access allow E\n";
    assertThat(of(Kind.UNUSED_ACL, text)).extracting(Finding::line).containsExactly(2);
  }

  @Test
  void namesInsideOtherDomainsAreFound() {
    String text =
        "http_port 3128\nacl a dstdomain .b.test www.b.test b.test .c.b.test ab.test www.d.test\n"
            + "acl e dstdomain .d.test\nhttp_access deny a e";
    assertThat(of(Kind.HIDDEN_NAME, text))
        .singleElement()
        .satisfies(
            one ->
                assertThat(one.text())
                    .isEqualTo(
                        "a: .b.test contains www.b.test, .b.test contains b.test, .b.test contains"
                            + " .c.b.test"));
  }

  @Test
  void aFileThatIsMissingStopsTheStart() {
    ExaminedConfig examined = TextSource.examine("http_port 127.0.0.1:1\n");
    ConfigCheck check =
        new ConfigCheck("x.conf", examined, examined.result(), Map.of("/c.pem", "gone"), 0);
    assertThat(check.exitStatus(false)).isEqualTo(1);
    assertThat(check.text(false)).contains("x.conf: /c.pem: gone\n");
  }

  @Test
  void theFirstLineSaysWhetherTheProxyStarts() {
    assertThat(check("http_port 127.0.0.1:3128\n").text(false))
        .isEqualTo("squid.conf would start\n");
    assertThat(
            check("http_port 127.0.0.1:3128\nvia ON\nfrob\ndns_v4_first on\nacl a src all")
                .text(false))
        .isEqualTo(
            """
            squid.conf would not start: 2 lines; 1 warning, 1 remark

            Errors: the proxy does not start
              squid.conf:2: via: ON (expected: on or off): write on
              squid.conf:3: frob: (expected: a directive): remove the line

            Warnings
              squid.conf:4: dns_v4_first: obsolete: remove it, or use loligo_dns_v4_first on

            Remarks: harmless
              squid.conf:5: acl: a is used by no line
            """);
  }

  @Test
  void showsEachLineWithItsVerdict() {
    String text =
        check("cache_mem 64 MB\ncoredump_dir /x\ndns_v4_first on\nfrob\nvia ON\n").text(true);
    assertThat(text.lines().dropWhile(line -> !line.equals("Lines")))
        .containsExactly(
            "Lines",
            "  squid.conf:1: used with a difference: cache_mem 64 MB",
            "  squid.conf:2: accepted without effect: coredump_dir /x",
            "  squid.conf:3: obsolete: dns_v4_first on",
            "  squid.conf:4: unknown: frob",
            "  squid.conf:5: error: via ON");
  }

  @Test
  void theExitStatusTellsWhetherItStarts() {
    String port = "http_port 127.0.0.1:3128\n";
    assertThat(check(port + "via on\n").exitStatus(true)).isZero();
    assertThat(check(port + "coredump_dir /x\n").exitStatus(false)).isZero();
    assertThat(check(port + "coredump_dir /x\n").exitStatus(true)).isEqualTo(2);
    assertThat(check(port + "dns_v4_first on\n").exitStatus(true)).isEqualTo(2);
    assertThat(check("http_port 3128\nhttp_access allow all\n").exitStatus(false)).isZero();
    assertThat(check("http_port 3128\nhttp_access allow all\n").exitStatus(true)).isEqualTo(2);
    assertThat(check(port + "frob\n").exitStatus(true)).isEqualTo(1);
    assertThat(check(port + "if true\n").exitStatus(false)).isEqualTo(1);
    assertThat(check("").exitStatus(false)).isEqualTo(1);
  }

  @Test
  void jsonHasFindingsAndLines() {
    assertThat(check("http_port 127.0.0.1:3128\nfrob \"x\"\n").json())
        .isEqualTo(
            """
            {"file": "squid.conf", "starts": false, "errors": 1, "warnings": 0, "remarks": 0, "findings": [
              {"severity": "error", "kind": "line", "file": "squid.conf", "line": 2, "directive": "frob", "text": "(expected: a directive): remove the line"}
            ], "lines": [
              {"file": "squid.conf", "line": 1, "verdict": "used", "text": "http_port 127.0.0.1:3128", "note": ""},
              {"file": "squid.conf", "line": 2, "verdict": "unknown", "text": "frob \\"x\\"", "note": "remove the line"}
            ]}
            """);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cache_peer h parent login=u:hunter2",
        "cache_peer h parent 80 0 login=u:hunter2 tls",
        "cache_peer h parent 80 0 login=NEGOTIATE:hunter2",
        "cache_peer h fnord 80 0 login=u:hunter2",
        "cache_peer h parent 80 0 login=hunter2 foo",
        "cache_per h parent 80 0 login=u:hunter2",
        "loligo_admin_secret hunter2 hunter2",
        "acl x snmp_community hunter2",
        "acl x snmp_community public hunter2",
        "acl all snmp_community hunter2",
      })
  void noMessageHoldsAPassword(String line) {
    String text = "http_port 3128\n" + line;
    ConfigCheck check = check(text);
    assertThat(check.text(true)).doesNotContain("hunter2").contains("***");
    assertThat(check.json()).doesNotContain("hunter2").contains("***");
    ConfigResult result = TextSource.load(text);
    if (result.isUsable()) {
      assertThat(result.config().inForce().toString()).doesNotContain("hunter2");
    }
  }

  @Test
  void showsNoSecret() {
    ConfigCheck check =
        check(
            """
            http_port 3128
            loligo_admin_secret hunter2
            cachemgr_passwd hunter2 all
            cache_peer parent.test parent 3128 0 no-query login=me:hunter2
            cache_peer_access parent.test deny manager
            auth_param basic program /bin/ldap -w hunter2 # loligo: waive
            auth_param basic frob hunter2
            """);
    assertThat(check.text(true)).doesNotContain("hunter2").contains("login=***");
    ConfigResult fine =
        TextSource.load(
            """
            http_port 1
            loligo_admin_secret hunter2
            cache_peer p parent 3128 0 no-query login=me:hunter2
            """);
    assertThat(fine.config().inForce().toString()).doesNotContain("hunter2");
    assertThat(fine.config().toString()).doesNotContain("hunter2");
    assertThat(fine.config().get(AdminDirectives.ADMIN_SECRET)).isEqualTo("hunter2");
    assertThat(fine.config().inForce())
        .filteredOn(ValueInForce::secret)
        .extracting(ValueInForce::directive)
        .containsExactly("cache_peer", "loligo_admin_secret");
  }
}
