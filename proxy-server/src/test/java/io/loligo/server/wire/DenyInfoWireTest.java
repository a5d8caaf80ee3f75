package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.config.TextSource;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients get in the place of a plain 403, and error pages from files. */
class DenyInfoWireTest extends WireTest {
  private static final String LATER = "acl later req_header X-Later .";

  private WireMessage denied(String path) throws IOException {
    return get(path, "X-Later: 1");
  }

  private void write(String name, String text) throws IOException {
    Path folder = Files.createDirectories(dir.resolve("pages"));
    Files.writeString(folder.resolve(name), text);
  }

  private void startWith(String denyInfo, String... more) throws Exception {
    String[] lines = new String[more.length + 4];
    System.arraycopy(more, 0, lines, 0, more.length);
    lines[more.length] = LATER;
    lines[more.length + 1] = denyInfo;
    lines[more.length + 2] = "http_access deny later";
    lines[more.length + 3] = "http_access allow all";
    startProxy(lines);
    origin.onOk("/a", "x");
  }

  // ---- redirections

  @Test
  void aDeniedClientIsRedirectedWithFactsOfItsRequest() throws Exception {
    startWith(
        "deny_info http://portal.test/in?u=%u&U=%U&i=%i&H=%H&p=%p&M=%M&P=%P&a=%a&c=%c&R=%R&x=100%%"
            + " later");
    WireMessage response = denied("/b?q=1&r=%3Cs%3E");
    assertThat(response.status()).isEqualTo(302);
    assertThat(response.field("Location"))
        .isEqualTo(
            ("http://portal.test/in?u=http%3A%2F%2F127.0.0.1%3APORT%2Fb%3Fq%3D1%26r%3D%253Cs%253E"
                    + "&U=http%3A%2F%2F127.0.0.1%3APORT%2Fb%3F&i=127.0.0.1&H=127.0.0.1&p=PORT&M=GET"
                    + "&P=http&a=-&c=ERR_ACCESS_DENIED&R=/b?q=1&r=%3Cs%3E&x=100%25")
                .replace("PORT", "" + origin.port()));
    assertThat(response.text()).isEmpty();
    assertThat(get("/a").status()).isEqualTo(200);
    assertThat(stopAndReadLog().get(0)).contains("TCP_DENIED/302");
  }

  @Test
  void theStatusOfARedirectionDependsOnTheMethodUnlessItIsGiven() throws Exception {
    startWith("deny_info http://portal.test/ later");
    assertThat(exchange("HEAD", "/b", "X-Later: 1").status()).isEqualTo(302);
    assertThat(exchange("DELETE", "/b", "X-Later: 1").status()).isEqualTo(307);
    proxy.close();
    startWith("deny_info 303:http://portal.test/ later");
    assertThat(denied("/b").status()).isEqualTo(303);
    assertThat(exchange("DELETE", "/b", "X-Later: 1").status()).isEqualTo(303);
  }

  @Test
  void theTimeKeepsItsCommaAsInSquid() throws Exception {
    startWith("deny_info http://portal.test/in?T=%T&u=%u later");
    assertThat(denied("/b(1)*+~").field("Location"))
        .matches(
            "http://portal.test/in[?]T=[A-Z][a-z]{2},%20[0-9]{2}%20[A-Z][a-z]{2}%20[0-9]{4}%20"
                + "[0-9]{2}%3A[0-9]{2}%3A[0-9]{2}%20GMT&u=.*b\\(1\\)\\*%2B~");
  }

  @Test
  void noFactEndsTheLineOrTheAttribute() throws Exception {
    startWith("deny_info http://portal.test/%R later");
    String head = denied("/%0d%0aX-Evil:%22<'\"").head();
    assertThat(head).contains("Location: http://portal.test//%0d%0aX-Evil:%22%3C'%22\r\n");
  }

  // ---- the last ACL of the line decides

  @Test
  void theLastAclOfTheDenyingLineChooses() throws Exception {
    startProxy(
        LATER,
        "acl robots browser ^Robot",
        "deny_info http://robots.test/ robots",
        "deny_info http://later.test/ later",
        "deny_info http://second.test/ later",
        "deny_info http://all.test/ all",
        "http_access deny robots later",
        "http_access deny !later robots",
        "http_access deny all later",
        "http_access deny all");
    assertThat(get("/a", "X-Later: 1", "User-Agent: Robot").field("Location"))
        .isEqualTo("http://later.test/");
    assertThat(get("/a", "User-Agent: Robot").field("Location")).isEqualTo("http://robots.test/");
    assertThat(get("/a", "X-Later: 1").field("Location")).isEqualTo("http://later.test/");
    assertThat(get("/a").field("Location")).isEqualTo("http://all.test/");
  }

