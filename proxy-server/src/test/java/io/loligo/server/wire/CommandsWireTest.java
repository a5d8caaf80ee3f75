package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.cli.Main;
import io.loligo.server.json.JsonValue;
import io.loligo.store.purge.Reach;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The commands that ask a running proxy, or change it. */
class CommandsWireTest extends WireTest {
  private static final String SECRET = "loligo_admin_secret s3cr3t-value";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(int adminPort, String secret, String... words) throws IOException {
    Path file = dir.resolve("command.conf");
    Files.writeString(
        file, "http_port 3128\nloligo_admin_port 127.0.0.1:" + adminPort + "\n" + secret + "\n");
    String[] line = new String[words.length + 2];
    System.arraycopy(words, 0, line, 0, words.length);
    line[words.length] = "-f";
    line[words.length + 1] = file.toString();
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(line);
  }

  private String answer(String... words) throws IOException {
    out.getBuffer().setLength(0);
    assertThat(run(proxy.adminPort(), SECRET, words)).as("%s", err).isZero();
    return out.toString();
  }

  private void storeAndHit() throws IOException {
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000", "Surrogate-Key: one two");
    get("/a");
    assertHit(get("/a"));
    // by the answer to the next request on the same loop, that of the hit is counted
    exchange("OPTIONS", "/a", "Max-Forwards: 0");
  }

  @Test
  void purgesAUrlAndASurrogateKey() throws Exception {
    startProxy(SECRET);
    storeAndHit();
    assertThat(answer("purge", origin.url("/a"))).isEqualTo("purged: 1 in memory, 0 on disk\n");
    get("/a");
    assertThat(origin.fetches("/a")).isEqualTo(2);
    String json = answer("purge", "--json", "--key", "one");
    assertThat(JsonValue.parse(json).get("memory").whole()).isEqualTo(1);
    get("/a");
    assertThat(origin.fetches("/a")).isEqualTo(3);
  }

  @Test
  void saysHowManyNodesOfAClusterPurged() throws Exception {
    startProxy(SECRET);
    proxy.purgesAlsoIn(new FixedReach(new Reach(2, 3)));
    assertThat(answer("purge", origin.url("/a")))
        .isEqualTo("purged: 0 in memory, 0 on disk; on 2/3 nodes\n");
    assertThat(answer("purge", "--json", "--key", "one"))
        .contains("\"nodes\":{\"acknowledged\":2,\"configured\":3}");
    assertThat(answer("ban", "x")).contains("on 2/3 nodes");
  }

  @Test
  void aSoftPurgeMakesTheResponseStale() throws Exception {
    startProxy(SECRET);
    storeAndHit();
    answer("purge", "--soft", origin.url("/a"));
    assertForwarded(get("/a"), "stale");
  }

  @Test
  void addsHostsToAnAcl() throws Exception {
    startProxy(
        SECRET,
        "acl opened loligo_added",
        "http_access allow opened",
        "http_access deny all",
        "hosts_file none");
    origin.onOk("/a", "hello");
    assertThat(get("/a").status()).isEqualTo(403);
    String added = answer("add", origin.authority(), "--acl", "opened", "--minutes", "5");
    assertThat(added).startsWith(origin.authority() + " until 20").endsWith("Z\n");
    assertThat(get("/a").status()).isEqualTo(200);
    assertThat(answer("add", "--list")).startsWith("opened " + origin.authority() + " until 20");
    assertThat(JsonValue.parse(answer("add", "--list", "--json")).values()).hasSize(1);
    assertThat(answer("add", origin.authority(), "--acl", "opened", "--remove"))
        .isEqualTo("removed\n");
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(answer("add", "--list")).isEmpty();
    String host = origin.authority();
    assertThat(run(proxy.adminPort(), SECRET, "add", host, "--acl", "opened", "--remove"))
        .isEqualTo(1);
    assertThat(run(proxy.adminPort(), SECRET, "add", host, "--acl", "none")).isEqualTo(1);
    assertThat(err.toString()).contains("expected: an ACL of type loligo_added: opened");
    assertThat(run(proxy.adminPort(), SECRET, "add", host)).isEqualTo(2);
  }

