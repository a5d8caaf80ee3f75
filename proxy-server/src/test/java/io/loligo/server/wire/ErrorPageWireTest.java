package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.accesslog.StrictJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The built-in error pages, and problem details in their place. */
class ErrorPageWireTest extends WireTest {
  private static final String JSON = "Accept: application/json";
  private static final String NOWHERE = "http://127.0.0.1:1/";

  private static String text(WireMessage response) {
    return new String(response.body(), UTF_8);
  }

  private static Map<String, Object> problem(WireMessage response) {
    assertThat(response.field("Content-Type")).isEqualTo("application/problem+json");
    return StrictJson.object(response.body());
  }

  private WireMessage ask(String url, String... fieldLines) throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.get(url, fieldLines).response();
    }
  }

  // ---- pages

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "en | The server cannot be reached | Your device and this proxy work",
        "de-AT, en;q=0.5 | Der Server ist nicht erreichbar | Ihr Gerät und dieser Proxy arbeiten",
        "es | No se puede conectar con el servidor | Su dispositivo y este proxy funcionan",
        "it, fr;q=0.3 | Le serveur est injoignable | Votre appareil et ce proxy fonctionnent",
        "it | The server cannot be reached | Your device and this proxy work",
      })
  void thePageIsInTheClientsLanguage(String accepted, String title, String who) throws Exception {
    startProxy("cache_mgr help@example.test");
    WireMessage response = ask(NOWHERE, "Accept-Language: " + accepted);
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.field("Content-Type")).isEqualTo("text/html;charset=utf-8");
    assertThat(response.field("Vary")).isEqualTo("Accept, Accept-Language");
    assertThat(response.field("Cache-Control")).isEqualTo("no-store");
    String page = text(response);
    String tag = response.field("Content-Language");
    assertThat(page)
        .startsWith("<!DOCTYPE html>\n<html lang=\"" + tag + "\">")
        .contains("<h1>" + title + "</h1>", who, "503 ERR_CONNECT_FAIL", "<dd>" + NOWHERE + "</dd>")
        .contains("proxy.test", "<a href=\"mailto:help@example.test\">")
        .contains("<dd lang=\"en\">The origin refused the connection.</dd>");
  }

  @Test
  void theUsualLanguageNeedsNoFolder() throws Exception {
    startProxy("error_default_language de");
    assertThat(ask(NOWHERE).field("Content-Language")).isEqualTo("de");
    assertThat(ask(NOWHERE, "Accept-Language: es").field("Content-Language")).isEqualTo("es");
  }

  @Test
  void theProxysAdministratorIsNotNamedIfNobodyIs() throws Exception {
    startProxy();
    assertThat(text(ask(NOWHERE))).doesNotContain("webmaster", "mailto");
  }

  @Test
  void thePolicyAllowsTheStyleOfThePageAndNothingElse() throws Exception {
    Files.writeString(dir.resolve("style.css"), "p { color: red }\r\n");
    startProxy("err_page_stylesheet " + dir.resolve("style.css"));
    WireMessage response = ask(NOWHERE);
    String policy = response.field("Content-Security-Policy");
    assertThat(policy).startsWith("default-src 'none'; style-src 'sha256-");
    assertThat(response.field("X-Content-Type-Options")).isEqualTo("nosniff");
    Matcher style = Pattern.compile("(?s)<style>(.*?)</style>").matcher(text(response));
    int styles = 0;
    for (; style.find(); styles++) {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(style.group(1).getBytes(UTF_8));
      assertThat(policy).contains("'sha256-" + Base64.getEncoder().encodeToString(hash) + "'");
    }
    assertThat(styles).isEqualTo(2);
    assertThat(policy.split("sha256", -1)).hasSize(3);
    assertThat(text(response)).doesNotContain("<script", "style=", "onclick", "<img", "<link");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Accept: text/html", JSON})
  void headHasTheLengthOfThePage(String accept) throws Exception {
    startProxy("http_access deny all");
    WireMessage head = exchange("HEAD", "/a", accept);
    WireMessage page = get("/b", accept);
    assertThat(head.body()).isEmpty();
    assertThat(head.field("Content-Length")).isEqualTo("" + page.body().length);
    assertThat(head.field("Content-Type")).isEqualTo(page.field("Content-Type"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/html", "application/json"})
  void aHostileUrlIsEscapedInEveryForm(String accept) throws Exception {
    startProxy("http_access deny all", "loligo_explain_denials on");
    String hostile = "/<script>alert(1)</script>?\"'&\\%H%v{title}";
    try (RawClient client = RawClient.connect(proxy.port())) {
      WireMessage response = client.get(origin.url(hostile), "Accept: " + accept).response();
      assertThat(response.status()).isEqualTo(403);
      assertThat(response.head().toLowerCase(java.util.Locale.ROOT)).doesNotContain("script>");
      String page = text(response);
      assertThat(page).doesNotContain("<script>", "</script>", "\"'&\\");
      if (accept.equals("text/html")) {
        assertThat(page).contains("/&lt;script&gt;alert(1)&lt;/script&gt;?&quot;&#39;&amp;\\%H%v");
      } else {
        assertThat(problem(response).get("instance"))
            .isEqualTo(origin.url("/%3Cscript%3Ealert(1)%3C/script%3E?%22'&\\%H%v{title}"));
      }
    }
  }

  @Test
  void aLongUrlIsCutOnThePage() throws Exception {
    startProxy("http_access deny all");
    String page = text(get("/" + "a".repeat(3_000)));
    assertThat(page).contains("aaa…</dd>").hasSizeLessThan(6_000);
  }

  // ---- problem details

  @Test
  void aClientThatWantsJsonGetsProblemDetails() throws Exception {
    startProxy();
    WireMessage response = ask(NOWHERE + "a?b", JSON, "Accept-Language: de");
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.field("Content-Language")).isEqualTo("de");
    assertThat(response.field("Vary")).isEqualTo("Accept, Accept-Language");
    assertThat(response.field("Cache-Control")).isEqualTo("no-store");
    assertThat(response.field("X-Loligo-Error")).isEqualTo("ERR_CONNECT_FAIL");
    Map<String, Object> problem = problem(response);
    assertThat(problem)
        .containsEntry("type", "about:blank")
        .containsEntry("title", "Der Server ist nicht erreichbar")
        .containsEntry("detail", "127.0.0.1 nimmt keine Verbindung an oder nicht rechtzeitig.")
        .containsEntry("instance", NOWHERE + "a?b")
        .containsEntry("error", "ERR_CONNECT_FAIL")
        .containsEntry("reason", "The origin refused the connection.")
        .containsEntry("responsible", "origin")
        .containsEntry("proxy", "proxy.test")
        .doesNotContainKeys("rule", "source");
    assertThat(problem.get("status")).hasToString("503");
    assertThat((List<?>) problem.get("nextSteps")).hasSize(2);
    assertThat(stopAndReadLog().get(0)).endsWith(" application/problem+json");
  }

  @Test
  void aTunnelThatFailsHasItsAuthorityAsInstance() throws Exception {
    startProxy("http_access allow all");
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.send("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n" + JSON + "\r\n\r\n");
      assertThat(problem(client.response())).containsEntry("instance", "//127.0.0.1:1");
    }
  }

  @Test
  void aMalformedRequestHasAPageWithoutAnAddress() throws Exception {
    startProxy();
    try (RawClient client = RawClient.connect(proxy.port())) {
      WireMessage response = client.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").response();
      assertThat(response.status()).isEqualTo(400);
      assertThat(text(response)).contains("<h1>Invalid request</h1>").doesNotContain("Address");
    }
  }

  // ---- the id

  @Test
  void everyFormHasTheIdThatIsInTheLog() throws Exception {
    startProxy(
        "http_access deny all",
        "logformat ids %request_id",
        "access_log stdio:" + dir.resolve("ids.log") + " ids");
    Matcher row = Pattern.compile("<dt>Request ID</dt><dd>(.+)</dd>").matcher(text(get("/a")));
    assertThat(row.find()).isTrue();
    String id = String.valueOf(problem(get("/b", JSON)).get("requestId"));
    assertThat(stopAndReadLog("ids.log")).containsExactly(row.group(1), id);
  }

  @Test
  void theConfigurationChoosesTheFormForClientsWithoutAPreference() throws Exception {
    startProxy("loligo_error_form json");
    assertThat(problem(ask(NOWHERE)).get("error")).isEqualTo("ERR_CONNECT_FAIL");
    assertThat(problem(ask(NOWHERE, "Accept: */*")).get("status")).hasToString("503");
    assertThat(ask(NOWHERE, "Accept: text/html, */*;q=0.8").field("Content-Type"))
        .startsWith("text/html");
  }

  // ---- denials

  @ParameterizedTest
  @ValueSource(strings = {"text/html", "application/json"})
  void theRuleIsShownOnlyWhereTheDirectiveSaysSo(String accept) throws Exception {
    String[] rules = {"acl later req_header X-Later .", "http_access deny later"};
    startProxy(rules);
    String plain = text(get("/a", "X-Later: 1", "Accept: " + accept));
    assertThat(plain).doesNotContain("deny later", "later", ".conf");
    proxy.close();
    startProxy(rules[0], rules[1], "http_access allow all", "loligo_explain_denials on");
    WireMessage response = get("/a", "X-Later: 1", "Accept: " + accept);
    if (accept.equals("text/html")) {
      assertThat(text(response))
          .contains("<dt>Rule</dt><dd>http_access deny later</dd>")
          .containsPattern("<dt>Line</dt><dd>[^<]+:[0-9]+</dd>");
    } else {
      assertThat(problem(response)).containsEntry("rule", "http_access deny later");
      assertThat(problem(response).get("source")).asString().matches(".+:[0-9]+");
    }
    assertThat(text(ask(NOWHERE, "Accept: " + accept)))
        .as("an error that is no denial")
        .doesNotContain("http_access", "\"rule\"");
  }

  // ---- pages of the administrator

  @Test
  void aPageOfTheFolderComesBeforeTheBuiltInOnesButNotBeforeJson() throws Exception {
    Path pages = Files.createDirectories(dir.resolve("pages"));
    Files.writeString(pages.resolve("ERR_ACCESS_DENIED"), "mine");
    startProxy("http_access deny all", "error_directory " + pages);
    WireMessage page = get("/a", "Accept-Language: de");
    assertThat(text(page)).isEqualTo("mine");
    assertThat(page.field("Vary")).isEqualTo("Accept");
    assertThat(page.field("Content-Security-Policy")).isNull();
    assertThat(problem(get("/a", JSON))).containsEntry("error", "ERR_ACCESS_DENIED");
  }

  @Test
  void aPageOfDenyInfoWithASuccessfulStatusIsNeverAProblem() throws Exception {
    startProxy("acl all2 src all", "deny_info 200:ERR_MINE all2", "http_access deny all2");
    WireMessage response = get("/a", JSON);
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.field("Content-Type")).startsWith("text/html");
  }
}
