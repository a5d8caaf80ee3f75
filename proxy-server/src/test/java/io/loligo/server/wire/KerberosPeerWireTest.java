package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.login.kerberos.KerberosAcceptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code cache_peer login=NEGOTIATE} with a KDC of this test. The origin is the parent. */
class KerberosPeerWireTest extends WireTest {
  private static final String BOB = "bob@" + TestKdc.REALM;

  private static TestKdc kdc;
  private static Path service;
  private static Path keys;

  @BeforeAll
  static void startKdc(@TempDir Path dir) throws Exception {
    kdc = new TestKdc(dir);
    service = kdc.keytab(TestKdc.SERVICE);
    keys = kdc.keytab(BOB);
  }

  @AfterAll
  static void stopKdc() throws Exception {
    kdc.close();
  }

  private final KerberosAcceptor parent = new KerberosAcceptor(service.toString(), null, false);

  private void start(String options, String... more) throws Exception {
    start(keys, options, more);
  }

  private void start(Path keytab, String options, String... more) throws Exception {
    List<String> lines = new ArrayList<>(List.of(more));
    lines.add("loligo_peer_keytab " + keytab);
    lines.add("cache_peer localhost parent " + origin.port() + " 0 no-query " + options);
    lines.add("never_direct allow all");
    lines.add("cache deny all");
    startProxy(lines.toArray(String[]::new));
    origin.otherwise(call -> call.ok("content"));
  }

  /** The token of the last request. */
  private String token(String field) {
    String value = origin.lastRequest().field(field);
    assertThat(value).startsWith("Negotiate ");
    return value.substring("Negotiate ".length());
  }

  /** The user that this token names, as the parent sees it. */
  private String user(String token) throws Exception {
    return parent.new Exchange().next(Base64.getDecoder().decode(token)).user();
  }

