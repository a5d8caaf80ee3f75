package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.Shed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code auth_param basic} and ACLs about users, as clients and origins see them. */
class LoginWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String BOB = LoginFile.line("bob:secret");
  private static final String ALICE = LoginFile.line("alice:wonder");

  private Path users;

  @BeforeEach
  void writeUsers() throws Exception {
    users = LoginFile.write(dir.resolve("users"), "bob:secret", "alice:wonder");
    origin.otherwise(call -> call.ok("content", FRESH));
  }

  private String program() {
    return "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + users;
  }

  /** Starts a proxy with {@code lines} after those of the login. */
  private void start(String... lines) throws Exception {
    List<String> all = new ArrayList<>();
    all.add(program());
    all.add("auth_param basic realm the office");
    all.add("acl users proxy_auth REQUIRED");
    all.addAll(List.of(lines));
    startProxy(all.toArray(String[]::new));
  }

  private static void assertChallenged(WireMessage response) {
    assertThat(response.status()).as("%s", response).isEqualTo(407);
    assertThat(response.fields("Proxy-Authenticate")).containsExactly("Basic realm=\"the office\"");
    assertThat(response.fields("WWW-Authenticate")).isEmpty();
  }

  @Test
  void aClientLogsInOnTheConnectionOfTheChallenge() throws Exception {
    start("http_access allow users");
    RawClient client = client();
    assertChallenged(client.get(origin.url("/a")).response());
    assertThat(client.get(origin.url("/a"), BOB).response().text()).isEqualTo("content");
    assertChallenged(client.get(origin.url("/a"), LoginFile.line("bob:wrong")).response());
    assertThat(client.get(origin.url("/a"), ALICE).response().status()).isEqualTo(200);
    assertThat(client.get(origin.url("/a"), BOB).response().status()).isEqualTo(200);
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(origin.lastRequest().head()).doesNotContain("Authorization", "secret");
  }

  @Test
  void theListAfterTheRewritingAsksForALoginToo() throws Exception {
    start("http_access allow all", "adapted_http_access allow users");
    assertChallenged(get("/a"));
    assertThat(get("/a", BOB).status()).isEqualTo(200);
    assertHit(get("/a", ALICE));
  }

  @Test
  void aResponseToOneUserIsAHitForAnother() throws Exception {
    start("http_access allow users");
    assertForwarded(get("/a", BOB), "uri-miss");
    assertHit(get("/a", ALICE));
  }

  @Test
  void contentBehindAChallengeIsNoRequest() throws Exception {
    start("http_access allow users");
    RawClient client = client();
    String smuggled =
        "GET " + origin.url("/smuggled") + " HTTP/1.1\r\nHost: x\r\n" + BOB + "\r\n\r\n";
    client.send(
        RawClient.head("POST", origin.url("/a"), "Content-Length: " + smuggled.length())
            + smuggled);
    assertChallenged(client.response());
    assertThat(client.get(origin.url("/b"), BOB).response().status()).isEqualTo(200);
    assertThat(origin.fetches("/smuggled")).isZero();
  }

  @Test
  void theConnectionOfAChallengeClosesIfMuchContentFollows() throws Exception {
    start("http_access allow users");
    RawClient client = client();
    client.send(RawClient.head("POST", origin.url("/a"), "Content-Length: 100000000"));
    assertChallenged(client.response());
    client.expectClose();
  }

  @Test
  void aTunnelNeedsALoginToo() throws Exception {
    start("http_access allow users");
    origin.on("tunnel", call -> call.send("through"));
    String target = origin.authority();
    String head = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
    RawClient client = client().send(head + "\r\n");
    for (int i = 0; i < 2; i++) {
      assertChallenged(client.response());
      String wrong = LoginFile.line("bob:wrong" + i);
      client.send(head + wrong + "\r\n\r\n");
    }
    assertChallenged(client.response());
    client.send(head + BOB + "\r\n\r\n");
    assertThat(client.responseHead()).startsWith("HTTP/1.1 200 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "CONNECT", "early"})
  void onlyAConnectWithCredentialsFollowsAChallengedConnect(String next) throws Exception {
    start("http_access allow users");
    String connect = "CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n";
    String get = "GET " + origin.url("/smuggled") + " HTTP/1.1\r\nHost: x\r\n" + BOB + "\r\n\r\n";
    RawClient client = client();
    // bytes that come with the CONNECT are for the tunnel, whatever they are
    client.send(connect + "\r\n" + (next.equals("early") ? connect + BOB + "\r\n\r\n" : ""));
    assertChallenged(client.response());
    if (!next.equals("early")) {
      client.send(next.equals("GET") ? get : connect + "\r\n");
    }
    client.expectClose();
    assertThat(origin.fetches("/smuggled")).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    // the client, the last line that is asked; then without a login, as bob, as alice
    "allow users, 407, 200, 200",
    "allow bob, 407, 200, 407",
    "allow bob; deny all, 407, 200, 403",
    "allow !bob, 407, 407, 200",
    "deny !bob; allow all, 407, 200, 407",
    "deny !bob all; allow all, 407, 200, 403",
    "allow bob here, 407, 200, 407",
    "allow bob elsewhere, 407, 403, 407",
    "allow elsewhere bob, 403, 403, 403",
    "allow here bob, 407, 200, 407",
    "allow here; allow bob, 200, 200, 200",
    "deny elsewhere users; allow here, 200, 200, 200",
    "allow pattern, 407, 200, 407",
    "allow group, 407, 200, 407",
    "allow BIG, 407, 407, 407",
    "allow any, 407, 200, 407",
  })
  void rulesDecideAsInSquid(String rules, int nobody, int bob, int alice) throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add("acl bob proxy_auth bob");
    lines.add("acl BIG proxy_auth Bob");
    lines.add("acl any proxy_auth -i Bob");
    lines.add("acl pattern proxy_auth_regex ^b.b$");
    lines.add("acl here src 127.0.0.1");
    lines.add("acl elsewhere src 192.0.2.1");
    lines.add("acl group any-of elsewhere bob");
    for (String rule : rules.split("; ", -1)) {
      lines.add("http_access " + rule);
    }
    start(lines.toArray(String[]::new));
    assertThat(get("/a").status()).isEqualTo(nobody);
    assertThat(get("/a", BOB).status()).isEqualTo(bob);
    assertThat(get("/a", ALICE).status()).isEqualTo(alice);
    assertThat(get("/a", LoginFile.line("bob:wrong")).status()).isEqualTo(nobody);
  }

  @Test
  void namesOfUsersComeFromAFile() throws Exception {
    Path names = Files.writeString(dir.resolve("names"), "bob\n# alice\n");
    start("acl some proxy_auth \"" + names + "\"", "http_access allow some");
    assertThat(get("/a", BOB).status()).isEqualTo(200);
    assertThat(get("/a", ALICE).status()).isEqualTo(407);
  }

  @Test
  void anAcceleratorPortAsksAsAnOriginDoes() throws Exception {
    start(
        "http_port 127.0.0.1:0 accel defaultsite=site.test",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver",
        "http_access allow users");
    RawClient client = client();
    WireMessage challenge = client.send("GET /a HTTP/1.1\r\nHost: site.test\r\n\r\n").response();
    assertThat(challenge.status()).isEqualTo(401);
    assertThat(challenge.fields("WWW-Authenticate")).containsExactly("Basic realm=\"the office\"");
    assertThat(challenge.fields("Proxy-Authenticate")).isEmpty();
    String login = "Authorization: " + LoginFile.basic("bob:secret") + "\r\n\r\n";
    assertThat(client.send("GET /a HTTP/1.1\r\nHost: site.test\r\n" + login).response().status())
        .isEqualTo(200);
    assertThat(
            client
                .send("GET /a HTTP/1.1\r\nHost: site.test\r\n" + BOB + "\r\n\r\n")
                .response()
                .status())
        .isEqualTo(401);
  }

  @Test
  void aNewPasswordCountsAtOnceAndAnOldOneNoLonger() throws Exception {
    start("http_access allow users");
    assertThat(get("/a", BOB).status()).isEqualTo(200);
    assertThat(get("/a", LoginFile.line("bob:changed")).status()).isEqualTo(407);
    LoginFile.write(users, "bob:changed", "carl:new");
    assertThat(get("/a", LoginFile.line("carl:new")).status()).isEqualTo(200);
    assertThat(get("/a", LoginFile.line("bob:changed")).status()).isEqualTo(200);
    assertThat(get("/a", BOB).status()).isEqualTo(407);
    assertThat(get("/a", ALICE).status()).isEqualTo(407);
  }

  @Test
  void capitalsCountIfTheConfigurationSaysSo() throws Exception {
    start("http_access allow users");
    assertThat(get("/a", LoginFile.line("BOB:secret")).status()).isEqualTo(200);
    proxy.close();
    start("auth_param basic casesensitive on", "http_access allow users");
    assertThat(get("/a", LoginFile.line("BOB:secret")).status()).isEqualTo(407);
    assertThat(get("/a", BOB).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Basic",
        "Basic !!!!",
        "Basic Ym9i",
        "Basic Ym9iOg==",
        "Basic Ym8NYjpzZWNyZXQ=",
        "Basic Ym9iAHg6c2VjcmV0",
        "Digest username=\"bob\"",
        "Negotiate YII=",
        "Bearer x",
        "Ym9iOnNlY3JldA==",
      })
  void otherCredentialsAreChallenged(String value) throws Exception {
    start("http_access allow users");
    RawClient client = client();
    assertChallenged(client.get(origin.url("/a"), "Proxy-Authorization: " + value).response());
    assertThat(client.get(origin.url("/a"), BOB).response().status()).isEqualTo(200);
  }

  @Test
  void severalFieldsAreNoLogin() throws Exception {
    start("http_access allow users");
    assertChallenged(get("/a", BOB, ALICE));
    assertChallenged(get("/a", BOB, BOB));
  }

  @Test
  void longCredentialsAreChallenged() throws Exception {
    start("http_access allow users");
    assertChallenged(get("/a", LoginFile.line("bob:" + "x".repeat(40_000))));
    assertThat(get("/a", "Proxy-Authorization: Basic " + "x".repeat(70_000)).status())
        .isEqualTo(431);
  }

  @Test
  void theLogHasTheUserAndNoPassword() throws Exception {
    start(
        "acl open urlpath_regex ^/open",
        "http_access allow open",
        "http_access allow users",
        "logformat mine %un %ul %ue %ui %us %rm %>Hs",
        "log_mime_hdrs on",
        "access_log stdio:" + dir.resolve("access.log") + " squid",
        "access_log stdio:" + dir.resolve("common.log") + " common",
        "access_log stdio:" + dir.resolve("bobs.log") + " mine users",
        "access_log stdio:" + dir.resolve("mine.log") + " mine");
    get("/open", BOB);
    get("/a");
    get("/a", BOB);
    get("/a", LoginFile.line("alice:wrong"));
    get("/a", LoginFile.line("b\u00f6b:wrong"));
    assertThat(stopAndReadLog("mine.log"))
        .containsExactly(
            "- - - - - GET 200",
            "- - - - - GET 407",
            "bob bob - - - GET 200",
            "alice alice - - - GET 407",
            "b%F6b b%F6b - - - GET 407");
    assertThat(Files.readAllLines(dir.resolve("bobs.log")))
        .containsExactly("bob bob - - - GET 200");
    assertThat(Files.readString(dir.resolve("common.log"), ISO_8859_1))
        .contains("127.0.0.1 - bob [");
    assertThat(Files.readAllLines(dir.resolve("access.log"), ISO_8859_1).get(2))
        .contains(" GET " + origin.url("/a") + " bob HIER_DIRECT/");
    for (String log : List.of("access.log", "common.log", "mine.log")) {
      assertThat(Files.readString(dir.resolve(log), ISO_8859_1))
          .doesNotContain(LoginFile.basic("bob:secret").substring(6), "secret");
    }
  }

  @Test
  void otherListsKnowTheUser() throws Exception {
    start("acl bob proxy_auth bob", "cache deny bob", "http_access allow users");
    get("/a", ALICE);
    assertHit(get("/a", ALICE));
    assertForwarded(get("/a", BOB), "bypass");
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void anUnreadableFileGives503AndKeepsTheClientsPassword() throws Exception {
    start("http_access allow users");
    proxy.close();
    start("http_access allow users");
    Files.delete(users);
    WireMessage response = get("/a", BOB);
    assertThat(response.status()).isEqualTo(503);
    assertThat(response.field("Retry-After")).isEqualTo("1");
    awaitCount(() -> proxy.counted(CounterFamily.SHED, Shed.LOGINS.ordinal()), 1);
    LoginFile.write(users, "bob:secret");
    assertThat(get("/a", BOB).status()).isEqualTo(200);
    Files.delete(users);
    // users of the last reading stay
    assertThat(get("/a", LoginFile.line("BOB:secret")).status()).isEqualTo(200);
  }

  @Test
  void aReloadKeepsLoginsUnlessPasswordsAreCheckedInAnotherWay() throws Exception {
    start("http_access allow users");
    assertThat(get("/a", BOB).status()).isEqualTo(200);
    Path others = LoginFile.write(dir.resolve("others"), "bob:other");
    assertThat(
            proxy
                .reload(
                    configuration(
                        "auth_param basic program /x/basic_ncsa_auth " + others,
                        "acl users proxy_auth REQUIRED",
                        "http_access allow users"))
                .done())
        .isTrue();
    assertThat(get("/a", BOB).status()).isEqualTo(407);
    assertThat(get("/a", LoginFile.line("bob:other")).status()).isEqualTo(200);
    assertThat(proxy.reload(configuration("http_access allow all")).done()).isTrue();
    assertThat(get("/a").status()).isEqualTo(200);
  }

  @Test
  void wrongPasswordsAreLimitedForOneNameOnly() throws Exception {
    start("loligo_login_failures 2", "http_access allow users");
    assertChallenged(get("/a", LoginFile.line("bob:1")));
    assertChallenged(get("/a", LoginFile.line("bob:2")));
    WireMessage refused = get("/a", LoginFile.line("bob:3"));
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.field("Retry-After")).isEqualTo("60");
    assertThat(get("/a", BOB).status()).isEqualTo(429);
    assertThat(get("/a", ALICE).status()).isEqualTo(200);
    awaitCount(() -> proxy.counted(CounterFamily.SHED, Shed.LOGIN_FAILURES.ordinal()), 2);
    try (RawClient elsewhere = RawClient.connectFrom("127.0.0.2", proxy.port())) {
      assertThat(elsewhere.get(origin.url("/a"), BOB).response().status()).isEqualTo(200);
    }
    // now it is known to be right
    assertThat(get("/a", BOB).status()).isEqualTo(200);
  }

  @Test
  void aUserMayHaveSoManyAddresses() throws Exception {
    start(
        "authenticate_ip_ttl 1 hour",
        "acl many max_user_ip -s 1",
        "http_access deny many",
        "http_access allow users");
    assertThat(get("/a", BOB).status()).isEqualTo(200);
    try (RawClient elsewhere = RawClient.connectFrom("127.0.0.2", proxy.port())) {
      assertThat(elsewhere.get(origin.url("/a"), BOB).response().status()).isEqualTo(403);
      assertThat(elsewhere.get(origin.url("/a"), ALICE).response().status()).isEqualTo(200);
    }
    assertThat(get("/a", BOB).status()).isEqualTo(200);
  }

  @Test
  void anHttp2ClientLogsInToo() throws Exception {
    start(
        "http_port 127.0.0.1:0 accel h2c defaultsite=site.test",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver",
        "http_access allow users");
    Http2Client client = closing(Http2Client.connect(proxy.port()));
    client.get(1, "site.test", "/a");
    Http2Client.Response challenge = client.response(1);
    assertThat(challenge.status()).isEqualTo(401);
    assertThat(challenge.fields()).contains("www-authenticate: Basic realm=\"the office\"");
    client.get(3, "site.test", "/a", "authorization", LoginFile.basic("bob:secret"));
    assertThat(client.response(3).status()).isEqualTo(200);
  }
}
