package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.accesslog.StrictJson;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page {@code /traffic} of the admin port. */
class TrafficPageWireTest extends WireTest {
  private String traffic() throws Exception {
    awaitLoop();
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      admin.send("GET /traffic HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.adminPort() + "\r\n\r\n");
      WireMessage page = admin.response();
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.field("Content-Type")).isEqualTo("application/json");
      return page.text();
    }
  }

  @Test
  void showsOriginsClientsUsersSlowRequestsAndCauses() throws Exception {
    startProxy("strip_query_terms off");
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    origin.onOk("/b?q=1", "hello", "Cache-Control: no-store");
    get("/a");
    get("/a");
    get("/b?q=1");
    String authority = origin.url("/").substring("http://".length()).replace("/", "");
    assertThat(traffic())
        .containsPattern(
            "\"origins\":\\[\\{\"origin\":\"" + authority + "\",\"requests\":\\d+,\"hits\":1,")
        .containsPattern("\"clients\":\\[\\{\"client\":\"127.0.0.1\",\"requests\":\\d+,\"hits\":1,")
        .contains("\"users\":[]")
        .contains(
            "\"url\":\"" + origin.url("/b?q=1") + "\",\"status\":200,\"class\":\"uncacheable\"")
        .containsPattern(
            "\"decision\":\"nothing"
                + " stored\",\"requestId\":\"[^\"]+\",\"stages\":\\[\\{\"stage\":\"[a-zA-Z]+\",")
        .contains("{\"stage\":\"proxyConnect\",\"seconds\":")
        .contains("{\"cause\":\"nothing stored\",\"requests\":")
        .contains("\"sinceStart\":{\"tunnels\":0,")
        .endsWith("\"certificates\":[]}\n");
  }

  /** Also if it took less than a millisecond. */
  @Test
  void theStagesOfASlowRequestAddUp() throws Exception {
    startProxy();
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    get("/a");
    get("/a");
    List<?> slowest = (List<?>) StrictJson.object(traffic().strip().getBytes(UTF_8)).get("slowest");
    assertThat(slowest).hasSizeGreaterThanOrEqualTo(2);
    for (Object row : slowest) {
      BigDecimal sum = BigDecimal.ZERO;
      for (Object stage : (List<?>) ((Map<?, ?>) row).get("stages")) {
        sum = sum.add((BigDecimal) ((Map<?, ?>) stage).get("seconds"));
      }
      assertThat(sum)
          .isPositive()
          .isEqualByComparingTo((BigDecimal) ((Map<?, ?>) row).get("seconds"));
    }
  }

  @Test
  void hidesQueriesAndAddressesAsTheLogDoesAlsoAfterAReload() throws Exception {
    startProxy("client_netmask 255.255.255.0", "follow_x_forwarded_for allow all");
    origin.onOk("/a?secret=1", "hello", "Cache-Control: max-age=1000");
    get("/a?secret=1", "X-Forwarded-For: 192.0.2.77");
    assertThat(traffic())
        .contains("{\"client\":\"192.0.2.0\",", origin.url("/a?") + "\"")
        .doesNotContain("secret", "192.0.2.77");
    String whole = configuration("strip_query_terms off", "follow_x_forwarded_for allow all");
    assertThat(proxy.reload(whole).done()).isTrue();
    assertThat(traffic()).contains("{\"client\":\"192.0.2.77\",", origin.url("/a?secret=1") + "\"");
  }
}