  @Test
  void bansByPattern() throws Exception {
    startProxy(SECRET);
    storeAndHit();
    answer("ban", "/a$", "--host", "127.0.0.1");
    get("/a");
    assertThat(origin.fetches("/a")).isEqualTo(2);
    answer("ban", "--list");
    assertThat(run(proxy.adminPort(), SECRET, "ban", "(")).isEqualTo(1);
    assertThat(err.toString()).startsWith("loligo: not a valid purge: ");
  }

  @Test
  void showsTheNumbersOfTheMetrics() throws Exception {
    startProxy(SECRET);
    storeAndHit();
    String text = answer("stats");
    assertThat(text).contains("requests     3, hits 33.3 %", "memory_hit", "ready");
    JsonValue json = JsonValue.parse(answer("stats", "--json"));
    assertThat(json.get("requests").whole()).isEqualTo(3);
    assertThat(json.get("hits").whole()).isEqualTo(1);
    assertThat(json.get("classes").get("memory_hit").get("requests").whole()).isEqualTo(1);
    assertThat(json.get("memory").values()).isNotEmpty();
    assertThat(answer("top", "--once"))
        .contains("in all     3  hits 33.3 %", "CLIENT", "127.0.0.1");
  }

  @Test
  void programsGetJson() throws Exception {
    startProxy(SECRET);
    storeAndHit();
    JsonValue top = JsonValue.parse(answer("top", "--json"));
    assertThat(top.get("requests").whole()).isEqualTo(3);
    assertThat(top.get("perSecond").get("requests").number()).isZero();
    assertThat(top.get("clients").values().get(0).get("client").text()).isEqualTo("127.0.0.1");
    assertThat(top.get("slowest").values()).isNotEmpty();
    assertThat(answer("rotate", "--json")).isEqualTo("{\"rotating\":true}\n");
    assertThat(answer("health", "--json")).isEqualTo("{\"ready\":true}\n");
    assertThat(answer("health")).isEqualTo("ready\n");
    // this process does not end
    assertThat(answer("drain", "--timeout", "0")).isEqualTo("draining\n");
    String notEnded = "{\"draining\":true,\"ended\":false}\n";
    assertThat(answer("drain", "--timeout", "0", "--json")).isEqualTo(notEnded);
    out.getBuffer().setLength(0);
    assertThat(run(proxy.adminPort(), SECRET, "drain", "--timeout", "1", "--json")).isEqualTo(1);
    assertThat(out.toString()).isEqualTo(notEnded);
    assertThat(err.toString()).isEqualTo("loligo: still draining after 1 s\n");
  }

  /** Its page may be long, and control the terminal. */
  @Test
  void anotherProgramAtTheAdminPortIsNamed() throws Exception {
    startProxy(SECRET);
    String page = "<html>\u001b[2J" + "x".repeat(1000) + "\n</html>";
    origin.onOk("/state", page);
    for (String command : List.of("stats", "top")) {
      assertThat(run(origin.port(), SECRET, command)).as(command).isEqualTo(1);
    }
    assertThat(err.toString())
        .contains("127.0.0.1:" + origin.port() + " is no JSON; next: is that the loligo_admin_port")
        .doesNotContain("Exception", "\u001b");
    err.getBuffer().setLength(0);
    origin.on("/state", ScriptedOrigin.response("404 no", page));
    assertThat(run(origin.port(), SECRET, "stats")).isEqualTo(1);
    assertThat(err.toString()).startsWith("loligo: <html>?[2Jxx").hasSizeLessThan(320);
  }

  @Test
  void aChangeWithoutTheSecretNamesTheRemedy() throws Exception {
    startProxy(SECRET);
    for (List<String> words :
        List.of(
            List.of("purge", "http://h/"),
            List.of("reload"),
            List.of("rotate"),
            List.of("drain"))) {
      assertThat(run(proxy.adminPort(), "", words.toArray(String[]::new))).isEqualTo(1);
    }
    assertThat(err.toString())
        .contains("Authorization", "next: name the configuration with -f, or set LOLIGO_ADMIN");
  }