  @Test
  @Tag("login")
  void eachRequestHasATokenOfItsOwn() throws Exception {
    start("login=NEGOTIATE");
    Set<String> tokens = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      assertThat(get("/a").status()).isEqualTo(200);
      String token = token("Proxy-Authorization");
      assertThat(user(token)).isEqualTo(BOB);
      tokens.add(token);
    }
    assertThat(tokens).hasSize(3);
  }

  @Test
  void aTunnelHasATokenToo() throws Exception {
    byte[] alices = Files.readAllBytes(kdc.keytab("alice@" + TestKdc.REALM));
    byte[] bobs = Files.readAllBytes(keys);
    Path both = Files.write(dir.resolve("both.keytab"), alices);
    Files.write(both, Arrays.copyOfRange(bobs, 2, bobs.length), StandardOpenOption.APPEND);
    start(both, "login=NEGOTIATE:bob");
    RawClient client = client();
    client.send("CONNECT site.test:443 HTTP/1.1\r\nHost: site.test\r\n\r\n");
    client.responseHead();
    assertThat(user(token("Proxy-Authorization"))).isEqualTo(BOB);
  }

  @Test
  void anOriginserverGetsItInAuthorization() throws Exception {
    start("login=NEGOTIATE originserver");
    get("/a", "Authorization: Basic Ym9iOng=");
    assertThat(origin.lastRequest().fields("Authorization")).hasSize(1);
    assertThat(user(token("Authorization"))).isEqualTo(BOB);
  }

  @Test
  void aParentThatRefusesTheTokenIsNotAskedAgain() throws Exception {
    start("login=NEGOTIATE");
    origin.otherwise(
        call ->
            call.send(
                "HTTP/1.1 407 No\r\nProxy-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n"));
    WireMessage refused = get("/a");
    assertThat(refused.fields("Proxy-Authenticate")).isEmpty();
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  void withoutATicketNothingIsSent() throws Exception {
    String known = Files.readString(kdc.keytab("alice@" + TestKdc.REALM), ISO_8859_1);
    Path stranger = dir.resolve("stranger.keytab");
    Files.writeString(stranger, known.replace("alice", "nobod"), ISO_8859_1);
    start(stranger, "login=NEGOTIATE");
    WireMessage failed = get("/a");
    assertThat(failed.status()).isEqualTo(502);
    assertThat(failed.text()).contains("could not log in at the parent");
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  @Tag("auth-no-keytab")
  void theEnvironmentNamesAKeytabAndATicketCache() throws Exception {
    int port = ProxyProcess.freePort();
    Path alice = kdc.keytab("alice@" + TestKdc.REALM);
    String peer = "cache_peer localhost parent " + origin.port() + " 0 no-query no-digest ";
    Path file =
        Files.writeString(
            dir.resolve("squid.conf"),
            String.join(
                "\n",
                "http_port 127.0.0.1:" + port,
                "pid_filename none",
                "cache_mem 32 MB",
                "loligo_admin_port off",
                "debug_options ALL,9",
                "log_mime_hdrs on",
                "cache_log " + dir.resolve("cache.log"),
                "access_log stdio:" + dir.resolve("access.log"),
                "http_access allow all",
                "never_direct allow all",
                "cache deny all",
                "acl tickets urlpath_regex ^/tickets",
                peer + "name=keys login=NEGOTIATE:alice",
                peer + "name=tickets login=NEGOTIATE auth-no-keytab",
                "cache_peer_access tickets allow tickets",
                "cache_peer_access keys deny tickets",
                ""));
    origin.otherwise(call -> call.ok("content"));
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of("env", "KRB5_KTNAME=FILE:" + alice, "KRB5CCNAME=FILE:" + kdc.tickets("bob")));
    command.addAll(
        ProxyProcess.command(
            List.of("-Djava.security.krb5.conf=" + kdc.configuration()),
            ProxyProcess.MAIN,
            "run",
            "-f",
            file.toString()));
    List<String> tokens = new ArrayList<>();
    try (ProxyProcess process = ProxyProcess.start(dir, command.toArray(String[]::new))) {
      process.awaitPort(port);
      RawClient client = closing(RawClient.connect(port));
      assertThat(client.get(origin.url("/keys")).response().status()).isEqualTo(200);
      tokens.add(token("Proxy-Authorization"));
      assertThat(client.get(origin.url("/tickets")).response().status()).isEqualTo(200);
      tokens.add(token("Proxy-Authorization"));
      process.signal("TERM");
      process.awaitExit();
      String logs =
          process.output()
              + Files.readString(dir.resolve("cache.log"))
              + Files.readString(dir.resolve("access.log"));
      assertThat(logs).contains("/tickets").doesNotContain(tokens);
    }
    assertThat(user(tokens.get(0))).isEqualTo("alice@" + TestKdc.REALM);
    assertThat(user(tokens.get(1))).isEqualTo(BOB);
  }

  private static ConfigResult read(String text) {
    return Features.reader(new FileConfigSource()).readText("test.conf", text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/nowhere.keytab | localhost | login=NEGOTIATE | cannot be read",
        "KEYS | 127.0.0.1 | login=NEGOTIATE | not its address",
        "KEYS | localhost | login=NEGOTIATE:carl | has no key of carl",
        "KEYS | localhost | login=NEGOTIATED | NEGOTIATE:PRINCIPAL",
      })
  void aLoginThatCannotWorkStopsTheStart(String keytab, String host, String login, String why) {
    String text =
        "http_port 3128\nloligo_peer_keytab "
            + keytab.replace("KEYS", keys.toString())
            + "\ncache_peer "
            + host
            + " parent 80 0 no-query "
            + login;
    assertThat(read(text).errors())
        .extracting(ConfigProblem::toString)
        .anyMatch(problem -> problem.contains(why));
  }

  @Test
  void theTicketCacheIsForThisLoginOnly() {
    String text = "http_port 3128\ncache_peer a parent 80 0 no-query auth-no-keytab";
    assertThat(read(text).warnings())
        .extracting(ConfigProblem::toString)
        .anyMatch(problem -> problem.contains("no effect without login=NEGOTIATE"));
  }
}
