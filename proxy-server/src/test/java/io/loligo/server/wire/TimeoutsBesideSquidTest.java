package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What clients and the log see of timeouts, in Squid and here; docs/reference/differences.md names
 * each difference. The time of the timeouts passes for both. Skipped, visibly, if Squid is absent.
 */
class TimeoutsBesideSquidTest extends WireTest {
  /** Squid, then this proxy where it differs: status, result code and hierarchy code. */
  private record Expected(String bytes, String squid, String here) {}

  private final Map<String, Expected> cases = new LinkedHashMap<>();

  private void same(String bytes, String outcome) {
    differs(bytes, outcome, outcome);
  }

  private void differs(String bytes, String squid, String here) {
    cases.put(
        "case " + cases.size() + ": " + bytes.lines().findFirst().orElse(""),
        new Expected(bytes, squid, here));
  }

  private String get(String path) {
    return RawClient.head("GET", origin.url(path), "Connection: close");
  }

  private static String connect(int port) {
    return "CONNECT 127.0.0.1:" + port + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n\r\n";
  }

  private void script() {
    origin.on("/silent", call -> assertThat(call.in().read()).isEqualTo(-1));
    origin.on(
        "/half",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
          assertThat(call.in().read()).isEqualTo(-1);
        });
  }

  @Test
  void ofServersAndHeads() throws Exception {
    script();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Socket> waiting = LimitsTimeoutsWireTest.fill(full, 1);
      String unreached = "http://127.0.0.1:" + full.getLocalPort() + "/";
      same(get("/silent"), "504 TCP_MISS/504 HIER_DIRECT");
      same(get("/half"), "200 TCP_MISS/200 HIER_DIRECT");
      same(connect(origin.port()), "200 TCP_TUNNEL/200 HIER_DIRECT");
      differs(
          RawClient.head("GET", unreached, "Connection: close"),
          "503 TCP_MISS/503 HIER_DIRECT",
          "504 TCP_MISS/504 HIER_DIRECT");
      differs(
          connect(full.getLocalPort()),
          "503 NONE_NONE/503 HIER_DIRECT",
          "504 TCP_TUNNEL/504 HIER_DIRECT");
      differs("GET http://x/ HTTP/1.1\r\nHost:", "closed", "408");
      compare(
          "read_timeout 3 seconds",
          "connect_timeout 3 seconds",
          "request_timeout 3 seconds",
          "connect_retries 0");
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }

  @Test
  void ofClients() throws Exception {
    script();
    differs(
        get("/silent"),
        "closed TCP_MISS_TIMEDOUT/000 HIER_DIRECT",
        "closed TCP_MISS_TIMEDOUT_ABORTED/000 HIER_DIRECT");
    differs(
        get("/half"),
        "200 TCP_MISS_TIMEDOUT/200 HIER_DIRECT",
        "200 TCP_MISS_TIMEDOUT_ABORTED/200 HIER_DIRECT");
    differs(
        connect(origin.port()),
        "200 TCP_TUNNEL/200 HIER_DIRECT",
        "200 TCP_TUNNEL_TIMEDOUT/200 HIER_DIRECT");
    compare("client_lifetime 4 seconds");
  }

  private void compare(String... lines) throws Exception {
    List<String> squids = new ArrayList<>();
    int port = ProxyProcess.freePort();
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("http_access allow all");
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), all)) {
      squid.awaitPort(port);
      squids.addAll(ask(port));
    }
    List<String> squidLog =
        Files.readAllLines(dir.resolve("squid").resolve("access.log"), ISO_8859_1);
    startProxy(lines);
    List<String> ours = ask(proxy.port());
    List<String> ourLog = stopAndReadLog();

    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    int index = 0;
    for (Map.Entry<String, Expected> one : cases.entrySet()) {
      Expected outcome = one.getValue();
      expected.add(one.getKey() + ": " + outcome.squid + " | " + outcome.here);
      actual.add(
          one.getKey()
              + ": "
              + with(squids.get(index), outcome.bytes, squidLog)
              + " | "
              + with(ours.get(index), outcome.bytes, ourLog));
      index++;
    }
    assertThat(String.join("\n", actual)).isEqualTo(String.join("\n", expected));
  }

  /** All are asked at once; each connection is read until the proxy closes it. */
  private List<String> ask(int port) throws Exception {
    List<RawClient> clients = new ArrayList<>();
    for (Expected one : cases.values()) {
      clients.add(closing(RawClient.connect(port)).send(one.bytes));
    }
    List<String> statuses = new ArrayList<>();
    for (RawClient client : clients) {
      String all = client.untilClose();
      statuses.add(all.isEmpty() ? "closed" : all.substring(9, 12));
    }
    return statuses;
  }

  /** Adds what is logged about the target; nothing, if the request has no whole head. */
  private static String with(String status, String bytes, List<String> log) {
    String target = bytes.split(" ", -1)[1];
    return log.stream()
        .map(line -> line.strip().split(" +", -1))
        .filter(words -> words[6].equals(target))
        .map(words -> status + " " + words[3] + " " + words[8].replaceFirst("/.*", ""))
        .findFirst()
        .orElse(status);
  }
}
