package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What one ICAP service leaves for the next: routes, a shared field, and fields of the proxy. */
class IcapSequenceWireTest extends WireTest {
  private ScriptedIcap icap;

  /** A further field line in answers of the service router, with CRLF; empty: none. */
  private volatile String fieldOfRouter = "";

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    origin.onOk("/a", "content");
    icap.on(
        call -> {
          call.readChunks();
          String field = name(call).equals("router") ? fieldOfRouter : "";
          call.send("ICAP/1.0 204 No Content\r\n" + field + "\r\n");
        });
  }

  private static String name(ScriptedIcap.Call call) {
    return call.head().replaceAll("(?s)^[A-Z]+ icap://[^/]+/re[a-z]+[?](\\w+) .*", "$1");
  }

  private String service(String name, String point, String... options) {
    return icap.service(name, point, options)
        .replace("/req", "/req?" + name)
        .replace("/resp", "/resp?" + name);
  }

  private void start(String option, String... more) throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add("icap_enable on");
    lines.add(service("router", "reqmod_precache", option));
    for (String name : List.of("one", "two", "three")) {
      lines.add(service(name, "reqmod_precache"));
    }
    lines.add(service("scan", "respmod_precache"));
    lines.add("adaptation_service_chain all router one");
    lines.add("adaptation_access all allow all");
    lines.addAll(List.of(more));
    startProxy(lines.toArray(String[]::new));
  }

  private List<String> asked() {
    return icap.calls().stream().map(IcapSequenceWireTest::name).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "two, three | router, two, three",
        "three,two,one | router, three, two, one",
        "'' | router",
        "nobody, two, ,all | router, two",
        "two, scan, three, scan | router, two, scan, scan",
        "scan | router, scan",
      })
  void aServiceChoosesTheNextOnes(String next, String expected) throws Exception {
    fieldOfRouter = "X-Next-Services: " + next + "\r\n";
    start("routing=on", "adaptation_access scan deny all");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(String.join(", ", asked())).isEqualTo(expected);
  }

  @Test
  void withoutAnAnswerAboutItTheChainGoesOn() throws Exception {
    start("routing=on");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(asked()).containsExactly("router", "one");
  }

  @Test
  void aServiceWithoutRoutingChoosesNothing() throws Exception {
    fieldOfRouter = "X-Next-Services: two\r\n";
    start("routing=off");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(asked()).containsExactly("router", "one");
  }

  /** The route holds for one request. */
  @Test
  void theNextRequestIsRoutedAnew() throws Exception {
    fieldOfRouter = "X-Next-Services: two, scan\r\n";
    start("routing=on");
    RawClient client = client();
    assertThat(client.get(origin.url("/a")).response().status()).isEqualTo(200);
    fieldOfRouter = "";
    assertThat(client.get(origin.url("/b")).response().status()).isEqualTo(404);
    assertThat(asked()).containsExactly("router", "two", "scan", "router", "one");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 16})
  void circlesEnd(int limit) throws Exception {
    fieldOfRouter = "X-Next-Services: router\r\n";
    start("routing=on", limit == 16 ? "" : "adaptation_service_iteration_limit " + limit);
    WireMessage response = get("/a");
    assertThat(response.status()).isEqualTo(500);
    assertThat(response.field("X-Loligo-Error")).isEqualTo("ERR_ICAP_FAILURE");
    assertThat(asked()).hasSize(limit).containsOnly("router");
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void aServiceOfResponsesChoosesTheNextOnes() throws Exception {
    fieldOfRouter = "X-Next-Services: scan, two, scan\r\n";
    startProxy(
        "icap_enable on",
        service("router", "respmod_precache", "routing=on"),
        service("scan", "respmod_precache"),
        service("two", "reqmod_precache"),
        "adaptation_access router allow all");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(asked()).containsExactly("router", "scan", "scan");
    fieldOfRouter = "X-Next-Services: router\r\n";
    assertThat(get("/b").status()).isEqualTo(500);
    assertThat(asked()).hasSize(3 + 16);
  }

  /** The ACL sees the services that were chosen on the way. */
  @Test
  void rulesKnowTheChosenServices() throws Exception {
    fieldOfRouter = "X-Next-Services: two\r\n";
    start(
        "routing=on",
        "acl byTwo adaptation_service two",
        "acl byThree adaptation_service three",
        "http_access allow all",
        "adapted_http_access deny byThree",
        "adapted_http_access deny byTwo");
    assertThat(get("/a").status()).isEqualTo(403);
    fieldOfRouter = "";
    assertThat(get("/a").status()).isEqualTo(200);
  }

  @Test
  void servicesShareAField() throws Exception {
    fieldOfRouter = "X-Subscriber: bob\r\nX-Other: no\r\n";
    start("", "adaptation_masterx_shared_names X-Subscriber", "adaptation_access scan allow all");
    RawClient client = client();
    assertThat(client.get(origin.url("/a")).response().status()).isEqualTo(200);
    assertThat(asked()).containsExactly("router", "one", "scan");
    assertThat(icap.calls())
        .extracting(call -> WireMessage.field(call.head(), "X-Subscriber"))
        .containsExactly(null, "bob", "bob");
    assertThat(icap.calls()).noneMatch(call -> call.head().contains("X-Other"));
    fieldOfRouter = "";
    client.get(origin.url("/b")).response();
    assertThat(icap.calls().subList(3, icap.calls().size()))
        .isNotEmpty()
        .noneMatch(call -> call.head().toLowerCase(Locale.ROOT).contains("x-subscriber"));
  }

  @Test
  void withoutTheDirectiveNothingIsShared() throws Exception {
    fieldOfRouter = "X-Subscriber: bob\r\n";
    start("", "adaptation_access scan allow all");
    get("/a");
    assertThat(icap.calls()).hasSize(3).noneMatch(call -> call.head().contains("X-Subscriber"));
  }

  @Test
  void valuesOfMetaFieldsHaveCodes() throws Exception {
    start(
        "",
        "adaptation_access scan allow all",
        "adaptation_meta X-What \"%rm of %>a 100%%\" all",
        "adaptation_meta X-Type \"%{X-Own}>h %{Content-Length}<h\" all",
        "adaptation_meta X-Raw \"%'{X-Own}>h\" all",
        "adaptation_meta X-Plain %rm all");
    get("/a", "X-Own: \t1\t2");
    assertThat(icap.calls().get(0).head())
        .contains("\r\nX-What: GET of 127.0.0.1 100%\r\n")
        .contains("\r\nX-Type: 1%092 -\r\n")
        .contains("\r\nX-Raw: 1 2\r\n")
        .contains("\r\nX-Plain: %rm\r\n");
    assertThat(icap.lastCall().head()).startsWith("RESPMOD").contains("\r\nX-Type: 1%092 7\r\n");
  }
}
