package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.accesslog.StrictJson;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code access_log ... logformat=loligo_json}, about requests on the wire. */
class JsonLogWireTest extends WireTest {
  @Test
  void eachRequestIsAnObject() throws Exception {
    startProxy(
        "acl bad urlpath_regex ^/bad",
        "http_access deny bad",
        "http_access allow all",
        "access_log stdio:" + dir.resolve("access.log") + " logformat=loligo_json");
    origin.onOk("/a", "content", "Cache-Control: max-age=1000", "Content-Type: text/plain");
    get("/a", "User-Agent: \"odd\" \\ \u00e9");
    get("/a");
    get("/bad");
    client().send("GET /bad HTTP/1.1\r\n\r\n").response();
    List<Map<String, Object>> lines =
        stopAndReadLog().stream()
            .map(line -> StrictJson.object(line.getBytes(ISO_8859_1)))
            .toList();
    assertThat(lines).hasSize(4);
    BigDecimal ok = BigDecimal.valueOf(200);
    assertThat(lines.get(0))
        .containsEntry("result", "TCP_MISS")
        .containsEntry("hit", false)
        .containsEntry("status", ok)
        .containsEntry("originStatus", ok)
        .containsEntry("userAgent", "\"odd\" \\ \u00e9")
        .containsEntry("contentType", "text/plain")
        .containsEntry("hop", "127.0.0.1")
        .containsEntry("outcome", "fetch")
        .containsEntry("method", "GET")
        .containsEntry("url", origin.url("/a"));
    assertThat(lines.get(0).get("stages").toString()).contains("serverFirstByte=", "proxyConnect=");
    assertThat(lines.get(1))
        .containsEntry("result", "TCP_MEM_HIT")
        .containsEntry("hit", true)
        .containsEntry("originStatus", null)
        .containsEntry("hop", null)
        .containsEntry("reason", "fresh");
    assertThat(lines.get(2))
        .containsEntry("result", "TCP_DENIED")
        .containsEntry("error", "ERR_ACCESS_DENIED")
        .containsEntry("url", origin.url("/bad"));
    assertThat(lines.get(3)).containsEntry("status", BigDecimal.valueOf(400));
  }
}