  @Test
  void aProxyThatDoesNotRunIsAStatusOfItsOwn() throws Exception {
    int port = ProxyProcess.freePort();
    for (String command : List.of("stats", "reload", "rotate", "drain")) {
      assertThat(run(port, SECRET, command)).as(command).isEqualTo(3);
    }
    assertThat(err.toString())
        .contains("no answer from 127.0.0.1:" + port + ": the connection is refused; next: is the");
  }

  /** As for a reload with a file that already names the next port. */
  @Test
  void theAdminPortMayBeAnotherOneThanThatOfTheFile() throws Exception {
    startProxy(SECRET);
    int other = ProxyProcess.freePort();
    String place = "127.0.0.1:" + proxy.adminPort();
    assertThat(run(other, SECRET, "rotate", "--admin", place)).as("%s", err).isZero();
    assertThat(run(other, SECRET, "rotate")).isEqualTo(3);
    assertThat(err.toString()).contains("name that with --admin");
    String off = "loligo_admin_port off\n" + SECRET;
    assertThat(run(other, off, "rotate", "--admin", place)).as("%s", err).isZero();
  }

  @Test
  void anUpgradeWithoutAProxyIsTheSameStatus() throws Exception {
    Path socket = dir.resolve("takeover");
    String line = "loligo_takeover_socket " + socket;
    assertThat(run(ProxyProcess.freePort(), line, "upgrade")).isEqualTo(3);
    assertThat(err.toString())
        .contains("no proxy answers at " + socket + ": no such socket; next: is the proxy running");
  }

  @Test
  void theSecretMayComeFromTheEnvironment() throws Exception {
    startProxy(SECRET);
    List<String> command = new ArrayList<>(List.of("env", "LOLIGO_ADMIN_SECRET=s3cr3t-value"));
    String admin = "127.0.0.1:" + proxy.adminPort();
    command.addAll(ProxyProcess.command(List.of(), ProxyProcess.MAIN, "rotate", "--admin", admin));
    ProxyProcess rotate = closing(ProxyProcess.start(dir, command.toArray(String[]::new)));
    assertThat(rotate.awaitExit()).isZero();
    assertThat(rotate.output()).isEqualTo("logs are rotated\n");
  }

  @Test
  void reloadsAndDrainsAProcess() throws Exception {
    int port = ProxyProcess.freePort();
    int admin = ProxyProcess.freePort();
    String lines =
        configuration(
            "http_port 127.0.0.1:" + port, "loligo_admin_port 127.0.0.1:" + admin, SECRET);
    Path conf = Files.writeString(dir.resolve("loligo.conf"), lines);
    ProxyProcess process = closing(ProxyProcess.loligo(dir, "run", "-f", conf.toString()));
    process.awaitOutput(" ready\n"); // before, it refuses a reload
    Files.writeString(conf, lines + "read_ahead_gap 96 KB\n");
    assertThat(run(admin, SECRET, "reload")).isZero();
    Files.writeString(conf, lines + "read_ahead_gap many\n");
    out.getBuffer().setLength(0);
    assertThat(run(admin, SECRET, "reload")).isEqualTo(1);
    assertThat(out.toString()).contains("loligo.conf:", "read_ahead_gap", "\nnot reloaded");
    out.getBuffer().setLength(0);
    int next = ProxyProcess.freePort();
    Files.writeString(conf, lines.replace("127.0.0.1:" + admin, "127.0.0.1:" + next));
    assertThat(run(admin, SECRET, "reload")).isZero();
    assertThat(out.toString()).contains("loligo_admin_port", "127.0.0.1:" + next, "\nreloaded");
    assertThat(run(admin, SECRET, "stats")).isEqualTo(3);
    out.getBuffer().setLength(0);
    assertThat(run(next, SECRET, "drain", "--json")).isZero();
    assertThat(out.toString()).isEqualTo("{\"draining\":true,\"ended\":true}\n");
    assertThatThrownBy(() -> RawClient.connect(admin)).isInstanceOf(IOException.class);
    assertThat(process.awaitExit()).isZero();
  }
}