  @Test
  void otherListsDenyWithThePageToo() throws Exception {
    startProxy(
        LATER,
        "acl film rep_mime_type ^video/",
        "deny_info 404:ERR_A later",
        "deny_info 410:ERR_B film",
        "miss_access deny later",
        "http_reply_access deny film");
    origin.onOk("/film", "x", "Content-Type: video/mp4");
    assertThat(denied("/a").status()).isEqualTo(404);
    assertThat(get("/film").status()).isEqualTo(410);
    proxy.close();
    startProxy(LATER, "deny_info 404:ERR_A later", "adapted_http_access deny later");
    assertThat(denied("/a").status()).isEqualTo(404);
  }

  // ---- resets

  @Test
  void aResetHasNoResponse() throws Exception {
    startWith("deny_info TCP_RESET later");
    try (RawClient client = client()) {
      client.get(origin.url("/a"), "X-Later: 1");
      assertThat(catchReset(client)).isInstanceOf(SocketException.class);
    }
    assertThat(stopAndReadLog()).singleElement().asString().contains("TCP_DENIED");
  }

  private static Throwable catchReset(RawClient client) {
    return org.assertj.core.api.Assertions.catchThrowable(() -> client.in().read());
  }

  // ---- pages

  @Test
  void aPageOfTheFolderHasEscapedFacts() throws Exception {
    write("ERR_MINE", "<p>%U|%u|%i|%M|%H:%p|%c|%h|%w|%%|%q|%R|%a|<style>%l</style>");
    Files.writeString(dir.resolve("style.css"), "p { color: red }");
    startWith(
        "deny_info 404:ERR_MINE later",
        "error_directory " + dir.resolve("pages"),
        "err_page_stylesheet " + dir.resolve("style.css"),
        "cache_mgr me@example.test");
    WireMessage response = denied("/b?<i>&\"'");
    assertThat(response.status()).isEqualTo(404);
    assertThat(response.field("Content-Type")).isEqualTo("text/html;charset=utf-8");
    assertThat(response.field("X-Loligo-Error")).isEqualTo("ERR_MINE");
    String url = "http://" + origin.authority() + "/b?";
    assertThat(response.text())
        .isEqualTo(
            "<p>"
                + url
                + "|"
                + url
                + "&lt;i&gt;&amp;&quot;&#39;|127.0.0.1|GET|127.0.0.1:"
                + origin.port()
                + "|ERR_MINE|proxy.test|me@example.test|%|%q|GET /b?&lt;i&gt;&amp;&quot;&#39;|-|"
                + "<style>p { color: red }</style>");
    assertThat(response.field("Content-Length")).isEqualTo("" + response.text().length());
    assertThat(exchange("HEAD", "/a", "X-Later: 1").field("Content-Length")).isNotNull();
  }

  @Test
  void everyErrorHasItsPageInTheFolder() throws Exception {
    write("ERR_ACCESS_DENIED", "denied %i");
    write("ERR_CONNECT_FAIL", "no way to %H");
    startWith("via on", "error_directory " + dir.resolve("pages"));
    assertThat(denied("/a").text()).isEqualTo("denied 127.0.0.1");
    try (RawClient client = client()) {
      WireMessage response = client.get("http://127.0.0.1:1/").response();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.text()).isEqualTo("no way to 127.0.0.1");
    }
  }

  @Test
  void aMissingPageIsTheBuiltInOne() throws Exception {
    Files.writeString(dir.resolve("style.css"), "p { color: red }");
    startWith("deny_info ERR_NOWHERE later", "err_page_stylesheet " + dir.resolve("style.css"));
    WireMessage response = denied("/a");
    assertThat(response.status()).isEqualTo(403);
    assertThat(response.text())
        .contains("ERR_NOWHERE", "<style>p { color: red }</style>", "proxy.test");
  }

  // ---- lines

  @ParameterizedTest
  @ValueSource(
      strings = {
        "deny_info",
        "deny_info ERR_A",
        "deny_info 302:ERR_A all",
        "deny_info 404:http://a.test/ all",
        "deny_info 404:TCP_RESET all",
        "deny_info ../ERR_A all",
        "deny_info 99:ERR_A all",
        "error_directory",
      })
  void aWrongLineIsAnError(String line) {
    assertThat(TextSource.load("http_port 3128\n" + line).errors()).as(line).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "deny_info http://a.test/%q all",
        "error_directory /nowhere",
        "err_page_stylesheet /nowhere.css",
      })
  void aLineThatHoldsInPartIsAWarning(String line) {
    assertThat(TextSource.load("http_port 3128\n" + line).errors()).as(line).isEmpty();
    assertThat(TextSource.load("http_port 3128\n" + line).warnings()).as(line).hasSize(1);
  }
}
