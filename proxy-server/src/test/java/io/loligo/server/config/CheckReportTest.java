package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.CheckReport;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ReferencePages;
import io.loligo.core.config.ValueInForce;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.boot.Features;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckReportTest {
  private static final ReferencePages PAGES = new ReferencePages(Features.directives());

  private static CheckReport check(String text) {
    return new CheckReport(TextSource.load("http_port 3128\n" + text));
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
    ConfigResult result = TextSource.load("http_port 3128\n" + line);
    assertThat(new CheckReport(result).text()).doesNotContain("hunter2").contains("***");
    if (result.isUsable()) {
      assertThat(result.config().inForce().toString()).doesNotContain("hunter2");
    }
  }

  @Test
  void tproxyDoesNotDiffer() {
    assertThat(check("http_port 3130 tproxy\nhttp_port 3131 intercept").text())
        .contains("squid.conf:2: used: http_port 3130 tproxy\n")
        .contains("squid.conf:3: used: http_port 3131 intercept");
  }

  @Test
  void printsOneVerdictPerLine() {
    String text = check("cache_mem 64 MB\ncoredump_dir /x\ndns_v4_first on\nfrob\nvia ON\n").text();
    assertThat(text.lines().limit(6))
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("squid.conf:1: used: http_port 3128"),
            line ->
                assertThat(line)
                    .startsWith("squid.conf:2: used with a difference: cache_mem 64 MB  ["),
            line ->
                assertThat(line)
                    .startsWith("squid.conf:3: accepted without effect: coredump_dir /x"),
            line -> assertThat(line).startsWith("squid.conf:4: obsolete: dns_v4_first on"),
            line -> assertThat(line).startsWith("squid.conf:5: unknown: frob"),
            line -> assertThat(line).startsWith("squid.conf:6: error: via ON  ["));
    assertThat(text)
        .endsWith(
            "6 lines: 1 used, 1 used with a difference, 1 accepted without effect, 1 obsolete,"
                + " 1 unknown, 1 error\n");
  }

  @Test
  void endsWithZeroOnlyWhenNothingIsUnknownOrWrong() {
    assertThat(check("via on\n").exitStatus(false)).isZero();
    assertThat(check("via on\n").exitStatus(true)).isZero();
    assertThat(check("coredump_dir /x\n").exitStatus(false)).isZero();
    assertThat(check("coredump_dir /x\n").exitStatus(true)).isEqualTo(2);
    assertThat(check("dns_v4_first on\n").exitStatus(true)).isEqualTo(2);
    assertThat(check("frob\n").exitStatus(true)).isEqualTo(1);
    assertThat(check("via ON\n").exitStatus(false)).isEqualTo(1);
    assertThat(check("if true\n").exitStatus(false)).isEqualTo(1);
    assertThat(new CheckReport(TextSource.load("")).exitStatus(false)).isEqualTo(1);
  }

  @Test
  void showsNoSecret() {
    ConfigResult result =
        TextSource.load(
            """
            http_port 3128
            loligo_admin_secret hunter2
            cachemgr_passwd hunter2 all
            cache_peer parent.test parent 3128 0 no-query login=me:hunter2
            cache_peer_access parent.test deny manager
            auth_param basic program /bin/ldap -w hunter2 # loligo: waive
            auth_param basic frob hunter2
            external_acl_type t %LOGIN /bin/group -w "a hunter2" x
            external_acl_type t %LOGIN /bin/group -whunter2 "x
            """);
    assertThat(new CheckReport(result).text())
        .doesNotContain("hunter2")
        .contains("login=***", "/bin/group -w ***");
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

  @Test
  void helpTellsOfOneDirectiveOrAll() {
    assertThat(PAGES.help("no_cache")).startsWith("cache allow|deny [!]ACL...\n");
    assertThat(PAGES.help("delay_pools")).contains("Stops the start unless waived.");
    assertThat(PAGES.help("frob")).isEqualTo("frob: no such directive\n");
    assertThat(PAGES.help("")).contains("http_port ", "loligo_transport ");
  }
}
