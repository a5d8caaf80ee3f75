package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code icap_log}, and the codes about ICAP in {@code access_log}. */
class IcapLogWireTest extends WireTest {
  private final HeldTime time = new HeldTime();
  private ScriptedIcap icap;

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    origin.onOk("/a", "content", "X-Reply: 1");
  }

  private void start(String point, String format, String... more) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "icap_enable on",
                icap.service("scan", point, "bypass=on"),
                "adaptation_access scan allow all",
                "logformat own " + format,
                "access_log stdio:" + dir.resolve("access.log") + " own"));
    if (Stream.of(more).noneMatch(line -> line.startsWith("icap_log"))) {
      lines.add("icap_log stdio:" + dir.resolve("icap.log") + " own");
    }
    lines.addAll(List.of(more));
    startProxy(time, lines.toArray(String[]::new));
  }

  /** The lines about messages. */
  private List<String> icapLines() throws Exception {
    return stopAndReadLog("icap.log").stream().filter(line -> !line.contains("OPTIONS")).toList();
  }

  @Test
  void aLineHasTheFactsOfTheTransaction() throws Exception {
    icap.on(
        "ICAP/1.0 200 OK\r\nX-Found: none\r\nEncapsulated: res-hdr=0, res-body=38\r\n\r\n"
            + "HTTP/1.1 203 Other\r\nX-Changed: yes\r\n\r\n3\r\nnew\r\n0\r\n\r\n");
    start(
        "respmod_precache",
        "%icap::to %icap::Hs %icap::rm %icap::ru %icap::<A %icap::<service_name %icap::<bs"
            + " %{X-Site}icap::>h %{X-Found}icap::<h %>a %rm %ru %>Hs %{X-Changed}<h",
        "adaptation_meta X-Site here all");
    assertThat(get("/a").text()).isEqualTo("new");
    assertThat(icapLines())
        .containsExactly(
            "ICAP_MOD 200 RESPMOD "
                + icap.uri("/resp")
                + " 127.0.0.1 scan 41 here none 127.0.0.1 GET "
                + origin.url("/a")
                + " 203 yes");
  }

  /** Those of requests and of responses, each value once; later rules see them. */
  @Test
  void fieldsForServicesAreNotes() throws Exception {
    origin.onOk("/typed", "x", "X-Type: own");
    origin.onOk("/odd", "x", "X-Type: odd");
    startProxy(
        "icap_enable on",
        icap.service("filter", "reqmod_precache"),
        icap.service("scan", "respmod_precache"),
        "adaptation_access filter allow all",
        "adaptation_access scan allow all",
        "adaptation_meta X-Site here all",
        "adaptation_meta X-Type \"%{X-Type}<h\" all",
        "acl secret urlpath_regex ^/secret",
        "acl site note X-Site here",
        "adapted_http_access deny secret site",
        "acl typed note X-Type own",
        "acl odd note X-Type odd",
        "http_reply_access deny odd",
        "logformat notes %>Hs %{X-Site}note|%{X-Type}note",
        "access_log stdio:" + dir.resolve("all.log") + " notes",
        "access_log stdio:" + dir.resolve("typed.log") + " notes typed");
    assertThat(get("/typed").text()).isEqualTo("x");
    assertThat(get("/secret").status()).isEqualTo(403);
    assertThat(get("/odd").status()).isEqualTo(403);
    assertThat(stopAndReadLog("all.log"))
        .containsExactly("200 here|-,own", "403 here|-", "403 here|-,odd");
    assertThat(stopAndReadLog("typed.log")).containsExactly("200 here|-,own");
  }

  @Test
  void bytesAreThoseOfTheConnection() throws Exception {
    start("reqmod_precache", "%icap::>st %icap::<st %icap::rm");
    get("/a");
    int sent = icap.lastCall().head().length() + icap.lastCall().heads().length();
    assertThat(icapLines())
        .containsExactly(sent + " " + ScriptedIcap.NO_CONTENT.length() + " REQMOD");
  }

  @Test
  void theBuiltInFormatIsSquids() throws Exception {
    String file = dir.resolve("icap.log").toString();
    start("reqmod_precache", "x", "icap_log stdio:" + file + " icap_squid");
    get("/a");
    assertThat(icapLines())
        .singleElement()
        .asString()
        .matches(
            "[0-9]{10}[.][0-9]{3} +[0-9]+ 127.0.0.1 ICAP_ECHO/204 "
                + ScriptedIcap.NO_CONTENT.length()
                + " REQMOD "
                + icap.uri("/req")
                + " - -/127.0.0.1 -");
  }

  @Test
  void requestsForOptionsAreLogged() throws Exception {
    start("reqmod_precache", "%icap::to %icap::Hs %icap::rm %>a %ru %icap::<bs");
    get("/a");
    assertThat(stopAndReadLog("icap.log"))
        .containsExactly(
            "ICAP_OPT 200 OPTIONS - - -",
            "ICAP_ECHO 204 REQMOD 127.0.0.1 " + origin.url("/a") + " -");
  }

  @Test
  void outcomesHaveSquidsWords() throws Exception {
    start("reqmod_precache", "%icap::to %icap::Hs %icap::rm", "icap_service_failure_limit -1");
    icap.on(ScriptedIcap.response("403 No", "denied"));
    get("/a");
    icap.on("ICAP/1.0 500 Broken\r\n\r\n");
    get("/a");
    icap.on(call -> call.send(ScriptedIcap.adapted("req", call.heads(), null)));
    get("/a");
    assertThat(icapLines())
        .containsExactly("ICAP_SAT 200 REQMOD", "ICAP_ERR_OTHER 500 REQMOD", "ICAP_MOD 200 REQMOD");
  }

  /** Fewer or more bytes than Content-Length says: a failure of the service. */
  @ParameterizedTest
  @ValueSource(ints = {3, 20})
  void contentOfAnotherLengthIsAFailure(int announced) throws Exception {
    icap.on(ScriptedIcap.response("200 OK", "changed", "Content-Length: " + announced));
    start("respmod_precache", "%icap::to %icap::rm");
    assertThatThrownBy(() -> get("/a")).isInstanceOf(IOException.class);
    assertThat(icapLines()).containsExactly("ICAP_ERR_OTHER RESPMOD");
  }

  @Test
  void aclsChooseTheLines() throws Exception {
    String file = dir.resolve("icap.log").toString();
    start(
        "respmod_precache",
        "%icap::rm %>Hs",
        "acl changed http_status 203",
        "icap_log stdio:" + file + " own changed");
    get("/a");
    icap.on(ScriptedIcap.response("203 Other", "new"));
    get("/a");
    icap.on(ScriptedIcap.response("200 OK", "new"));
    get("/a");
    assertThat(icapLines()).containsExactly("RESPMOD 203");
  }

  @Test
  void aLineOfTheAccessLogHasTheTimesAndTheLastFields() throws Exception {
    icap.options("Options-TTL: 3600\r\nAllow: 204\r\n");
    icap.on("ICAP/1.0 204 No Content\r\nX-Found: none\r\n\r\n");
    start(
        "reqmod_precache",
        "%adapt::all_trs %adapt::sum_trs %{scan}adapt::all_trs %{other}adapt::all_trs %icap::tt"
            + " %{X-Found}adapt::<last_h %{X-Found}icap::<last_h %icap::to",
        icap.service("two", "respmod_precache"),
        "adaptation_access two allow all");
    get("/a");
    String line = stopAndReadLog().get(0);
    assertThat(line).matches("[0-9]+,[0-9]+ [0-9]+,[0-9]+ [0-9]+ - [0-9]+ none none -");
  }

  @Test
  void anExchangeWithoutServicesHasDashes() throws Exception {
    start(
        "reqmod_precache",
        "%adapt::all_trs %adapt::sum_trs %icap::tt %adapt::<last_h %icap::Hs",
        "url_rewrite_access deny all");
    icap.options("Transfer-Ignore: *\r\nOptions-TTL: 3600\r\n");
    get("/a");
    assertThat(stopAndReadLog()).containsExactly("- - - - -");
    assertThat(Files.readAllLines(dir.resolve("icap.log"), ISO_8859_1)).hasSize(1);
  }

  @Test
  void aRepeatedTransactionIsMarked() throws Exception {
    start(
        "reqmod_precache",
        "%adapt::all_trs %adapt::sum_trs %icap::to",
        "icap_retry allow all",
        "icap_retry_limit 1");
    icap.on(
        call -> {
          icap.on(ScriptedIcap.NO_CONTENT);
          call.send("ICAP/1.0 500 Broken\r\n\r\n");
        });
    get("/a");
    assertThat(stopAndReadLog()).singleElement().asString().matches("[0-9]+[+][0-9]+ [0-9]+ -");
    assertThat(Files.readAllLines(dir.resolve("icap.log"), ISO_8859_1))
        .extracting(line -> line.replaceAll(".* ", ""))
        .containsExactly("ICAP_OPT", "ICAP_ERR_OTHER", "ICAP_ECHO");
  }

  @Test
  void aReloadChangesTheLog() throws Exception {
    start("reqmod_precache", "%icap::rm");
    get("/a");
    String other =
        configuration(
            "http_port 127.0.0.1:0",
            "icap_enable on",
            icap.service("scan", "reqmod_precache"),
            "adaptation_access scan allow all",
            "icap_log stdio:" + dir.resolve("other.log") + " icap_squid");
    assertThat(proxy.reload(other).done()).isTrue();
    get("/a");
    assertThat(icapLines()).containsExactly("REQMOD");
    assertThat(Files.readAllLines(dir.resolve("other.log"), ISO_8859_1))
        .filteredOn(line -> line.contains("REQMOD"))
        .hasSize(1);
  }
}
