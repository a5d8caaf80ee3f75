package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code auth_param negotiate program negotiate_kerberos_auth} with a KDC of this test. curl takes
 * part where it is there and knows GSS-API.
 */
class KerberosLoginWireTest extends PeersTest {
  private static TestKdc kdc;
  private static Path keytab;

  @BeforeAll
  static void startKdc(@TempDir Path dir) throws Exception {
    kdc = new TestKdc(dir);
    keytab = kdc.keytab(TestKdc.SERVICE);
    dir.toFile().setExecutable(true, false);
    keytab.toFile().setReadable(true, false);
  }

  @AfterAll
  static void stopKdc() throws Exception {
    kdc.close();
  }

  private static List<String> lines(String options, String... more) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "auth_param negotiate program /usr/lib/squid/negotiate_kerberos_auth -k "
            + keytab
            + options);
    lines.add("auth_param negotiate children 4");
    lines.addAll(List.of(more));
    lines.add("acl users proxy_auth REQUIRED");
    lines.add("http_access allow users");
    lines.add("logformat user %un %>Hs %rm");
    return lines;
  }

  private void start(String options, String... more) throws Exception {
    List<String> lines = lines(options, more);
    lines.add("access_log stdio:" + dir.resolve("users.log") + " user");
    origin.otherwise(call -> call.ok("content"));
    startProxy(lines.toArray(String[]::new));
  }

  private static String line(String token) {
    return "Proxy-Authorization: Negotiate " + token;
  }

  private int ask(RawClient client, String... lines) throws Exception {
    return client.get(origin.url("/a"), lines).response().status();
  }

  @Test
  void aTicketLogsTheConnectionIn() throws Exception {
    start(" -s GSS_C_NO_NAME");
    RawClient client = client();
    WireMessage challenge = client.get(origin.url("/a")).response();
    assertThat(challenge.status()).isEqualTo(407);
    assertThat(challenge.fields("Proxy-Authenticate")).containsExactly("Negotiate");
    String bob = line(kdc.token("bob", TestKdc.SPNEGO));
    assertThat(ask(client, bob)).isEqualTo(200);
    assertThat(origin.lastRequest().head()).doesNotContain("Authorization", "bob");
    assertThat(ask(client)).as("the login is the connection's").isEqualTo(200);
    assertThat(ask(client, bob)).as("the same credentials").isEqualTo(200);
    assertThat(ask(client, line(kdc.token("alice", TestKdc.KERBEROS)))).isEqualTo(200);
    assertThat(ask(client())).as("another connection").isEqualTo(407);
    assertThat(ask(client(), bob)).as("a replay").isEqualTo(407);
    assertThat(stopAndReadLog("users.log"))
        .containsExactly(
            "- 407 GET",
            "bob@LOLIGO.TEST 200 GET",
            "bob@LOLIGO.TEST 200 GET",
            "bob@LOLIGO.TEST 200 GET",
            "alice@LOLIGO.TEST 200 GET",
            "- 407 GET",
            "- 407 GET");
  }

  @Test
  void aNameCanBeWithoutItsRealm() throws Exception {
    start(" -r -s " + TestKdc.SERVICE);
    assertThat(ask(client(), line(kdc.token("bob", TestKdc.SPNEGO)))).isEqualTo(200);
    assertThat(stopAndReadLog("users.log")).containsExactly("bob 200 GET");
  }

  @Test
  void aTokenThatIsNotValidClosesTheConnection() throws Exception {
    start("");
    for (String token : new String[] {"AAAA", "TlRMTVNTUAABAAAA", "YIIB", "!"}) {
      RawClient client = client();
      WireMessage refused = client.get(origin.url("/a"), line(token)).response();
      assertThat(refused.status()).as(token).isEqualTo(407);
      assertThat(refused.fields("Proxy-Authenticate")).containsExactly("Negotiate");
      if (token.equals("!")) {
        String good = line(kdc.token("bob", TestKdc.SPNEGO));
        assertThat(ask(client, good)).as("it reached no check").isEqualTo(200);
      } else {
        client.expectClose();
      }
    }
    RawClient client = client();
    assertThat(ask(client, line(kdc.token("bob", TestKdc.SPNEGO)))).isEqualTo(200);
    assertThat(ask(client, line("AAAA"))).as("no login is left").isEqualTo(407);
  }

  @Test
  void aTunnelIsOpenedOnTheConnectionOfTheChallenge() throws Exception {
    start("");
    origin.on("tunnel", call -> call.send("through"));
    String head = "CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n";
    RawClient client = client();
    client.send(head + "\r\n");
    assertThat(client.responseTo("CONNECT").status()).isEqualTo(407);
    client.send(head + line(kdc.token("bob", TestKdc.SPNEGO)) + "\r\n\r\n");
    assertThat(client.responseHead()).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void aConnectionOfAnotherProxyHasNoLogin() throws Exception {
    start("");
    RawClient client = client();
    WireMessage shared = client.get(origin.url("/a"), "Via: 1.1 front").response();
    assertThat(shared.status()).isEqualTo(407);
    assertThat(shared.fields("Proxy-Authenticate")).isEmpty();
    assertThat(ask(client, "Via: 1.1 front", line(kdc.token("bob", TestKdc.SPNEGO))))
        .isEqualTo(407);
    assertThat(ask(client, line(kdc.token("bob", TestKdc.SPNEGO)))).isEqualTo(200);
    assertThat(ask(client, "Via: 1.1 front")).as("not for others' requests").isEqualTo(407);
  }

  @Test
  void theFileMaySayThatConnectionsOfOtherProxiesHaveOneUser() throws Exception {
    start("", "loligo_shared_connection_login on");
    RawClient client = client();
    assertThat(ask(client, "Via: 1.1 front", line(kdc.token("bob", TestKdc.SPNEGO))))
        .isEqualTo(200);
    assertThat(ask(client, "Via: 1.1 front")).isEqualTo(200);
  }

  @Test
  void theConnectionOfTheFirstChallengeMayClose() throws Exception {
    start("", "auth_param negotiate keep_alive off");
    RawClient client = client();
    assertThat(ask(client)).isEqualTo(407);
    client.expectClose();
  }

  @Test
  void otherCredentialsEndTheLoginOfAConnection() throws Exception {
    Path basic = LoginFile.write(dir.resolve("basic"), "carl:secret");
    start("", "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + basic);
    RawClient client = client();
    assertThat(client.get(origin.url("/a")).response().fields("Proxy-Authenticate"))
        .containsExactly("Negotiate", "Basic realm=\"Squid proxy-caching web server\"");
    assertThat(ask(client, line(kdc.token("bob", TestKdc.SPNEGO)))).isEqualTo(200);
    assertThat(ask(client, LoginFile.line("carl:secret"))).isEqualTo(200);
    assertThat(ask(client)).isEqualTo(407);
  }

  @Test
  void userhashCountsTheNameWithItsRealm() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    Path basic = LoginFile.write(dir.resolve("basic"), "bob@LOLIGO.TEST:x", "alice@LOLIGO.TEST:x");
    start(
        "",
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + basic,
        "auth_param basic casesensitive on",
        "never_direct allow all",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query no-digest userhash name=a",
        "cache_peer 127.0.0.1 parent " + other.port() + " 0 no-query no-digest userhash name=b");
    origin.otherwise(call -> call.ok("first", "Cache-Control: no-store"));
    other.otherwise(call -> call.ok("second", "Cache-Control: no-store"));
    List<String> reached = new ArrayList<>();
    for (String user : new String[] {"bob", "alice"}) {
      String byName = get("/a", LoginFile.line(user + "@LOLIGO.TEST:x")).text();
      assertThat(get("/a", line(kdc.token(user, TestKdc.SPNEGO))).text()).isEqualTo(byName);
      reached.add(byName);
    }
    assertThat(reached).containsExactlyInAnyOrder("first", "second");
  }

  @Test
  void curlLogsInWithATicket() throws Exception {
    assumeThat(run("curl", "-V")).contains("GSS-API");
    start("");
    String tickets = "KRB5CCNAME=FILE:" + kdc.tickets("bob");
    String configuration = "KRB5_CONFIG=" + kdc.configuration();
    String proxyUrl = "http://localhost:" + proxy.port();
    for (String form : new String[] {"--no-proxytunnel", "--proxytunnel"}) {
      String[] command = {
        tickets,
        configuration,
        "curl",
        "-q",
        "-sS",
        "--max-time",
        "30",
        form,
        "--proxy-negotiate",
        "-U",
        ":",
        "-x",
        proxyUrl,
        origin.url("/a"),
        origin.url("/b")
      };
      assertThat(run("env", command)).as(form).isEqualTo("contentcontent");
    }
    assertThat(stopAndReadLog("users.log")).contains("bob@LOLIGO.TEST 200 CONNECT");
  }
}
