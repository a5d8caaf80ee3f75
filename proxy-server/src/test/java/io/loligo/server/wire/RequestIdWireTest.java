package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids of requests: made, taken over, sent on and shown. */
class RequestIdWireTest extends WireTest {
  private static final String OWN = "[0-9a-f]{16}-[0-9a-f]+";
  private static final String TRUST = "loligo_request_id_trust allow localhost";
  private static final String SEND = "loligo_request_id_send allow all";

  private String log() {
    return "access_log stdio:" + dir.resolve("access.log") + " logformat=ids";
  }

  private void start(String... lines) throws Exception {
    String[] all = new String[lines.length + 2];
    all[0] = "logformat ids %request_id %rm %>Hs";
    all[1] = log();
    System.arraycopy(lines, 0, all, 2, lines.length);
    startProxy(all);
    origin.otherwise(call -> call.ok("x", "Cache-Control: max-age=100"));
  }

  private String sentId() {
    return origin.lastRequest().field("X-Request-ID");
  }

  @Test
  void eachRequestHasAnIdOfItsOwn() throws Exception {
    start();
    get("/a");
    get("/a");
    client().send("bad\r\n\r\n").response();
    List<String> lines = stopAndReadLog();
    assertThat(lines).hasSize(3).allMatch(line -> line.matches(OWN + " .*"));
    assertThat(Set.copyOf(lines.stream().map(line -> line.split(" ", -1)[0]).toList())).hasSize(3);
    assertThat(lines.stream().map(line -> line.substring(0, 16)).distinct()).hasSize(1);
  }

  @Test
  void withoutLinesTheFieldPassesAsInSquid() throws Exception {
    start();
    get("/a");
    assertThat(origin.lastRequest().head()).doesNotContainIgnoringCase("x-request-id");
    get("/b", "X-Request-ID: theirs");
    assertThat(sentId()).isEqualTo("theirs");
    assertThat(stopAndReadLog()).hasSize(2).allMatch(line -> line.matches(OWN + " GET 200"));
  }

  @Test
  void theNextHopGetsTheIdOfTheLog() throws Exception {
    start(SEND);
    get("/a", "x-request-id: theirs");
    String sent = sentId();
    assertThat(sent).matches(OWN);
    assertThat(origin.lastRequest().head()).containsOnlyOnce("equest-").doesNotContain("theirs");
    assertThat(stopAndReadLog()).containsExactly(sent + " GET 200");
  }

  @Test
  void aTrustedClientGivesTheId() throws Exception {
    start(TRUST, SEND);
    get("/a", "X-Request-ID: theirs-1/2");
    assertThat(sentId()).isEqualTo("theirs-1/2");
    get("/b");
    String own = sentId();
    assertThat(own).matches(OWN);
    assertThat(stopAndReadLog()).containsExactly("theirs-1/2 GET 200", own + " GET 200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "\u00e9", "", "x\"y"})
  void anIdThatIsNoneIsReplaced(String id) throws Exception {
    start(TRUST, SEND);
    get("/a", "X-Request-ID: " + id);
    assertThat(sentId()).matches(OWN);
  }

  @Test
  void twoIdsAreNone() throws Exception {
    start(TRUST, SEND);
    get("/a", "X-Request-ID: a", "X-Request-ID: b");
    assertThat(sentId()).matches(OWN);
    assertThat(origin.lastRequest().head()).containsOnlyOnce("X-Request-ID");
  }

  @Test
  void trustIsInTheAddressOfTheConnection() throws Exception {
    start(
        "follow_x_forwarded_for allow localhost",
        "acl far src 192.0.2.7",
        "loligo_request_id_trust allow far",
        SEND);
    get("/a", "X-Forwarded-For: 192.0.2.7", "X-Request-ID: theirs");
    assertThat(sentId()).matches(OWN);
  }

  @Test
  void rulesAboutFieldsSeeTheId() throws Exception {
    start(
        SEND,
        "request_header_access X-Request-ID deny all",
        "request_header_add X-Trace \"%request_id\" all",
        "reply_header_add X-Request-ID \"%request_id\" all");
    String answered = get("/a").field("X-Request-ID");
    assertThat(answered).matches(OWN);
    assertThat(sentId()).isNull();
    assertThat(origin.lastRequest().field("X-Trace")).isEqualTo(answered);
    assertThat(get("/a").field("X-Request-ID")).as("a hit").matches(OWN).isNotEqualTo(answered);
  }

