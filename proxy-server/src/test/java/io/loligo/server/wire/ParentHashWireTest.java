package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Parents that share requests by a hash. Beside Squid, if it is there, each of 300 requests goes to
 * the same parent.
 */
class ParentHashWireTest extends WireTest {
  private static final int REQUESTS = 300;
  private final List<ScriptedOrigin> parents = new ArrayList<>();

  @BeforeEach
  void startParents() throws IOException {
    for (int i = 0; i < 3; i++) {
      ScriptedOrigin parent = closing(ScriptedOrigin.start());
      parent.otherwise(call -> call.ok("x", "Cache-Control: no-store"));
      parents.add(parent);
    }
  }

  /** One parent with each of {@code options}, named p0, p1 and so on. */
  private List<String> lines(String... options) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < options.length; i++) {
      lines.add(
          "cache_peer 127.0.0.1 parent "
              + parents.get(i).port()
              + " 0 no-query no-digest no-netdb-exchange name=p"
              + i
              + " "
              + options[i]);
    }
    lines.add("never_direct allow all");
    lines.add("cache deny all");
    return lines;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "carp;carp;carp",
        "carp weight=3;carp;carp weight=2",
        "carp carp-key=host,path;carp carp-key=params;carp carp-key=scheme,host,port",
        "sourcehash;sourcehash weight=2;sourcehash",
        "userhash;carp;userhash"
      })
  @Tag("carp")
  @Tag("carp-key")
  @Tag("sourcehash")
  @Tag("userhash")
  void eachRequestGoesToTheParentThatSquidChooses(String options) throws Exception {
    List<String> lines = new ArrayList<>(lines(options.split(";", -1)));
    Path users = LoginFile.write(dir.resolve("users"), "bob:secret", "alice:wonder", "zoe:zoe");
    lines.add(0, "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + users);
    lines.add("acl users proxy_auth REQUIRED");
    lines.add("acl secured urlpath_regex ^/5");
    lines.add("http_access deny secured !users");
    lines.add("http_access allow all");
    int port = ProxyProcess.freePort();
    List<String> ports = List.of("http_port 127.0.0.1:" + port);
    List<Integer> squids;
    try (ProxyProcess squid = SquidProcess.start(dir, ports, lines)) {
      squid.awaitPort(port);
      squids = askAll(port);
    }
    startProxy(lines.toArray(new String[0]));
    assertThat(askAll(proxy.port())).isEqualTo(squids);
    Set<Integer> used = new TreeSet<>(squids);
    assertThat(used).as("a choice").hasSizeGreaterThan(1);
    proxy.close();
    assertThat(codes(dir.resolve("access.log")))
        .isEqualTo(codes(dir.resolve("squid").resolve("access.log")));
  }

  /** How often each code of a way was logged. */
  private static Map<String, Integer> codes(Path log) throws IOException {
    Map<String, Integer> codes = new TreeMap<>();
    for (String line : Files.readAllLines(log, ISO_8859_1)) {
      String way = line.split(" +", -1)[8];
      if (!way.startsWith("HIER_NONE")) {
        codes.merge(way.substring(0, way.indexOf('/')), 1, Integer::sum);
      }
    }
    return codes;
  }

  /** The number of the parent that got each request. */
  private List<Integer> askAll(int port) throws IOException {
    List<Integer> got = new ArrayList<>();
    List<String> logins = List.of("bob:secret", "alice:wonder", "zoe:zoe");
    for (int i = 0; i < REQUESTS; i++) {
      List<Integer> before = counts();
      try (RawClient client = RawClient.connectFrom("127.0.0." + (1 + i % 50), port)) {
        client.get(url(i), LoginFile.line(logins.get(i % 3))).response();
      }
      got.add(changed(before));
    }
    return got;
  }

  private static String url(int i) {
    String host = i % 7 == 0 ? "s" + i + ".example:8080" : "site.example";
    return "http://" + host + "/" + (i % 10) + "/" + i + (i % 3 == 0 ? "" : "?q=" + i);
  }

  private List<Integer> counts() {
    return parents.stream().map(parent -> parent.requests().size()).toList();
  }

  private int changed(List<Integer> before) {
    for (int i = 0; i < before.size(); i++) {
      if (counts().get(i) > before.get(i)) {
        return i;
      }
    }
    return -1;
  }

  @Test
  void onlyTheRequestsOfADeadParentMove() throws Exception {
    startProxy(lines("carp", "carp", "carp").toArray(new String[0]));
    List<Integer> all = ask(200);
    proxy.close();
    List<String> without = lines("carp", "carp", "carp");
    without.set(1, without.get(1) + " connect-fail-limit=1");
    parents.get(1).close();
    startProxy(without.toArray(new String[0]));
    List<Integer> left = ask(200);
    assertThat(all).contains(0, 1, 2);
    assertThat(left).doesNotContain(1, -1);
    List<Integer> moved = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i) == 1) {
        moved.add(left.get(i));
      } else {
        assertThat(left.get(i)).isEqualTo(all.get(i));
      }
    }
    assertThat(moved).as("shared by the others").contains(0, 2);
  }

  private List<Integer> ask(int requests) throws IOException {
    List<Integer> got = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      List<Integer> before = counts();
      client().get("http://site.example/" + i).response();
      got.add(changed(before));
    }
    return got;
  }

  /** Without ICP Squid knows no round-trip times, and gives weights no effect. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "weighted-round-robin;weighted-round-robin weight=3",
        "weighted-round-robin weight=5;weighted-round-robin;weighted-round-robin weight=2",
        "round-robin weight=3;round-robin;round-robin weight=2"
      })
  void turnsAreDividedAsInSquid(String options) throws Exception {
    List<String> lines = new ArrayList<>(lines(options.split(";", -1)));
    lines.add(0, "http_access allow all");
    int port = ProxyProcess.freePort();
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), lines)) {
      squid.awaitPort(port);
      askAll(port);
    }
    List<Integer> squids = counts();
    startProxy(lines.toArray(new String[0]));
    askAll(proxy.port());
    for (int i = 0; i < squids.size(); i++) {
      // Squid begins with the last parent
      assertThat(counts().get(i) - squids.get(i)).isCloseTo(squids.get(i), within(3));
    }
  }

  @Test
  @Tag("weighted-round-robin")
  void weightedRoundRobinTakesTurns() throws Exception {
    String option = "weighted-round-robin weight=5";
    startProxy(lines(option, "weighted-round-robin").toArray(new String[0]));
    assertThat(ask(6)).containsExactly(0, 1, 0, 1, 0, 1);
  }
}
