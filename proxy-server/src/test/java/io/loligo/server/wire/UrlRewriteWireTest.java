package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code url_rewrite_program}: redirections, rewritten requests, and helpers that do not answer.
 */
class UrlRewriteWireTest extends HelperWireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  @BeforeEach
  void write() throws Exception {
    writeHelper(
        "rewriter",
        "*/rewrite*) echo \"OK rewrite-url=\\\"" + origin.url("/target") + "\\\" mark_=m1\" ;;",
        "*/elsewhere*) echo \"OK rewrite-url=http://localhost:" + origin.port() + "/target\" ;;",
        "*/found*) echo 'OK url=http://example.test/y' ;;",
        "*/moved*) echo 'OK status=301 url=\"http://example.test/x\"' ;;",
        "*/old303*) echo '303:http://example.test/old' ;;",
        "*/oldurl*) echo '" + origin.url("/target") + " 127.0.0.1/- - GET' ;;",
        "*/oldgroup*) echo '!group!" + origin.url("/target") + "' ;;",
        "*/same*) echo \"OK rewrite-url=$word\" ;;",
        "*/broken*) echo 'BH message=\"no list\"' ;;",
        "*/empty*) echo ;;",
        "*/inject*) printf '%s\\n' 'OK url=\"http://example.test/\\r\\nSet-Cookie: a=b\"' ;;",
        "*/encoded*) echo 'OK url=http://example.test/%0d%0aX:%20y' ;;",
        "*/status*) echo 'OK status=200 url=http://example.test/' ;;",
        "*/blank*) echo 'OK rewrite-url=\"http://bad host/\"' ;;",
        "*/control*) printf '%s\\n' 'OK rewrite-url=\"http://bad/\\r\\nX\"' ;;",
        "*/scheme*) echo 'OK rewrite-url=gopher://a/' ;;",
        "*/relative*) echo 'OK rewrite-url=/target' ;;",
        "*/garbage*) printf '\\001\\377\\n' ;;",
        "*secure.test:*) echo 'OK rewrite-url=" + origin.authority() + "' ;;",
        "*) echo OK ;;");
  }

  private void start(String... more) throws Exception {
    String[] lines = Arrays.copyOf(more, more.length + 1);
    lines[more.length] = "url_rewrite_program " + helper.path();
    startProxy(lines);
    origin.onOk("/target", "target", FRESH);
    origin.otherwise(request -> request.ok("own"));
  }

  @Test
  void aRewrittenRequestIsSentStoredAndLoggedAsInSquid() throws Exception {
    start(
        "logformat all %ru %<ru %{mark_}note %et",
        "access_log stdio:" + dir.resolve("access.log") + " logformat=all");
    assertThat(get("/rewrite").text()).isEqualTo("target");
    assertHit(get("/rewrite2"));
    assertHit(get("/target"));
    assertThat(origin.fetches("/target")).isEqualTo(1);
    assertThat(stopAndReadLog())
        .startsWith(
            origin.url("/rewrite") + " " + origin.url("/target") + " m1 -",
            origin.url("/rewrite2") + " " + origin.url("/target") + " m1 -",
            origin.url("/target") + " " + origin.url("/target") + " - -");
  }

  @Test
  void theHelperReadsUrlClientUserAndMethod() throws Exception {
    start();
    get("/a?b=%20c");
    exchange("HEAD", "/h");
    assertThat(helper.asked())
        .containsExactly(
            origin.url("/a?b=%20c")
                + " 127.0.0.1/127.0.0.1 - GET myip=127.0.0.1 myport="
                + proxy.port(),
            origin.url("/h") + " 127.0.0.1/127.0.0.1 - HEAD myip=127.0.0.1 myport=" + proxy.port());
  }

  @Test
  void extrasAreCodesOfLogformat() throws Exception {
    start("url_rewrite_extras \"%>rm %{X-A}>h [%>rd] \\\"q\\\"\" # comment");
    get("/a", "X-A: two words\"");
    assertThat(helper.asked())
        .containsExactly(origin.url("/a") + " GET two%20words%22 [127.0.0.1] \"q\"");
  }

  @ParameterizedTest
  @CsvSource({
    "/found, 302, http://example.test/y",
    "/moved, 301, http://example.test/x",
    "/old303, 303, http://example.test/old",
    "/inject, 302, http://example.test/%0D%0ASet-Cookie:%20a=b",
    "/encoded, 302, http://example.test/%0D%0AX:%20y",
  })
  void redirectsTheClient(String path, int status, String location) throws Exception {
    start();
    RawClient client = client();
    WireMessage response = client.get(origin.url(path)).response();
    assertThat(response.status()).isEqualTo(status);
    assertThat(response.field("Location")).isEqualTo(location);
    assertThat(response.field("Content-Length")).isEqualTo("0");
    assertThat(response.field("Set-Cookie")).isNull();
    assertThat(response.field("X-Loligo-Error")).isNull();
    assertThat(client.get(origin.url("/own")).response().text()).isEqualTo("own");
    assertThat(stopAndReadLog().get(0)).contains(" TCP_REDIRECT/" + status + " ", " HIER_NONE/- ");
  }

  @ParameterizedTest
  @CsvSource({
    "/oldurl, target",
    "/oldgroup, target",
    "/same, own",
    "/empty, own",
    "/broken, own",
    "/status, own",
    "/blank, own",
    "/control, own",
    "/scheme, own",
    "/relative, own",
    "/garbage, own",
    "/plain, own",
  })
  void otherAnswersRewriteOrChangeNothing(String path, String text) throws Exception {
    start();
    assertThat(get(path).text()).isEqualTo(text);
  }

  @Test
  void theHostFieldIsTheClientsIfTheLineSaysSo() throws Exception {
    start("url_rewrite_host_header off");
    get("/elsewhere");
    assertThat(origin.lastRequest().field("Host")).isEqualTo(origin.authority());
    assertThat(origin.lastRequest().startLine()).contains("/target");
  }

  @Test
  void theHostFieldIsThatOfTheNewUrl() throws Exception {
    start();
    assertThat(get("/elsewhere").text()).isEqualTo("target");
    assertThat(origin.lastRequest().field("Host")).isEqualTo("localhost:" + origin.port());
  }

  @Test
  void rulesAboutTheClientsDestinationDoNotDecideAboutTheRewritersHost() throws Exception {
    start("acl here dst 127.0.0.1", "http_access deny here", "http_access allow all");
    assertThat(get("/elsewhere").status()).isEqualTo(403);
    WireMessage response = client().get("http://192.0.2.1/elsewhere").response();
    assertThat(response.text()).isEqualTo("target");
  }

  @Test
  void aConnectCanBeRewrittenToo() throws Exception {
    start();
    RawClient client = client();
    client.send("CONNECT secure.test:443 HTTP/1.1\r\nHost: secure.test:443\r\n\r\n");
    assertThat(client.responseHead()).startsWith("HTTP/1.1 200");
    client.send("GET /target HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("target");
    assertThat(helper.asked()).singleElement().asString().startsWith("secure.test:443 ");
  }

  @Test
  void onlyAllowedRequestsAreAskedAbout() throws Exception {
    start(
        "acl some urlpath_regex ^/some",
        "url_rewrite_access deny some",
        "url_rewrite_access allow all");
    assertThat(get("/some/rewrite").text()).isEqualTo("own");
    assertThat(get("/rewrite").text()).isEqualTo("target");
    assertThat(helper.asked()).hasSize(1);
  }

  @Test
  void requestsThatAreDeniedAreNotAskedAbout() throws Exception {
    start("http_access deny all");
    assertThat(get("/rewrite").status()).isEqualTo(403);
    assertThat(helper.asked()).isEmpty();
  }

  @Test
  void aHelperThatEndsFailsTheRequestAndNotTheProcess() throws Exception {
    start();
    WireMessage response = get("/die");
    assertThat(response.status()).isEqualTo(500);
    assertThat(response.field("X-Loligo-Error")).isEqualTo("ERR_GATEWAY_FAILURE");
    assertThat(get("/rewrite").text()).isEqualTo("target");
  }

  @Test
  void aHelperThatEndsIsBypassed() throws Exception {
    start("url_rewrite_bypass on");
    assertThat(get("/die").text()).isEqualTo("own");
  }

  @Test
  void aHungHelperCostsItsTime() throws Exception {
    HeldTime time = new HeldTime();
    startProxy(time, "loligo_helper_timeout 3 seconds", "url_rewrite_program " + helper.path());
    origin.otherwise(request -> request.ok("own"));
    RawClient client = hangingClient();
    time.passTimeouts(3_500);
    assertThat(client.response().status()).isEqualTo(500);
    assertThat(get("/plain").text()).isEqualTo("own");
  }

  @ParameterizedTest
  @CsvSource({
    "on_timeout=bypass, 200",
    "on_timeout=fail, 500",
    "on_timeout=use_configured_response response=\"OK url=http://busy.test/\", 302",
    "on_timeout=use_configured_response response=\"BH\", 200",
  })
  void whatFollowsAfterTheTimeIsConfigured(String action, int status) throws Exception {
    HeldTime time = new HeldTime();
    startProxy(
        time, "url_rewrite_timeout 2 seconds " + action, "url_rewrite_program " + helper.path());
    origin.otherwise(request -> request.ok("own"));
    RawClient client = hangingClient();
    time.passTimeouts(2_500);
    assertThat(client.response().status()).isEqualTo(status);
  }

  @Test
  void aTimedOutQuestionIsAskedAgain() throws Exception {
    HeldTime time = new HeldTime();
    startProxy(
        time,
        "url_rewrite_timeout 2 seconds on_timeout=retry",
        "url_rewrite_program " + helper.path());
    origin.otherwise(request -> request.ok("own"));
    RawClient client = hangingClient();
    time.passTimeouts(2_500);
    Waiting.until("the helper is asked again", () -> helper.asked().size() == 2);
    openGate();
    assertThat(client.response().text()).isEqualTo("own");
  }

  @Test
  void aBusyHelperIsBypassedAndOthersWaitForIt() throws Exception {
    start("url_rewrite_children 1", "url_rewrite_bypass on");
    RawClient waiting = hangingClient();
    assertThat(get("/rewrite").text()).isEqualTo("own");
    openGate();
    assertThat(waiting.response().text()).isEqualTo("own");
    assertThat(get("/rewrite").text()).isEqualTo("target");
  }

  @Test
  void aClientThatLeavesIsForgotten() throws Exception {
    start("url_rewrite_children 1");
    RawClient first = hangingClient();
    RawClient second = client();
    second.get(origin.url("/second"));
    Waiting.until("two questions wait", () -> metric("pending").equals("2.0"));
    second.reset();
    Waiting.until("one is cancelled", () -> metric("pending").equals("1.0"));
    openGate();
    assertThat(first.response().text()).isEqualTo("own");
    assertThat(helper.asked()).hasSize(1);
  }

  private String metric(String name) throws Exception {
    String text = admin("/metrics");
    String series = "loligo_helper_" + name + "{helper=\"url_rewrite_program\"} ";
    int at = text.indexOf(series);
    return at < 0 ? text : text.substring(at + series.length(), text.indexOf('\n', at));
  }

  @Test
  void questionsAndAnswersAreCounted() throws Exception {
    start();
    get("/a");
    get("/die");
    assertThat(metric("requests_total")).isEqualTo("2.0");
    assertThat(metric("replies_total")).isEqualTo("1.0");
    assertThat(metric("failures_total")).isEqualTo("1.0");
    assertThat(metric("exits_total")).isEqualTo("2.0");
  }

  @Test
  void aReloadChangesTheProgram() throws Exception {
    start();
    assertThat(get("/rewrite").text()).isEqualTo("target");
    assertThat(proxy.reload(configuration("http_port 127.0.0.1:0")).done()).isTrue();
    assertThat(get("/rewrite").text()).isEqualTo("own");
    HelperScript other =
        HelperScript.write(dir, "other", false, "*/rewrite*) echo 'OK url=http://new.test/' ;;");
    proxy.reload(configuration("http_port 127.0.0.1:0", "url_rewrite_program " + other.path()));
    assertThat(get("/rewrite").status()).isEqualTo(302);
  }

  @Test
  void withChannelsOneChildAnswersInAnyOrder() throws Exception {
    HelperScript pairs =
        HelperScript.write(
            dir,
            "pairs",
            /* channels= */ true,
            "*/first*) held=$id ;;",
            "*/second*) echo \"${id}OK url=http://2.test/\"; echo \"${held}OK url=http://1.test/\""
                + " ;;");
    startProxy("url_rewrite_children 1 concurrency=5", "url_rewrite_program " + pairs.path());
    RawClient first = client();
    first.get(origin.url("/first"));
    Waiting.until("the first is asked", () -> pairs.asked().size() == 1);
    RawClient second = client();
    second.get(origin.url("/second"));
    assertThat(second.response().field("Location")).isEqualTo("http://2.test/");
    assertThat(first.response().field("Location")).isEqualTo("http://1.test/");
  }

  @Test
  void explainAsksTheHelperToo() throws Exception {
    start();
    get("/target");
    String text = admin("/explain?url=" + URLEncoder.encode(origin.url("/rewrite"), UTF_8));
    assertThat(text).contains(origin.url("/target"), "hits       0");
    assertThat(List.copyOf(helper.asked())).hasSize(2);
  }
}
