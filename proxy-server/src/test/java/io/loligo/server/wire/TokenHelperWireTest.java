package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.loligo.server.Waiting;
import io.loligo.server.login.digest.DigestAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code auth_param ntlm} and {@code auth_param negotiate} with a helper program that reads YR and
 * KK. The program of the test names its process and the handshake in each challenge, and accepts
 * answers to its own last challenge only.
 */
class TokenHelperWireTest extends PeersTest {
  private HelperScript helper;

  private void writeHelper(String scheme) throws IOException {
    String user = scheme.equals("ntlm") ? "" : "ZmluYWw= ";
    helper =
        HelperScript.write(
            dir,
            scheme,
            /* channels= */ false,
            "YR\\ die*) exit 1 ;;",
            "YR\\ hang*) while [ ! -e " + dir.resolve("gate") + " ]; do sleep 0.01; done",
            "  echo NA ;;",
            "YR\\ broken*) echo BH out of order ;;",
            "YR\\ odd*) echo Whatever ;;",
            "YR\\ empty*) echo TT ;;",
            "YR\\ spoilt*) echo 'TT no:base64' ;;",
            "YR\\ refused*) echo NA not you ;;",
            "YR\\ atonce*) echo 'AF " + user + "alice' ;;",
            "YR\\ pairs*) echo 'OK user=carl group=staff token=c2VjcmV0' ;;",
            "YR\\ [uU]*) echo \"AF " + user + "${q#YR }\" ;;",
            "YR*) n=$((n+1)); echo \"TT p$$/$n\" ;;",
            "KK\\ p$$/${n}bob*) echo 'AF " + user + "bob' ;;",
            "KK\\ *die*) exit 1 ;;",
            "KK\\ *again*) n=$((n+1)); echo \"TT p$$/$n\" ;;",
            "KK*) echo NA wrong password ;;");
  }

  private List<String> lines(String scheme, String... more) {
    List<String> lines = new ArrayList<>();
    lines.add("auth_param " + scheme + " program " + helper.path());
    lines.add("auth_param " + scheme + " children 4 startup=1");
    lines.addAll(List.of(more));
    lines.add("acl users proxy_auth REQUIRED");
    lines.add("http_access allow users");
    lines.add("logformat user %un %>Hs %rm %{group}note %{token}note");
    return lines;
  }

  private void start(String scheme, String... more) throws Exception {
    writeHelper(scheme);
    List<String> lines = lines(scheme, more);
    lines.add("access_log stdio:" + dir.resolve("users.log") + " user");
    origin.otherwise(call -> call.ok("content"));
    startProxy(lines.toArray(String[]::new));
  }

  private static String name(String scheme) {
    return scheme.equals("ntlm") ? "NTLM" : "Negotiate";
  }

  private WireMessage send(RawClient client, String scheme, String token) throws IOException {
    String line = "Proxy-Authorization: " + name(scheme) + " " + token;
    return client.get(origin.url("/a"), line).response();
  }

  /** The token of the challenge to {@code first}. */
  private String challenge(RawClient client, String scheme, String first) throws IOException {
    WireMessage response = send(client, scheme, first);
    assertThat(response.status()).isEqualTo(407);
    assertThat(response.fields("Proxy-Authenticate")).hasSize(1);
    String value = response.fields("Proxy-Authenticate").get(0);
    assertThat(value).startsWith(name(scheme) + " p");
    return value.substring(name(scheme).length() + 1);
  }

