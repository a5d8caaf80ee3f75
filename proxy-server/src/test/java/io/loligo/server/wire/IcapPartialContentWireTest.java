package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Services that give back the beginning of a message (206, use-original-body), and hostile ones.
 */
class IcapPartialContentWireTest extends WireTest {
  private static final String OPTIONS = "Allow: 204, 206\r\nOptions-TTL: 3600\r\n";
  private static final String PREVIEW = "Preview: 4\r\nTransfer-Preview: *\r\n" + OPTIONS;
  private static final String LARGE = "0123456789abcdef".repeat(20_000);

  private ScriptedIcap icap;

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    origin.onOk("/a", "content", "Cache-Control: max-age=1000");
    origin.onOk("/large", LARGE);
    origin.on("/echo", call -> call.ok("got " + call.whole().text()));
  }

  private void start(String point, String... more) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "icap_enable on",
                "icap_service_failure_limit -1",
                icap.service("scan", point),
                "adaptation_access scan allow all"));
    lines.addAll(Arrays.asList(more));
    startProxy(lines.toArray(String[]::new));
  }

  /** A response of which the content begins with {@code body}, and ends as {@code last} says. */
  private static String partly(String body, String last, String... lines) {
    return ScriptedIcap.partly(ScriptedIcap.response("200 OK", body, lines), last);
  }

  private static String original(Object from) {
    return "0; use-original-body=" + from + "\r\n\r\n";
  }

  @Test
  void theRestFollowsAPreview() throws Exception {
    icap.options(PREVIEW);
    icap.on(partly("new-", original(2), "Cache-Control: max-age=9", "X-Scan: 1"));
    start(
        "respmod_precache",
        "logformat outcome %icap::to %icap::Hs",
        "icap_log stdio:" + dir.resolve("icap.log") + " outcome");
    WireMessage response = get("/a");
    assertThat(response.text()).isEqualTo("new-ntent");
    assertThat(response.field("X-Scan")).isEqualTo("1");
    assertThat(icap.lastCall().body()).isEqualTo("cont");
    assertThat(icap.lastCall().head()).contains("\r\nAllow: 204, 206\r\n");
    assertHit(get("/a"));
    assertThat(get("/large").text()).isEqualTo("new-" + LARGE.substring(2));
    assertThat(icap.lastCall().head()).contains("\r\nAllow: 206\r\n");
    assertThat(icap.connections()).as("the connection is kept").isEqualTo(1);
    assertThat(stopAndReadLog("icap.log"))
        .containsExactly("ICAP_OPT 200", "ICAP_PART_ECHO 206", "ICAP_PART_ECHO 206");
  }

  @ParameterizedTest
  @CsvSource({"0, content", "4, ent", "7, ''"})
  void theRestBeginsAnywhereInWhatTheServiceHasRead(int from, String rest) throws Exception {
    icap.options(OPTIONS);
    icap.on(partly("<", original(from)));
    start("respmod_precache");
    assertThat(get("/a").text()).isEqualTo("<" + rest);
    assertThat(icap.lastCall().body()).isEqualTo("content");
    assertThat(icap.lastCall().head()).contains("\r\nAllow: 204, 206\r\n");
  }

  @Test
  void aServiceMayBeginWithTheOriginal() throws Exception {
    icap.options(PREVIEW);
    icap.on(partly("", original(0), "X-Scan: 1"));
    start("respmod_precache");
    WireMessage response = get("/large");
    assertThat(response.text()).isEqualTo(LARGE);
    assertThat(response.field("X-Scan")).isEqualTo("1");
  }

  @Test
  void anAnnouncedLengthCountsTheRest() throws Exception {
    icap.options(PREVIEW);
    icap.on(partly("new-", original(2), "Content-Length: 9"));
    start("respmod_precache");
    WireMessage response = get("/a");
    assertThat(response.text()).isEqualTo("new-ntent");
    assertThat(response.field("Content-Length")).isEqualTo("9");
  }

  @Test
  void withoutTheExtensionNothingFollows() throws Exception {
    icap.options(PREVIEW);
    icap.on(partly("new", "0; other=\"use-original-body=1;\"\r\n\r\n"));
    start("respmod_precache");
    assertThat(get("/a").text()).isEqualTo("new");
  }

  /** The same extension has no meaning behind another status. */
  @Test
  void onlyA206NamesTheOriginal() throws Exception {
    icap.options(PREVIEW);
    icap.on(partly("new", original(2)).replace(" 206 Partial", " 200 OK"));
    start("respmod_precache");
    assertThat(get("/a").text()).isEqualTo("new");
  }

  @Test
  void aRequestKeepsItsRest() throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          String head = call.heads().replaceAll("Content-Length: .*\r\n", "");
          call.readChunks();
          String whole = ScriptedIcap.adapted("req", head, "[");
          call.send(ScriptedIcap.partly(whole, original(3)));
        });
    start("reqmod_precache");
    assertThat(send("POST", "/echo", "12345678").text()).isEqualTo("got [45678");
    assertThat(send("POST", "/echo", LARGE).text()).isEqualTo("got [" + LARGE.substring(3));
  }

  /** An origin never takes a part of it for a request of its own. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 5, 7, 100})
  void aRequestOfAnotherLengthThanAnnouncedIsNotSentWhole(int announced) throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          String length = "Content-Length: " + announced + "\r\n";
          String head = call.heads().replaceAll("Content-Length: .*\r\n", length);
          call.readChunks();
          String whole = ScriptedIcap.adapted("req", head, "[");
          call.send(ScriptedIcap.partly(whole, original(3)));
        });
    start("reqmod_precache");
    String length = "Content-Length: 8";
    String head = RawClient.head("POST", origin.url("/echo"), length, "Connection: close");
    assertThat(client().send(head + "12345678").untilClose()).doesNotContain("got ");
  }

  /** A service that answers before it has read everything gets no more. */
  @Test
  void aServiceMayAnswerEarlyOutsideOfAPreview() throws Exception {
    CountDownLatch half = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nabcd");
          await(half);
          call.send("efgh");
        });
    icap.options(OPTIONS);
    icap.on(
        call -> {
          StringBuilder read = new StringBuilder();
          while (read.length() < 4) {
            read.append(call.readChunk());
          }
          call.send(partly("<", original(1)));
        });
    start("respmod_precache");
    RawClient client = client().get(origin.url("/slow"));
    String head = client.responseHead();
    assertThat(client.readContent(head, 4)).isEqualTo("<bcd");
    half.countDown();
    assertThat(client.readContent(head, 4)).isEqualTo("efgh");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "8",
        "99999999999999999999",
        "-1",
        "x",
        "",
        "\"2\"",
        "2;use-original-body=2",
        "2 ; Use-Original-Body = 3",
      })
  void anOffsetThatLiesCutsTheResponse(String from) throws Exception {
    icap.options(OPTIONS);
    icap.on(partly("new", original(from), "Cache-Control: max-age=1000"));
    start("respmod_precache");
    String response = client().get(origin.url("/a")).untilClose();
    assertThat(response).startsWith("HTTP/1.1 200 ").doesNotContain("\r\n0\r\n");
    icap.on(ScriptedIcap.NO_CONTENT);
    assertThat(get("/a").text()).as("the cut one is not stored").isEqualTo("content");
  }

  @ParameterizedTest
  @CsvSource({"3, more", "8, more", "10, less", "100, less"})
  void contentOfAnotherLengthThanAnnouncedIsNotTakenForComplete(int announced, String than)
      throws Exception {
    icap.options(PREVIEW);
    String fresh = "Cache-Control: max-age=1000";
    String length = "Content-Length: " + announced;
    Path log = dir.resolve("detail.log");
    start(
        "respmod_precache", "logformat detail %err_detail", "access_log stdio:" + log + " detail");
    origin.on(
        "/chunked",
        call ->
            call.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=1000\r\nTransfer-Encoding: chunked\r\n"
                    + "\r\n7\r\ncontent\r\n0\r\n\r\n"));
    for (String path : List.of("/a", "/chunked")) {
      icap.on(partly("new-", original(2), length, fresh));
      String response = client().get(origin.url(path)).untilClose();
      int body = response.indexOf("\r\n\r\n") + 4;
      assertThat(response.length() - body).as(response).isLessThan(announced);
      icap.on(ScriptedIcap.NO_CONTENT);
      assertThat(get(path).text()).as("the cut one is not stored").isEqualTo("content");
    }
    String why = "icap_service%20scan:%20" + than + "%20content%20than%20announced";
    assertThat(stopAndReadLog("detail.log")).containsExactly(why, "-", why, "-");
  }

  @Test
  void a206ThatWasNotOfferedIsAnError() throws Exception {
    icap.options(OPTIONS.replace(", 206", ""));
    icap.on(partly("new", original(2)));
    start("respmod_precache");
    assertThat(get("/a").status()).isEqualTo(500);
    assertThat(icap.lastCall().head()).contains("\r\nAllow: 204\r\n");
  }

  @Test
  void a206BehindAPreviewIsAnErrorIfNotAllIsKept() throws Exception {
    icap.options(PREVIEW);
    icap.on(
        call -> {
          call.readChunks();
          call.send("ICAP/1.0 100 Continue\r\n\r\n");
          call.readChunks();
          call.send(partly("new", original(2)));
        });
    start("respmod_precache");
    assertThat(get("/a").text()).isEqualTo("newntent");
    assertThat(get("/large").status()).isEqualTo(500);
  }

  @Test
  void anAnswerToARequestHasNoOriginal() throws Exception {
    icap.options(PREVIEW);
    icap.on(partly("page", original(2)));
    start("reqmod_precache");
    String head = RawClient.head("POST", origin.url("/echo"), "Content-Length: 7");
    assertThat(client().send(head + "content").untilClose())
        .contains("page")
        .doesNotContain("ntent")
        .doesNotContain("\r\n0\r\n");
  }

  @ParameterizedTest
  @CsvSource({"on, '204, 206'", "off, 204"})
  void theDirectiveOffersIt(String partial, String allow) throws Exception {
    icap.options(PREVIEW);
    start("respmod_precache", "icap_206_enable " + partial);
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(WireMessage.field(icap.lastCall().head(), "Allow")).isEqualTo(allow);
    assertThat(WireMessage.field(icap.lastOptions(), "Allow")).isEqualTo(allow);
  }

  /** Content that may follow is kept, and given back in every case. */
  @Test
  void keptContentIsCountedAndGivenBack() throws Exception {
    icap.options(PREVIEW);
    icap.on(partly("new-", original(2)));
    start("respmod_precache");
    get("/large");
    get("/a");
    awaitLoop();
    assertThat(proxy.transitBytes()).isZero();
  }
}
