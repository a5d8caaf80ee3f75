package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * One file with pools of all kinds, in force in Squid and here: the same pool is chosen for each
 * request, and the same responses are late. Skipped, visibly, if Squid is absent.
 */
class PoolsBesideSquidTest extends WireTest {
  /** A pool lets half of 8,000 bytes pass at once. */
  private static final String CONTENT = "x".repeat(20_000);

  private static final int AT_ONCE = 1_000;

  private static final List<String> LIMITED =
      List.of("/c1", "/c2", "/c3", "/c4", "/c5", "/film", "/guest");

  private List<String> lines() throws IOException {
    String login = HelperScript.write(dir, "login", false, "*) echo OK ;;").path();
    String tag = HelperScript.write(dir, "tag", false, "*/c5*) echo 'OK tag=t' ;;").path();
    List<String> lines = new ArrayList<>();
    lines.add("auth_param basic program " + login);
    lines.add("auth_param basic realm pools");
    lines.add("external_acl_type tags %URI " + tag);
    lines.add("acl known proxy_auth REQUIRED");
    lines.add("acl tagged external tags");
    lines.add("delay_pools 5");
    String[] parameters = {
      "8000/8000",
      "-1/-1 8000/8000",
      "-1/-1 -1/-1 8000/8000",
      "-1/-1 -1/-1 -1/-1 8000/8000",
      "8000/8000"
    };
    for (int i = 1; i <= 5; i++) {
      lines.add("acl p" + i + " urlpath_regex ^/c" + i);
      lines.add("acl note" + i + " annotate_transaction pool=" + i);
      lines.add("delay_class " + i + " " + i);
      lines.add("delay_parameters " + i + " " + parameters[i - 1]);
    }
    lines.add("acl fast urlpath_regex fast");
    for (int i = 5; i >= 1; i--) {
      lines.add("delay_access " + i + " deny fast");
      lines.add("delay_access " + i + " allow p" + i + " note" + i);
      lines.add("delay_access " + i + " deny all");
    }
    lines.add("acl guest src 127.0.0.9");
    lines.add("client_delay_pools 1");
    lines.add("client_delay_initial_bucket_level 50");
    lines.add("client_delay_parameters 1 8000 8000");
    lines.add("client_delay_access 1 allow guest");
    lines.add("acl film urlpath_regex ^/film");
    lines.add("response_delay_pool films individual-restore=8000 individual-maximum=8000");
    lines.add("response_delay_pool_access films allow film");
    lines.add("http_access allow p4 known");
    lines.add("http_access deny p4");
    lines.add("http_access allow p5 tagged");
    lines.add("http_access allow all");
    lines.add("logformat pools %ru %>Hs %{pool}note");
    return lines;
  }

  private RawClient ask(int port, String path) throws IOException {
    String from = path.startsWith("/guest") ? "127.0.0.9" : "127.0.0.1";
    RawClient client = closing(RawClient.connectFrom(from, port));
    String[] fields =
        path.startsWith("/c4") ? new String[] {LoginFile.line("bob:secret")} : new String[0];
    return client.get(origin.url(path), fields);
  }

  /** Each response that is late when another one, asked for last, is complete; and its end. */
  private Map<String, String> late(int port) throws IOException {
    Map<String, RawClient> clients = new LinkedHashMap<>();
    for (String path : LIMITED) {
      RawClient client = ask(port, path);
      client.responseHead();
      client.read(AT_ONCE);
      clients.put(path, client);
    }
    List<String> whole = new ArrayList<>();
    for (String path : List.of("/free", "/c1-fast", "/c5-fast")) {
      whole.add(ask(port, path).response().text());
    }
    assertThat(whole).containsOnly(CONTENT);
    Map<String, String> seen = new LinkedHashMap<>();
    for (String path : LIMITED) {
      boolean late = clients.get(path).in().available() < CONTENT.length() - AT_ONCE;
      seen.put(path, late ? "late, " : "");
    }
    for (String path : LIMITED) {
      String rest = clients.get(path).read(CONTENT.length() - AT_ONCE);
      seen.merge(path, AT_ONCE + rest.length() + " bytes", String::concat);
    }
    return seen;
  }

  @Test
  void theSameResponsesAreLateInTheSamePools() throws Exception {
    origin.otherwise(call -> call.ok(CONTENT, "Cache-Control: no-store"));
    List<String> lines = lines();
    Path squidLog = dir.resolve("squid").resolve("pools.log");
    Path ourLog = dir.resolve("pools.log");
    List<String> squids = new ArrayList<>(lines);
    squids.add("access_log stdio:" + squidLog + " pools");
    int port = ProxyProcess.freePort();
    Map<String, String> expected;
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), squids)) {
      squid.awaitPort(port);
      expected = late(port);
    }
    List<String> ours = new ArrayList<>(lines);
    ours.add("access_log stdio:" + ourLog + " pools");
    startProxy(ours.toArray(String[]::new));
    assertThat(late(proxy.port())).isEqualTo(expected);
    assertThat(expected.values()).containsOnly("late, 20000 bytes");
    proxy.close();
    List<String> chosen = requestsOf(ourLog);
    assertThat(chosen).hasSize(LIMITED.size() + 3).isEqualTo(requestsOf(squidLog));
  }

  private List<String> requestsOf(Path log) throws IOException {
    return Files.readAllLines(log, ISO_8859_1).stream()
        .filter(line -> line.startsWith(origin.url("/")))
        .sorted()
        .toList();
  }
}
