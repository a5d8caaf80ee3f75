package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.login.digest.DigestAlgorithm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code auth_param digest}, alone and beside other schemes. curl takes part where it is there. */
class DigestLoginWireTest extends PeersTest {
  private Path users;
  private HelperScript helper;

  private void start(String... more) throws Exception {
    users = Files.writeString(dir.resolve("users"), "bob:secret\nalice:wonder\n");
    startWith("/usr/lib/squid/digest_file_auth " + users, more);
  }

  private void startWith(String program, String... more) throws Exception {
    List<String> lines = new ArrayList<>();
    lines.add("auth_param digest program " + program);
    lines.add("auth_param digest realm the office");
    lines.addAll(List.of(more));
    lines.add("acl users proxy_auth REQUIRED");
    lines.add("http_access allow users");
    origin.otherwise(call -> call.ok("content"));
    startProxy(lines.toArray(String[]::new));
  }

  private DigestClient bob() throws Exception {
    return client("bob", "secret");
  }

  private DigestClient client(String user, String password) throws Exception {
    return new DigestClient(user, password).challengedBy(get("/a"), DigestAlgorithm.SHA_256);
  }

  private int ask(String credentials) throws Exception {
    return get("/a", "Proxy-Authorization: " + credentials).status();
  }

  private static void assertStale(WireMessage response, boolean stale) {
    assertThat(response.status()).isEqualTo(407);
    assertThat(response.fields("Proxy-Authenticate"))
        .isNotEmpty()
        .allMatch(value -> value.endsWith("stale=" + stale));
  }

  @Test
  void anUnknownUserHasNoHashThatFits() throws Exception {
    start();
    DigestClient nobody = client("nobody", "").with("0".repeat(64));
    assertThat(ask(nobody.credentials("GET", "/a"))).as("the hash in its place").isEqualTo(407);
  }

  @ParameterizedTest
  @EnumSource(DigestAlgorithm.class)
  void aClientLogsInWithEitherHash(DigestAlgorithm algorithm) throws Exception {
    start();
    WireMessage challenge = get("/a");
    assertStale(challenge, false);
    assertThat(challenge.fields("Proxy-Authenticate"))
        .satisfiesExactly(
            first -> assertThat(first).contains("realm=\"the office\"", "algorithm=SHA-256"),
            second -> assertThat(second).doesNotContain("algorithm"));
    DigestClient bob = new DigestClient("bob", "secret").challengedBy(challenge, algorithm);
    for (int i = 0; i < 3; i++) {
      assertThat(ask(bob.credentials("GET", "/a"))).isEqualTo(200);
    }
    assertThat(origin.lastRequest().head()).doesNotContain("Authorization", "bob");
    assertThat(ask(bob.credentials("GET", origin.url("/a")))).as("the whole URL").isEqualTo(200);
    List<String> log = stopAndReadLog();
    assertThat(log.get(0)).contains(" - HIER_NONE");
    assertThat(log.get(1)).contains(" bob ");
    assertThat(String.join("", log)).doesNotContain(bob.nonce(), "response");
  }

  @Test
  void wrongResponsesGetAChallengeThatIsNotStale() throws Exception {
    start();
    DigestClient bob = bob();
    assertStale(
        get("/a", "Proxy-Authorization: " + client("bob", "wrong").credentials("GET", "/a")),
        false);
    assertThat(ask(client("carl", "secret").credentials("GET", "/a"))).isEqualTo(407);
    assertThat(ask(bob.credentials("GET", "/b"))).as("another URI").isEqualTo(407);
    assertThat(ask(bob.credentials("POST", "/a"))).as("another method").isEqualTo(407);
    assertThat(ask(bob.credentials("GET", "/a").replace("the office", "other"))).isEqualTo(407);
    assertThat(ask(bob.credentials("GET", "/a").replace("bob", "alice"))).isEqualTo(407);
    assertThat(ask(bob.credentials("GET", "/a"))).as("no count was used").isEqualTo(200);
  }