  private static String child(String challenge) {
    return challenge.substring(0, challenge.indexOf('/'));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ntlm", "negotiate"})
  void aHandshakeWithOneChildLogsTheConnectionIn(String scheme) throws Exception {
    start(scheme);
    RawClient client = client();
    WireMessage offer = client.get(origin.url("/a")).response();
    assertThat(offer.status()).isEqualTo(407);
    assertThat(offer.fields("Proxy-Authenticate")).containsExactly(name(scheme));
    RawClient other = client();
    String first = challenge(client, scheme, "hello");
    String second = challenge(other, scheme, "hello");
    assertThat(child(second)).as("another child").isNotEqualTo(child(first));
    assertThat(send(client, scheme, first + "bob").status()).isEqualTo(200);
    assertThat(origin.lastRequest().head()).doesNotContain("Authorization");
    assertThat(client.get(origin.url("/a")).response().status()).as("logged in").isEqualTo(200);
    assertThat(send(client, scheme, first + "bob").status()).as("the same").isEqualTo(200);
    assertThat(send(other, scheme, second + "bob").status()).isEqualTo(200);
    assertThat(client().get(origin.url("/a")).response().status()).isEqualTo(407);
    assertThat(helper.asked())
        .containsExactly("YR hello", "YR hello", "KK " + first + "bob", "KK " + second + "bob");
    assertThat(stopAndReadLog("users.log"))
        .containsExactly(
            "- 407 GET - -",
            "- 407 GET - -",
            "- 407 GET - -",
            "bob 200 GET - -",
            "bob 200 GET - -",
            "bob 200 GET - -",
            "bob 200 GET - -",
            "- 407 GET - -");
  }

  @Test
  void aWrongAnswerClosesTheConnectionAndFreesTheChild() throws Exception {
    start("ntlm", "auth_param ntlm children 1");
    for (int i = 0; i < 3; i++) {
      RawClient client = client();
      String token = challenge(client, "ntlm", "hello");
      WireMessage refused = send(client, "ntlm", token + "mallory");
      assertThat(refused.status()).isEqualTo(407);
      assertThat(refused.fields("Proxy-Authenticate")).containsExactly("NTLM");
      client.expectClose();
    }
    assertThat(helper.asked()).hasSize(6);
  }

  @Test
  void severalChallengesAreOneHandshake() throws Exception {
    start("ntlm");
    RawClient client = client();
    String first = challenge(client, "ntlm", "hello");
    String second = challenge(client, "ntlm", first + "again");
    assertThat(second).isNotEqualTo(first);
    assertThat(send(client, "ntlm", second + "bob").status()).isEqualTo(200);
  }

  @Test
  void aClientThatLeavesFreesItsChild() throws Exception {
    start("ntlm", "auth_param ntlm children 1");
    RawClient gone = client();
    challenge(gone, "ntlm", "hello");
    RawClient waiting = client();
    waiting.get(origin.url("/a"), "Proxy-Authorization: NTLM hello");
    gone.close();
    assertThat(waiting.response().status()).isEqualTo(407);
  }

  @Test
  void oneAddressDoesNotHoldAllChildren() throws Exception {
    start("ntlm", "auth_param ntlm children 4");
    for (int i = 0; i < 3; i++) {
      challenge(client(), "ntlm", "hello");
    }
    RawClient waits = client();
    waits.get(origin.url("/a"), "Proxy-Authorization: NTLM hello");
    RawClient other = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    String token = challenge(other, "ntlm", "hello");
    assertThat(send(other, "ntlm", token + "bob").status()).isEqualTo(200);
    assertThat(helper.asked()).hasSize(5);
  }

  @Test
  void aClientThatLeavesWhileItIsCheckedFreesItsChild() throws Exception {
    start("ntlm", "auth_param ntlm children 1");
    RawClient gone = client();
    gone.get(origin.url("/a"), "Proxy-Authorization: NTLM hang");
    Waiting.until("the helper is asked", () -> helper.asked().size() == 1);
    gone.close();
    RawClient waiting = client();
    waiting.get(origin.url("/a"), "Proxy-Authorization: NTLM hello");
    Files.createFile(dir.resolve("gate"));
    assertThat(waiting.response().status()).isEqualTo(407);
  }

  @Test
  void aDeadChildFailsItsHandshakeOnly() throws Exception {
    start("ntlm");
    RawClient client = client();
    String token = challenge(client, "ntlm", "hello");
    RawClient other = client();
    String others = challenge(other, "ntlm", "hello");
    WireMessage failed = send(client, "ntlm", token + "die");
    assertThat(failed.status()).isEqualTo(503);
    assertThat(send(other, "ntlm", others + "bob").status()).isEqualTo(200);
    RawClient next = client();
    assertThat(send(next, "ntlm", challenge(next, "ntlm", "hello") + "bob").status())
        .isEqualTo(200);
  }

  @Test
  void aChildThatHangsFailsItsHandshake() throws Exception {
    start("ntlm", "loligo_helper_timeout 200 milliseconds", "auth_param ntlm children 1");
    assertThat(send(client(), "ntlm", "hang").status()).isEqualTo(503);
    // the next child starts once the process has gone
    Waiting.until("another child", () -> send(client(), "ntlm", "hello").status() == 407);
  }

  @Test
  void pairsOfTheAnswerAreNotesOfAllRequests() throws Exception {
    start("negotiate");
    RawClient client = client();
    assertThat(send(client, "negotiate", "pairs").status()).isEqualTo(200);
    assertThat(client.get(origin.url("/a")).response().status()).isEqualTo(200);
    assertThat(stopAndReadLog("users.log"))
        .containsExactly("carl 200 GET staff -", "carl 200 GET staff -");
  }

  @Test
  void userhashKnowsTheUserOfEachScheme() throws Exception {
    writeHelper("ntlm");
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    origin.otherwise(call -> call.ok("first", "Cache-Control: no-store"));
    other.otherwise(call -> call.ok("second", "Cache-Control: no-store"));
    List<String> logins = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      logins.add("user" + i + ":secret");
    }
    Path basic = LoginFile.write(dir.resolve("basic"), logins.toArray(String[]::new));
    Path digest =
        Files.writeString(dir.resolve("digest"), String.join("\n", logins) + "\n", ISO_8859_1);
    startProxy(
        "auth_param basic program /x/basic_ncsa_auth " + basic,
        "auth_param digest program /x/digest_file_auth " + digest,
        "auth_param digest realm office",
        "auth_param ntlm program " + helper.path(),
        "acl users proxy_auth REQUIRED",
        "http_access allow users",
        "never_direct allow all",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query no-digest userhash name=a",
        "cache_peer 127.0.0.1 parent " + other.port() + " 0 no-query no-digest userhash name=b");
    List<String> byName = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String name = "user" + i;
      DigestClient client =
          new DigestClient(name, "secret").challengedBy(get("/a"), DigestAlgorithm.SHA_256);
      String reached = get("/a", LoginFile.line(name + ":secret")).text();
      assertThat(get("/a", "Proxy-Authorization: NTLM " + name).text()).isEqualTo(reached);
      String digests = "Proxy-Authorization: " + client.credentials("GET", "/a");
      assertThat(get("/a", digests).text()).isEqualTo(reached);
      byName.add(reached);
    }
    assertThat(byName).contains("first", "second");
  }

  @Test
  void userhashCountsTheNameAsTheSchemeHasIt() throws Exception {
    writeHelper("ntlm");
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    origin.otherwise(call -> call.ok("first", "Cache-Control: no-store"));
    other.otherwise(call -> call.ok("second", "Cache-Control: no-store"));
    List<String> logins = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      logins.add("user" + i + ":secret");
    }
    Path basic = LoginFile.write(dir.resolve("basic"), logins.toArray(String[]::new));
    startProxy(
        "auth_param basic program /x/basic_ncsa_auth " + basic,
        "auth_param ntlm program " + helper.path(),
        "acl users proxy_auth REQUIRED",
        "http_access allow users",
        "never_direct allow all",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query no-digest userhash name=a",
        "cache_peer 127.0.0.1 parent " + other.port() + " 0 no-query no-digest userhash name=b");
    int moved = 0;
    for (int i = 0; i < 8; i++) {
      String lower = get("/a", LoginFile.line("user" + i + ":secret")).text();
      assertThat(get("/a", LoginFile.line("USER" + i + ":secret")).text())
          .as("Basic without casesensitive")
          .isEqualTo(lower);
      String upper = get("/a", "Proxy-Authorization: NTLM USER" + i).text();
      assertThat(upper).isIn("first", "second");
      moved += upper.equals(lower) ? 0 : 1;
    }
    assertThat(moved).as("NTLM keeps the case").isPositive();
  }

  @Test
  void extrasFollowTheToken() throws Exception {
    start("ntlm", "auth_param ntlm key_extras \"%>a %rm\"");
    RawClient client = client();
    String token = challenge(client, "ntlm", "hello");
    send(client, "ntlm", token + "bob");
    assertThat(helper.asked())
        .containsExactly("YR hello 127.0.0.1 GET", "KK " + token + "bob 127.0.0.1 GET");
  }

  @Test
  void longTokensReachTheHelper() throws Exception {
    start("negotiate", "request_header_max_size 128 KB");
    challenge(client(), "negotiate", "A".repeat(65_000));
    assertThat(helper.asked()).containsExactly("YR " + "A".repeat(65_000));
    assertThat(send(client(), "negotiate", "A".repeat(66_000)).status()).isEqualTo(407);
    assertThat(helper.asked()).hasSize(1);
  }

  @Test
  void theConnectionOfTheFirstChallengeMayClose() throws Exception {
    start("ntlm", "auth_param ntlm keep_alive off");
    RawClient client = client();
    assertThat(client.get(origin.url("/a")).response().status()).isEqualTo(407);
    client.expectClose();
    RawClient next = client();
    assertThat(send(next, "ntlm", challenge(next, "ntlm", "hello") + "bob").status())
        .isEqualTo(200);
  }

  @Test
  void curlLogsInByTheFakeHelperOfSquid() throws Exception {
    assumeThat(Files.isExecutable(Path.of("/usr/lib/squid/ntlm_fake_auth"))).isTrue();
    assumeThat(run("curl", "-V")).contains("NTLM");
    origin.otherwise(call -> call.ok("content"));
    startProxy(
        "auth_param ntlm program /usr/lib/squid/ntlm_fake_auth",
        "auth_param ntlm children 2",
        "acl users proxy_auth REQUIRED",
        "http_access allow users",
        "logformat user %un %>Hs %rm",
        "access_log stdio:" + dir.resolve("users.log") + " user");
    String proxyUrl = "http://localhost:" + proxy.port();
    String content =
        curl("--proxy-ntlm", "-U", "bob:x", "-x", proxyUrl, origin.url("/a"), origin.url("/b"));
    assertThat(content).isEqualTo("contentcontent");
    assertThat(stopAndReadLog("users.log"))
        .contains("- 407 GET")
        .filteredOn(line -> line.endsWith(" 200 GET"))
        .hasSize(2)
        .allMatch(line -> line.contains("bob"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ntlm", "negotiate"})
  void decidesAsSquid(String scheme) throws Exception {
    writeHelper(scheme);
    List<String> squids = lines(scheme);
    int port = ProxyProcess.freePort();
    Path log = dir.resolve("squid").resolve("users.log");
    squids.add("access_log stdio:" + log + " user");
    squids.add("cache deny all");
    List<String> expected;
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), squids)) {
      squid.awaitPort(port);
      origin.otherwise(call -> call.ok("content"));
      expected = conversations(port, scheme);
    }
    List<String> lines = lines(scheme, "cache deny all");
    lines.add("access_log stdio:" + dir.resolve("users.log") + " user");
    startProxy(lines.toArray(String[]::new));
    assertThat(conversations(proxy.port(), scheme)).isEqualTo(expected);
    List<String> theirs = new ArrayList<>(Files.readAllLines(log, ISO_8859_1));
    theirs.removeIf(line -> line.startsWith("- 0 ")); // only asked whether the port is open
    assertThat(stopAndReadLog("users.log")).isEqualTo(theirs);
  }

  /**
   * The statuses and challenges of several connections. Each ends with a token that is refused:
   * this proxy closes it, and Squid does not.
   */
  private List<String> conversations(int port, String scheme) throws IOException {
    List<String> told = new ArrayList<>();
    for (String tokens :
        List.of(
            "-",
            "hello *bob - *bob",
            "hello *mallory",
            "hello *again *bob -",
            "hello -",
            "hello hello",
            "atonce -",
            "refused",
            "broken",
            "odd",
            "empty",
            "pairs -")) {
      try (RawClient client = RawClient.connect(port)) {
        String challenge = "";
        for (String token : tokens.split(" ", -1)) {
          WireMessage response =
              token.equals("-")
                  ? client.get(origin.url("/a")).response()
                  : send(client, scheme, token.replace("*", challenge));
          List<String> offers = response.fields("Proxy-Authenticate");
          String offer = String.join(", ", offers);
          challenge = offer.isEmpty() ? challenge : offer.substring(offer.indexOf(' ') + 1);
          told.add(
              tokens + ": " + response.status() + " " + offer.replaceAll("p[0-9]+/[0-9]+", "TT"));
        }
      }
    }
    return told;
  }

  @Test
  void anotherTokenIsAnotherLogin() throws Exception {
    start("ntlm");
    RawClient client = client();
    assertThat(send(client, "ntlm", "atonce").status()).isEqualTo(200);
    challenge(client, "ntlm", "hello");
    assertThat(client.get(origin.url("/a")).response().status()).as("nobody").isEqualTo(407);
    String token = challenge(client, "ntlm", "hello");
    assertThat(send(client, "ntlm", token + "bob").status()).isEqualTo(200);
    assertThat(stopAndReadLog("users.log")).last().isEqualTo("bob 200 GET - -");
  }

  @Test
  void whatIsNoBase64ReachesNoProgram() throws Exception {
    start("ntlm");
    for (String token : List.of("!", "hello there", "a\tb", "hel%6co")) {
      assertThat(send(client(), "ntlm", token).status()).as(token).isEqualTo(407);
    }
    assertThat(helper.asked()).isEmpty();
  }

  @Test
  void aChallengeThatIsNoBase64ReachesNoClient() throws Exception {
    start("ntlm");
    RawClient client = client();
    assertThat(send(client, "ntlm", "spoilt").fields("Proxy-Authenticate")).containsExactly("NTLM");
    client.expectClose();
  }

  @Test
  void anHttp2ClientIsOfferedOtherSchemesOnly() throws Exception {
    writeHelper("ntlm");
    Path users = LoginFile.write(dir.resolve("users"), "bob:secret");
    startProxy(
        "auth_param ntlm program " + helper.path(),
        "auth_param basic program /x/basic_ncsa_auth " + users,
        "http_port 127.0.0.1:0 accel h2c defaultsite=site.test",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver",
        "acl users proxy_auth REQUIRED",
        "http_access allow users");
    Http2Client client = closing(Http2Client.connect(proxy.port()));
    client.get(1, "site.test", "/a", "authorization", "NTLM hello");
    assertThat(client.response(1).status()).isEqualTo(401);
    assertThat(client.response(1).fields())
        .filteredOn(line -> line.startsWith("www-authenticate"))
        .containsExactly("www-authenticate: Basic realm=\"Squid proxy-caching web server\"");
    assertThat(helper.asked()).isEmpty();
  }
}