  @Test
  void aParentGetsTheIdOfATunnel() throws Exception {
    start(
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query",
        "never_direct allow all",
        SEND);
    origin.otherwise(call -> call.send("HTTP/1.1 200 OK\r\n\r\n"));
    client().send("CONNECT host.test:443 HTTP/1.1\r\nHost: x\r\n\r\n").responseHead();
    assertThat(sentId()).matches(OWN);
  }

  @Test
  void aValidationInTheBackgroundHasTheIdOfItsCause() throws Exception {
    start(SEND);
    origin.otherwise(
        call ->
            call.ok("x", "Cache-Control: max-age=0, stale-while-revalidate=100", "ETag: \"e\""));
    get("/a");
    get("/a");
    awaitCount(() -> origin.requests().size(), 2);
    String validation = sentId();
    assertThat(stopAndReadLog().get(1)).isEqualTo(validation + " GET 200");
  }

  /** One request reads along with the fetch of another, which the origin answers meanwhile. */
  private void share(String firstLine, String secondLine) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    origin.otherwise(
        call -> {
          await(release);
          call.ok("x", "Cache-Control: max-age=100");
        });
    RawClient first = client().get(origin.url("/a"), firstLine);
    origin.awaitRequest("/a");
    RawClient second = client().get(origin.url("/a"), secondLine);
    awaitLoop();
    release.countDown();
    assertThat(first.response().text()).isEqualTo("x");
    assertThat(second.response().text()).isEqualTo("x");
  }

  private static final String FETCHED = "logformat fetched %request_id %fetch_request_id %Ss %rp";

  private void startFetched(String... more) throws Exception {
    List<String> all = new ArrayList<>(List.of(more));
    all.add(FETCHED);
    all.add(fetchedLog());
    startProxy(all.toArray(String[]::new));
  }

  private String fetchedLog() {
    return "access_log stdio:" + dir.resolve("access.log") + " logformat=fetched";
  }

  private List<String> linesAboutA() throws Exception {
    return stopAndReadLog().stream()
        .filter(line -> line.endsWith("/a"))
        .map(line -> line.substring(0, line.lastIndexOf(' ')))
        .toList();
  }

  @Test
  void aCollapsedRequestNamesTheOneThatFetched() throws Exception {
    startFetched(SEND);
    share("A: b", "A: b");
    String fetched = sentId();
    List<String> lines = linesAboutA();
    assertThat(lines).hasSize(2).contains(fetched + " - TCP_MISS");
    assertThat(lines).anyMatch(line -> line.matches(OWN + " " + fetched + " TCP_CF_HIT"));
    assertThat(lines).noneMatch(line -> line.startsWith(fetched + " " + fetched));
  }

  @Test
  void aCollapsedRequestNamesTheGivenIdOfTheOneThatFetched() throws Exception {
    startFetched(TRUST);
    share("X-Request-ID: one", "X-Request-ID: two");
    assertThat(linesAboutA()).containsExactlyInAnyOrder("one - TCP_MISS", "two one TCP_CF_HIT");
  }

  @Test
  void aRequestThatFetchesItselfAfterAllNamesNoOther() throws Exception {
    startFetched();
    CountDownLatch release = new CountDownLatch(1);
    origin.otherwise(
        call -> {
          await(release);
          call.ok("x", "Cache-Control: private");
        });
    RawClient first = client().get(origin.url("/a"));
    origin.awaitRequest("/a");
    RawClient second = client().get(origin.url("/a"));
    awaitLoop();
    release.countDown();
    first.response();
    second.response();
    assertThat(linesAboutA()).hasSize(2).allMatch(line -> line.matches(OWN + " - TCP_MISS"));
  }

  @Test
  void aRequestThatReadsAValidationInTheBackgroundNamesItsCause() throws Exception {
    PassingTime time = new PassingTime();
    startProxy(time, TRUST, FETCHED, fetchedLog());
    origin.onOk("/a", "x", "Cache-Control: max-age=10, stale-while-revalidate=100");
    get("/a", "X-Request-ID: before");
    time.pass(20);
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          await(release);
          call.ok("y", "Cache-Control: max-age=1000"); // less the 200 seconds that it took
        });
    get("/a", "X-Request-ID: cause");
    origin.awaitRequest("/a");
    origin.awaitRequest("/a");
    time.pass(200); // too stale to be served
    RawClient joining = client().get(origin.url("/a"), "X-Request-ID: joins");
    awaitLoop();
    release.countDown();
    assertThat(joining.response().text()).isEqualTo("y");
    assertThat(linesAboutA()).contains("joins cause TCP_CF_HIT");
  }

  @Test
  void servicesOfIcapGetIt() throws Exception {
    ScriptedIcap icap = closing(ScriptedIcap.start());
    start(
        SEND,
        "icap_enable on",
        icap.service("req", "reqmod_precache", ""),
        icap.service("resp", "respmod_precache", ""),
        "adaptation_access req allow all",
        "adaptation_access resp allow all");
    get("/a");
    String sent = sentId();
    assertThat(icap.calls())
        .hasSize(2)
        .allSatisfy(call -> assertThat(call.head()).containsOnlyOnce("X-Request-ID: " + sent));
  }

  @Test
  void servicesOfIcapGetItWhereTheNextHopGetsItOnly() throws Exception {
    ScriptedIcap icap = closing(ScriptedIcap.start());
    start(
        "acl ours urlpath_regex ^/ours",
        "loligo_request_id_send allow ours",
        "icap_enable on",
        icap.service("req", "reqmod_precache", ""),
        "adaptation_access req allow all",
        "adaptation_meta X-Request-ID \"mine\" all");
    get("/a");
    assertThat(icap.lastCall().head()).containsOnlyOnce("X-Request-ID: mine");
    get("/ours");
    assertThat(icap.lastCall().head()).as("the operator's field").containsOnlyOnce("X-Request-ID:");
  }

  @Test
  void slicesHaveTheIdOfTheirRequest() throws Exception {
    start(SEND, "loligo_slice_size 64 KB");
    String whole = "0123456789abcdef".repeat(8_000);
    origin.otherwise(
        call -> {
          int from = Integer.parseInt(call.field("Range").replaceAll("bytes=(\\d+)-.*", "$1"));
          int to = Math.min(from + (64 << 10), whole.length());
          call.send(
              "HTTP/1.1 206 Part\r\n"
                  + "Cache-Control: max-age=9\r\n"
                  + "ETag: \"e\"\r\n"
                  + "Content-Range: bytes "
                  + (from + "-" + (to - 1) + "/" + whole.length())
                  + ("\r\nContent-Length: " + (to - from) + "\r\n\r\n")
                  + whole.substring(from, to));
        });
    assertThat(get("/a").text()).isEqualTo(whole);
    assertThat(origin.requests()).hasSize(2);
    String last = sentId();
    assertThat(origin.requests().get(0).field("X-Request-ID")).isEqualTo(last);
    assertThat(stopAndReadLog()).containsExactly(last + " GET 200");
  }

  @Test
  void errorPagesOfFilesShowIt() throws Exception {
    Files.writeString(dir.resolve("ERR_ACCESS_DENIED"), "id %r");
    start("error_directory " + dir, "http_access deny all");
    String page = get("/a").text();
    assertThat(page).matches("id " + OWN + "\\s*");
    assertThat(stopAndReadLog()).containsExactly(page.strip().substring(3) + " GET 403");
  }

  @Test
  void explainNamesTheRequestsOfThePast() throws Exception {
    start(TRUST);
    get("/a", "X-Request-ID: theirs");
    get("/a");
    String path = "/explain?format=json&url=" + origin.url("/a");
    String explained;
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      String head = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      explained = client.send(head).responseTo("GET").text();
    }
    assertThat(explained).contains("\"requestId\": \"theirs\"").containsPattern("\"" + OWN + "\"");
  }

  @Test
  void theLogNamesTheLineThatDecided() throws Exception {
    startProxy(
        "acl bad urlpath_regex ^/bad",
        "acl odd urlpath_regex ^/odd",
        "http_access deny bad",
        "http_access allow all",
        "http_reply_access deny odd",
        "http_reply_access allow all",
        "logformat rules %access_rule %exchange_class %cache_outcome %cache_reason",
        "access_log stdio:" + dir.resolve("access.log") + " logformat=rules");
    origin.otherwise(call -> call.ok("x", "Cache-Control: max-age=100"));
    get("/good");
    get("/good");
    get("/bad");
    get("/odd");
    List<String> lines = stopAndReadLog();
    assertThat(lines.get(0)).matches("http_access%20allow%20all%20\\(\\S+:\\d+\\) miss fetch .*");
    assertThat(lines.get(1)).endsWith(" memory_hit serve fresh");
    assertThat(lines.get(2)).matches("http_access%20deny%20bad%20\\(\\S+:\\d+\\) own_answer - -");
    assertThat(lines.get(3)).startsWith("http_reply_access%20deny%20odd%20(");
  }
}