  @Test
  void aResponseIsUsedOnce() throws Exception {
    start();
    DigestClient bob = bob();
    String first = bob.credentials("GET", "/a");
    assertThat(ask(first)).isEqualTo(200);
    WireMessage replayed = get("/a", "Proxy-Authorization: " + first);
    assertStale(replayed, true);
    DigestClient again = bob.challengedBy(replayed, DigestAlgorithm.SHA_256);
    assertThat(ask(again.credentials("GET", "/a"))).isEqualTo(200);
    assertThat(ask(again.credentials("GET", "/a", 9))).as("counts may be left out").isEqualTo(200);
    assertThat(ask(again.credentials("GET", "/a", 8))).as("but not go back").isEqualTo(407);
  }

  @Test
  void anInventedNonceIsStale() throws Exception {
    start();
    String other = bob().credentials("GET", "/a").replaceAll("nonce=\"\\w", "nonce=\"f");
    assertStale(get("/a", "Proxy-Authorization: " + other), true);
  }

  @Test
  void aNonceIsUsedSoManyTimes() throws Exception {
    start("auth_param digest nonce_max_count 2");
    DigestClient bob = bob();
    assertThat(ask(bob.credentials("GET", "/a"))).isEqualTo(200);
    assertThat(ask(bob.credentials("GET", "/a"))).isEqualTo(200);
    assertStale(get("/a", bob.line("GET", "/a")), true);
  }

  @Test
  void countsAreStrictOrNotCheckedAsTheFileSays() throws Exception {
    start("auth_param digest nonce_strictness on");
    DigestClient bob = bob();
    assertThat(ask(bob.credentials("GET", "/a", 2))).isEqualTo(407);
    proxy.close();
    start("auth_param digest check_nonce_count off");
    bob = bob();
    assertThat(ask(bob.credentials("GET", "/a", 1))).isEqualTo(200);
    assertThat(ask(bob.credentials("GET", "/a", 1))).isEqualTo(200);
  }

  @Test
  void oldBrowsersMayHashTheWrongMethod() throws Exception {
    start("auth_param digest post_workaround on");
    DigestClient bob = bob();
    assertThat(exchange("POST", "/a", bob.line("GET", "/a"), "Content-Length: 0").status())
        .isEqualTo(200);
    assertThat(exchange("POST", "/a", bob.line("POST", "/a"), "Content-Length: 0").status())
        .isEqualTo(200);
    assertThat(ask(bob.credentials("POST", "/a"))).isEqualTo(407);
  }

  @Test
  void md5CanBeTurnedOff() throws Exception {
    start("auth_param digest loligo_md5 off");
    WireMessage challenge = get("/a");
    assertThat(challenge.fields("Proxy-Authenticate"))
        .singleElement()
        .asString()
        .contains("SHA-256");
    DigestClient bob = new DigestClient("bob", "secret");
    String sha = bob.challengedBy(challenge, DigestAlgorithm.SHA_256).credentials("GET", "/a");
    String md5 =
        sha.replaceAll("algorithm=.*", "algorithm=MD5")
            .replaceAll("response=\"\\w{32}", "response=\"");
    assertThat(ask(md5)).isEqualTo(407);
    assertThat(ask(sha)).isEqualTo(200);
  }

  @Test
  void aChangedPasswordCountsAtOnce() throws Exception {
    start();
    DigestClient bob = client("bob", "changed");
    assertThat(ask(bob.credentials("GET", "/a"))).isEqualTo(407);
    Files.writeString(users, "bob:changed\n");
    assertThat(ask(bob.credentials("GET", "/a"))).isEqualTo(200);
  }

  @Test
  void wrongPasswordsAreLimited() throws Exception {
    start("loligo_login_failures 3");
    DigestClient bob = bob();
    assertThat(ask(bob.credentials("GET", "/a"))).isEqualTo(200);
    DigestClient wrong = client("bob", "wrong");
    for (int i = 0; i < 3; i++) {
      assertThat(ask(wrong.credentials("GET", "/a"))).isEqualTo(407);
    }
    assertThat(ask(wrong.credentials("GET", "/a"))).isEqualTo(429);
    assertThat(ask(client("bob", "secret").credentials("GET", "/a"))).as("a guess").isEqualTo(429);
    assertThat(ask(bob.credentials("GET", "/a"))).as("logged in before").isEqualTo(200);
    assertThat(ask(client("alice", "wonder").credentials("GET", "/a"))).isEqualTo(200);
  }

