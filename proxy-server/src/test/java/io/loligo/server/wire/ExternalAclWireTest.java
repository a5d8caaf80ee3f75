package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code external_acl_type}: questions, answers, and what a missing answer means. */
class ExternalAclWireTest extends HelperWireTest {
  @BeforeEach
  void write() throws Exception {
    writeHelper(
        "decider",
        "*/yes*) echo 'OK user=jim%20x tag=t1 message=\"no go\" log=l1 extra_=e' ;;",
        "*/no*) echo 'ERR tag=t2' ;;",
        "*/login*) echo 'OK user=jim password=p%20w' ;;",
        "*/name*) echo 'OK user=jim' ;;",
        "*/tag*) echo 'OK clt_conn_tag=c1' ;;",
        "*/sorry*) echo 'ERR message=\"not <now> & here\"' ;;",
        "*/broken*) echo 'BH message=\"no list\"' ;;",
        "*/old*) echo 'yes' ;;",
        "*) echo OK ;;");
    origin.otherwise(request -> request.ok("own"));
  }

  private String type(String options) {
    return "external_acl_type t " + options + " " + helper.path();
  }

  private void start(String options, String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(type(options)));
    all.addAll(List.of(lines));
    startProxy(all.toArray(String[]::new));
  }

  private void startAllowing(String options) throws Exception {
    start(options, "acl ok external t", "http_access allow ok", "http_access deny all");
  }

  @ParameterizedTest
  @CsvSource({"/yes, 200", "/no, 403", "/broken, 403", "/old, 403", "/die, 403"})
  void theHelperDecides(String path, int status) throws Exception {
    startAllowing("%URI");
    assertThat(get(path).status()).isEqualTo(status);
    assertThat(get("/yes").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({"/yes, 403", "/no, 200", "/broken, 403", "/old, 403", "/die, 403"})
  void aHelperWithoutAnAnswerNeverAllows(String path, int status) throws Exception {
    start("%URI", "acl bad external t", "http_access deny bad", "http_access allow all");
    assertThat(get(path).status()).isEqualTo(status);
  }

  @Test
  void anAclBeforeItSavesTheQuestion() throws Exception {
    start(
        "%URI",
        "acl ok external t",
        "acl deeper urlpath_regex ^/deep",
        "http_access allow deeper ok",
        "http_access allow all");
    assertThat(get("/no").status()).isEqualTo(200);
    assertThat(helper.asked()).isEmpty();
    assertThat(get("/deep/yes").status()).isEqualTo(200);
    assertThat(helper.asked()).hasSize(1);
  }

  @Test
  void questionsAreThoseOfSquid() throws Exception {
    start(
        "ttl=0 %SRC %>{X-A} %{X-A} %URI %METHOD %DST %PORT %PROTO %PATH %DATA %ACL %% %#>ha{X-A}",
        "external_acl_type shell protocol=2.5 %>{X-A} %PATH " + helper.path(),
        "external_acl_type plain %>rm %#DATA " + helper.path(),
        "acl A external t one b%c",
        "acl B external shell q\"r",
        "acl C external plain one two",
        "acl D external plain",
        "http_access allow A B C D");
    String url = origin.url("/p%20a?q=1");
    client().get(url, "X-A: two words%20\"q\"").response();
    String raw = "two%20words%20%22q%22";
    assertThat(helper.asked())
        .containsExactly(
            "127.0.0.1 "
                + (raw + " " + raw + " " + url + " GET 127.0.0.1 " + origin.port())
                + " http /p%20a?q=1 one b%25c A % two%20words%2520%22q%22",
            raw + " /p%20a?q=1 q\\\"r",
            "GET one%20two",
            "GET -");
  }

  @Test
  void answersGoToTheLog() throws Exception {
    start(
        "%URI",
        "logformat f %et %ea %ue %{extra_}note %ru",
        "access_log stdio:" + dir.resolve("access.log") + " f",
        "acl ok external t",
        "http_access allow ok",
        "http_access deny all");
    get("/yes");
    get("/no");
    assertThat(stopAndReadLog())
        .containsExactly("t1 l1 jim%20x e " + origin.url("/yes"), "t2 - - - " + origin.url("/no"));
  }

  @Test
  void aLaterAnswerReplacesNotesOfTheSameNames() throws Exception {
    HelperScript other =
        HelperScript.write(
            dir, "other", /* channels= */ false, "*) echo 'OK extra_=f extra_=g' ;;");
    start(
        "%URI",
        "external_acl_type u %URI " + other.path(),
        "logformat f %{extra_}note %{log}note",
        "access_log stdio:" + dir.resolve("access.log") + " f",
        "acl first external t",
        "acl second external u",
        "http_access allow first second");
    get("/yes");
    assertThat(stopAndReadLog()).containsExactly("f,g l1");
  }

  @ParameterizedTest
  @CsvSource({
    "no-query login=PASS, /login, '', jim:p w",
    "no-query login=PASS, /login, own:pw, own:pw",
    "no-query login=PASS, /name, '', ''",
    "no-query login=PASSTHRU, /login, '', ''",
    "no-query login=*:all, /login, '', jim:all",
    "originserver login=PASS, /login, '', jim:p w",
    "originserver login=PASS, /login, own:pw, own:pw",
    "originserver login=PASSTHRU, /login, '', ''",
  })
  void aParentLearnsTheLoginThatAHelperTells(String options, String path, String own, String sent)
      throws Exception {
    String field = options.startsWith("origin") ? "Authorization" : "Proxy-Authorization";
    start(
        "%URI",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 " + options,
        "never_direct allow all",
        "acl ok external t",
        "http_access allow ok",
        "logformat f %note",
        "access_log stdio:" + dir.resolve("access.log") + " f");
    String[] lines =
        own.isEmpty() ? new String[0] : new String[] {field + ": " + LoginFile.basic(own)};
    assertThat(get(path, lines).status()).isEqualTo(200);
    assertThat(origin.lastRequest().fields(field))
        .isEqualTo(sent.isEmpty() ? List.of() : List.of(LoginFile.basic(sent)));
    assertThat(String.join(" ", stopAndReadLog())).contains("jim").doesNotContain("password");
  }

  @ParameterizedTest
  @CsvSource({
    "tag t1, 200",
    "tag T1, 403",
    "tag t2 t1, 200",
    "ext_user jim%20x, 403",
    "ext_user -i JIM, 200",
    "ext_user JIM, 403",
    "ext_user REQUIRED, 200",
    "ext_user_regex ^j.m, 200",
    "ext_user_regex ^x, 403",
  })
  void laterRulesTestUserAndTag(String told, int status) throws Exception {
    HelperScript teller =
        HelperScript.write(
            dir,
            "teller",
            /* channels= */ false,
            "*/no*) echo ERR ;;",
            "*) echo 'OK user=jim tag=t1' ;;");
    startProxy(
        "external_acl_type u %URI " + teller.path(),
        "acl told external u",
        "acl known " + told,
        "http_access deny !told !all",
        "http_access allow known");
    assertThat(get("/a").status()).isEqualTo(status);
    assertThat(get("/no").status()).isEqualTo(403);
  }

  @Test
  void aNoteOfTheConnectionIsThatOfItsLaterRequests() throws Exception {
    start(
        "%URI",
        "acl ok external t",
        "http_access allow ok",
        "logformat f %rp %{clt_conn_tag}note",
        "access_log stdio:" + dir.resolve("access.log") + " f");
    RawClient client = client();
    client.get(origin.url("/yes")).response();
    client.get(origin.url("/tag")).response();
    client.get(origin.url("/yes")).response();
    client().get(origin.url("/yes")).response();
    assertThat(stopAndReadLog()).containsExactly("/yes -", "/tag c1", "/yes c1", "/yes -");
  }

  @Test
  void aMessageIsOnErrorPages() throws Exception {
    start(
        "%URI",
        "acl ok external t",
        "http_access allow ok",
        "http_access deny !ok",
        "deny_info 302:http://sorry.test/?%o ok");
    assertThat(get("/sorry").field("Location"))
        .isEqualTo("http://sorry.test/?not%20%3Cnow%3E%20%26%20here");
    assertThat(get("/no").field("Location")).isEqualTo("http://sorry.test/?");
  }

  @Test
  void answersAreKeptByQuestion() throws Exception {
    startAllowing("%PATH");
    get("/yes");
    get("/yes");
    get("/no");
    assertThat(get("/no").status()).isEqualTo(403);
    assertThat(helper.asked()).hasSize(2);
    get("/broken");
    get("/broken");
    assertThat(helper.asked()).hasSize(2 + 2 * 3); // BH is asked twice more, and never kept
  }

  @Test
  void withoutATimeAnswersAreNotKept() throws Exception {
    startAllowing("ttl=0 %PATH");
    get("/yes");
    get("/yes");
    assertThat(helper.asked()).hasSize(2);
  }

  @Test
  void equalQuestionsAreAskedOnce() throws Exception {
    startAllowing("%PATH");
    RawClient first = hangingClient();
    RawClient second = client();
    second.get(origin.url("/hang"));
    awaitLoopWith("/yes");
    openGate();
    assertThat(first.response().status()).isEqualTo(200);
    assertThat(second.response().status()).isEqualTo(200);
    assertThat(helper.asked()).filteredOn(question -> question.contains("hang")).hasSize(1);
  }

  /** The one event loop has read what was sent before. */
  private void awaitLoopWith(String path) throws Exception {
    assertThat(get(path).status()).isEqualTo(200);
  }

  @Test
  void aHungHelperCostsItsTimeAndDenies() throws Exception {
    HeldTime time = new HeldTime();
    startProxy(
        time,
        "loligo_helper_timeout 3 seconds",
        type("%PATH"),
        "acl ok external t",
        "http_access allow ok");
    RawClient client = hangingClient();
    time.passTimeouts(3_500);
    assertThat(client.response().status()).isEqualTo(403);
    assertThat(get("/yes").status()).isEqualTo(200);
  }

  @Test
  void listsAfterHttpAccessKnowTheAnswer() throws Exception {
    start(
        "%PATH",
        "acl ok external t",
        "http_access allow all",
        "acl any any-of ok",
        "cache deny !any",
        "http_reply_access deny ok");
    origin.onOk("/no", "no", "Cache-Control: max-age=1000");
    assertThat(get("/yes").status()).isEqualTo(403);
    get("/no");
    get("/no");
    assertThat(origin.fetches("/no")).isEqualTo(2);
    assertThat(helper.asked()).containsExactly("/yes -", "/no -");
  }

  @Test
  void tunnelsAreAskedAboutToo() throws Exception {
    startAllowing("%METHOD %URI");
    RawClient client = client();
    client.send("CONNECT a.test/no:443 HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assertThat(client.response().status()).isEqualTo(400);
    RawClient other = client();
    other.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(other.responseHead()).startsWith("HTTP/1.1 200");
    assertThat(helper.asked()).containsExactly("CONNECT " + origin.authority() + " -");
  }

  @Test
  void aClientCannotWriteASecondQuestion() throws Exception {
    startAllowing("ttl=0 %'>ha{X-A} %URI");
    client().get(origin.url("/yes"), "X-A: a\tb\u00e9").response();
    assertThat(helper.asked()).containsExactly("a%09b%E9 " + origin.url("/yes") + " -");
  }

  @Test
  void aReloadKeepsAnswersOfLinesThatStay() throws Exception {
    startAllowing("%PATH");
    get("/yes");
    assertThat(
            proxy
                .reload(
                    configuration(
                        "http_port 127.0.0.1:0",
                        type("%PATH"),
                        "acl ok external t",
                        "http_access allow ok"))
                .done())
        .isTrue();
    get("/yes");
    assertThat(helper.asked()).hasSize(1);
  }
}
