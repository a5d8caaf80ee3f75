package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;

/** The counts of helper programs and of logins, at the admin port and in JMX. */
class HelperMetricsWireTest extends HelperWireTest {
  private void start(String scheme, String program) throws Exception {
    startProxy(
        "auth_param " + scheme + " program " + program,
        "auth_param " + scheme + " children 1",
        "auth_param digest realm office",
        "acl users proxy_auth REQUIRED",
        "http_access allow users",
        "loligo_helper_timeout 1 hour");
    origin.otherwise(call -> call.ok("content"));
  }

  private void expect(String family, String labels, Map<String, Long> values) throws Exception {
    String metrics = admin("/metrics");
    values.forEach(
        (name, value) -> {
          String text = value.toString();
          assertThat(metrics)
              .contains("\nloligo_" + family + "_" + name + "{" + labels + "} " + text + ".0\n");
        });
  }

  private static Map<Object, Object> bean(String type, String attribute, String name)
      throws Exception {
    TabularData all =
        (TabularData)
            ManagementFactory.getPlatformMBeanServer()
                .getAttribute(new ObjectName("io.loligo", "type", type), attribute);
    TabularData numbers = (TabularData) all.get(new Object[] {name}).get("value");
    Map<Object, Object> values = new HashMap<>();
    for (Object row : numbers.values()) {
      values.put(((CompositeData) row).get("key"), ((CompositeData) row).get("value"));
    }
    return values;
  }

  @Test
  void answersOfAProgramAreCountedByTheirWord() throws Exception {
    writeHelper("check", "bob*) echo OK ;;", "odd*) echo odd ;;", "broken*) echo BH no ;;");
    start("basic", helper.path());
    for (String login : new String[] {"bob:a", "bob:b", "eve:a", "odd:a", "broken:a"}) {
      get("/a", LoginFile.line(login));
    }
    get("/a", LoginFile.line("bob:a"));
    RawClient hanging = client();
    hanging.get(origin.url("/a"), LoginFile.line("x:/hang"));
    Waiting.until("it hangs", () -> helper.asked().contains("x /hang"));
    RawClient queued = client();
    queued.get(origin.url("/a"), LoginFile.line("y:z"));
    Waiting.until(
        "one waits", () -> admin("/metrics").contains("queued{helper=\"auth_param basic\"} 1"));
    expect(
        "helper",
        "helper=\"auth_param basic\"",
        Map.of(
            "answers_ok_total", 2L,
            "answers_err_total", 1L,
            "answers_bh_total", 3L,
            "answers_other_total", 1L,
            "replies_total", 7L,
            "requests_total", 7L,
            "starts_total", 1L,
            "pending", 2L,
            "busy", 1L,
            "children", 1L));
    expect(
        "login",
        "scheme=\"basic\"",
        Map.of(
            "checks_total", 7L,
            "accepted_total", 2L,
            "refused_total", 1L,
            "unavailable_total", 2L,
            "pending", 2L));
    assertThat(bean("Helpers", "Programs", "auth_param basic"))
        .containsEntry("answers_bh", 3L)
        .containsEntry("queued", 1L)
        .hasSize(18);
    openGate();
    assertThat(hanging.response().status()).isEqualTo(200);
    assertThat(queued.response().status()).isEqualTo(407);
    assertThat(admin("/metrics")).contains("loligo_login_pending{scheme=\"basic\"} 0.0");
  }

  @Test
  void childrenThatAreReservedAndHaveEndedAreCounted() throws Exception {
    writeHelper("tokens", "YR*) echo TT abcd ;;", "KK\\ die*) exit 1 ;;", "KK*) echo AF bob ;;");
    start("ntlm", helper.path());
    RawClient client = client();
    client.get(origin.url("/a"), "Proxy-Authorization: NTLM a").response();
    expect(
        "helper",
        "helper=\"auth_param ntlm\"",
        Map.of("answers_tt_total", 1L, "reserved", 1L, "busy", 0L));
    client.get(origin.url("/a"), "Proxy-Authorization: NTLM die").response();
    Waiting.until(
        "it has ended",
        () -> admin("/metrics").contains("exits_total{helper=\"auth_param ntlm\"} 1.0"));
    expect("helper", "helper=\"auth_param ntlm\"", Map.of("failures_total", 1L, "reserved", 0L));
    expect(
        "login",
        "scheme=\"ntlm\"",
        Map.of("continued_total", 1L, "unavailable_total", 1L, "refused_total", 0L));
  }

  @Test
  void checksInsideTheProxyAreCountedToo() throws Exception {
    Path users = LoginFile.write(dir.resolve("users"), "bob:secret");
    start("basic", "/x/basic_ncsa_auth " + users);
    for (String login : new String[] {"bob:secret", "bob:secret", "bob:wrong", "eve:x"}) {
      get("/a", LoginFile.line(login));
    }
    expect(
        "login",
        "scheme=\"basic\"",
        Map.of("checks_total", 3L, "accepted_total", 1L, "refused_total", 2L, "pending", 0L));
    assertThat(bean("Logins", "Schemes", "basic"))
        .containsEntry("accepted", 1L)
        .hasEntrySatisfying("check_nanos", nanos -> assertThat((Long) nanos).isPositive());
  }
}