  @Test
  void aHelperKnowsTheHash() throws Exception {
    String ha1 = DigestAlgorithm.MD5.ha1("bob", "the office", "secret");
    helper =
        HelperScript.write(
            dir,
            "digester",
            /* channels= */ false,
            "'\"bob\":\"the office\" 127.0.0.1') echo 'OK ha1=\"" + ha1 + "\"' ;;",
            "'\"old\":'*) echo " + DigestAlgorithm.MD5.ha1("old", "the office", "x") + " ;;",
            "'\"broken\":'*) echo BH ;;");
    startWith(helper.path().toString(), "auth_param digest key_extras \"%>a\"");
    WireMessage challenge = get("/a");
    assertThat(challenge.fields("Proxy-Authenticate")).hasSize(1);
    DigestClient bob =
        new DigestClient("bob", "secret").challengedBy(challenge, DigestAlgorithm.MD5);
    assertThat(ask(bob.credentials("GET", "/a"))).isEqualTo(200);
    assertThat(ask(bob.credentials("GET", "/a"))).isEqualTo(200);
    assertThat(helper.asked()).as("the hash is kept").hasSize(1);
    assertThat(ask(md5("bob", "wrong"))).isEqualTo(407);
    assertThat(helper.asked()).as("the password may have changed").hasSize(2);
    assertThat(ask(md5("old", "x"))).isEqualTo(200);
    assertThat(ask(md5("broken", "x"))).isEqualTo(503);
    assertThat(ask(md5("nobody", "x"))).isEqualTo(407);
  }

  private String md5(String user, String password) throws Exception {
    return new DigestClient(user, password)
        .challengedBy(get("/a"), DigestAlgorithm.MD5)
        .credentials("GET", "/a");
  }

  @Test
  void theClientChoosesAmongSchemes() throws Exception {
    Path basic = LoginFile.write(dir.resolve("basic"), "bob:other");
    start("auth_param basic program /usr/lib/squid/basic_ncsa_auth " + basic);
    WireMessage challenge = get("/a");
    assertThat(challenge.fields("Proxy-Authenticate"))
        .extracting(value -> value.substring(0, value.indexOf(' ')))
        .containsExactly("Digest", "Digest", "Basic");
    assertThat(ask(LoginFile.basic("bob:other"))).isEqualTo(200);
    assertThat(ask(LoginFile.basic("bob:secret"))).isEqualTo(407);
    assertThat(ask(bob().credentials("GET", "/a"))).isEqualTo(200);
    WireMessage wrong = get("/a", client("bob", "other").line("GET", "/a"));
    assertThat(wrong.fields("Proxy-Authenticate")).allMatch(value -> value.startsWith("Digest "));
    assertThat(ask("Negotiate abc")).isEqualTo(407);
  }

  @Test
  void authSchemesDecideWhatIsOffered() throws Exception {
    Path basic = LoginFile.write(dir.resolve("basic"), "bob:other");
    start(
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + basic,
        "acl old browser ^Old",
        "acl new browser ^New",
        "auth_schemes basic old",
        "auth_schemes basic,digest new");
    assertThat(offered("Old/1")).containsExactly("Basic");
    assertThat(offered("New/1")).containsExactly("Basic", "Digest", "Digest");
    assertThat(offered("Other/1")).containsExactly("Digest", "Digest", "Basic");
  }

  private List<String> offered(String browser) throws Exception {
    return get("/a", "User-Agent: " + browser).fields("Proxy-Authenticate").stream()
        .map(value -> value.substring(0, value.indexOf(' ')))
        .toList();
  }

  @Test
  void curlLogsIn() throws Exception {
    start();
    String proxyUrl = "http://127.0.0.1:" + proxy.port();
    String url = origin.url("/with?query=1&b=%20");
    String[] forms = {"--no-proxytunnel", "--proxytunnel"};
    for (String form : forms) {
      String login = "bob:secret";
      assertThat(curl(form, "--proxy-digest", "--proxy-user", login, "-x", proxyUrl, url, url))
          .isEqualTo("contentcontent");
    }
    String login = "bob:wrong";
    assertThat(curl("-i", "--proxy-digest", "--proxy-user", login, "-x", proxyUrl, url))
        .contains(" 407 ")
        .doesNotContain(" 200 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Digest", "Digest ", "Digest =", "Digest username=\"bob\"", "Digestx a"})
  void brokenCredentialsAreNone(String value) throws Exception {
    start();
    assertThat(ask(value)).isEqualTo(407);
  }
}
