package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ACL {@code adaptation_service} in lists that are evaluated after a service was chosen. */
class AdaptationServiceAclWireTest extends WireTest {
  private ScriptedIcap icap;

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    origin.onOk("/a", "content");
    origin.onOk("/free", "content");
    origin.onOk("/two", "content");
  }

  private void start(String point, String names, String... more) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "icap_enable on",
                icap.service("scan", point),
                "adaptation_service_set both scan",
                "acl a urlpath_regex ^/a",
                "adaptation_access both allow a",
                "acl adapted adaptation_service " + names));
    lines.addAll(List.of(more));
    startProxy(lines.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"scan, 403", "both, 403", "other both, 403", "other, 200"})
  void rulesSeeTheServiceOfTheRequest(String names, int status) throws Exception {
    start("reqmod_precache", names, "adapted_http_access deny adapted");
    assertThat(get("/a").status()).isEqualTo(status);
    assertThat(get("/free").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({"scan, 403", "both, 403", "other, 200"})
  void rulesSeeTheServiceOfTheResponse(String names, int status) throws Exception {
    start("respmod_precache", names, "http_reply_access deny adapted");
    assertThat(get("/a").status()).isEqualTo(status);
    assertThat(get("/free").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"reqmod_precache", "respmod_precache"})
  void theServiceIsChosenBeforeItsFieldsAreMade(String point) throws Exception {
    start(
        point,
        "scan",
        "adaptation_meta X-Chosen yes adapted",
        "adaptation_meta X-Other 1 !adapted");
    get("/a");
    assertThat(icap.lastCall().head()).contains("\r\nX-Chosen: yes\r\n").doesNotContain("X-Other");
  }

  @Test
  void linesOfTheAccessLogSeeBothPoints() throws Exception {
    start(
        "reqmod_precache",
        "scan two",
        icap.service("two", "respmod_precache"),
        "acl two urlpath_regex ^/two",
        "adaptation_access two allow two",
        "logformat path %>rp",
        "access_log stdio:" + dir.resolve("access.log") + " path adapted");
    get("/a");
    get("/free");
    get("/two");
    assertThat(stopAndReadLog()).containsExactly("/a", "/two");
  }

  @Test
  void aListBeforeTheChoiceNeverMatches() throws Exception {
    start("reqmod_precache", "scan", "http_access deny adapted", "http_access allow all");
    assertThat(get("/a").status()).isEqualTo(200);
  }
}
