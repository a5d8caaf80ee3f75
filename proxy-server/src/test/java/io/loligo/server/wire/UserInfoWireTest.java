package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** URLs of requests with user information (RFC 9110 section 4.2.4). */
class UserInfoWireTest extends WireTest {
  private WireMessage ask(String path) throws Exception {
    String url = origin.url(path).replace("://", "://us3r:passw0rd@");
    return client().send("GET " + url + " HTTP/1.1\r\nHost: x\r\n\r\n").response();
  }

  @Test
  void reachesNobody() throws Exception {
    startProxy(
        "acl secret url_regex us3r passw0rd",
        "http_access deny secret",
        "acl bad urlpath_regex bad",
        "http_access deny bad",
        "http_access allow all");
    origin.onOk("/a", "fine");
    assertThat(ask("/a").text()).isEqualTo("fine");
    assertThat(origin.lastRequest().head()).doesNotContain("us3r", "passw0rd", "Authorization");
    WireMessage denied = ask("/bad");
    assertThat(denied.status()).isEqualTo(403);
    assertThat(denied.text()).doesNotContain("us3r", "passw0rd");
    proxy.close();
    assertThat(Files.readString(dir.resolve("access.log")))
        .contains("GET " + origin.url("/a") + " ")
        .doesNotContain("us3r", "passw0rd");
  }

  @Test
  void refusesWhereItIsToBeRefused() throws Exception {
    startProxy("loligo_url_userinfo refuse", "http_access allow all");
    assertThat(ask("/a").status()).isEqualTo(400);
    assertThat(origin.fetches("/a")).isZero();
    origin.onOk("/a", "fine");
    assertThat(get("/a").text()).isEqualTo("fine");
  }
}
