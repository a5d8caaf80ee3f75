package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests for other URLs than those of HTTP, and for objects of Squid itself: the status is that
 * of Squid, but for those in the page of differences.
 */
class OddTargetsWireTest extends WireTest {
  /** {O}: the origin, {P}: the proxy. */
  private static final List<String> ALIKE =
      List.of(
          "GET foo:bar",
          "GET data:,x",
          "GET about:blank",
          "GET mailto:a@b.test",
          "GET file:///etc/passwd",
          "GET http:///x",
          "GET http:x",
          "GET https://",
          "GET ://x",
          "GET *",
          "GET /plain",
          "GET foo://{O}/x",
          "POST foo://{O}/x",
          "GET coap://{O}/x",
          "GET coaps://{O}/x",
          "GET ws://{O}/x",
          "GET ftps://{O}/x",
          "GET icp://{O}/x",
          "GET gopher://{O}/",
          "HEAD gopher://{O}/",
          "GET HTTP://{O}/x",
          "GET cache_object://localhost/menu",
          "GET cache_object://localhost/nosuch",
          "GET cache_object://localhost/config",
          "GET /squid-internal-mgr/info",
          "GET /squid-internal-mgr/nosuch",
          "GET http://{N}:{P}/squid-internal-mgr/info",
          "GET http://{O}/squid-internal-mgr/info",
          "GET http://{O}/squid-internal-periodic/store_digest",
          "GET http://{O}/squid-internal-dynamic/netdb");

  /** The status of Squid, and ours. */
  private static final List<String> DIFFERENT =
      List.of(
          "GET urn:isbn:1: 404, 400",
          "OPTIONS *: 501, 200",
          "POST /squid-internal-mgr/info: 200, 405",
          "GET /squid-internal-mgr/: 404, 200",
          "GET /squid-internal-mgr: 404, 400",
          "GET http://127.0.0.1:{P}/squid-internal-mgr/info: 403, 200",
          "GET http://{O}/squid-internal-static/none: 404, 200");

  private List<String> rows(List<String> requests, String name, int port) throws IOException {
    List<String> rows = new ArrayList<>();
    for (String request : requests) {
      rows.add(request + ": " + ask(request, name, port));
    }
    return rows;
  }

  private int ask(String request, String name, int port) throws IOException {
    String target =
        request
            .replace("{O}", origin.authority())
            .replace("{N}", name)
            .replace("{P}", Integer.toString(port));
    String method = target.substring(0, target.indexOf(' '));
    String content = method.equals("POST") ? "Content-Length: 0\r\n" : "";
    try (RawClient client = RawClient.connect(port)) {
      client.send(
          target
              + " HTTP/1.1\r\nHost: "
              + origin.authority()
              + "\r\nConnection: close\r\n"
              + content
              + "\r\n");
      return client.responseTo(method).status();
    }
  }

  private static List<String> requests(List<String> rows) {
    return rows.stream().map(row -> row.substring(0, row.lastIndexOf(": "))).toList();
  }

  /** The rows of {@code requests} with the statuses of both. */
  private List<String> both(List<String> requests, List<String> squids, List<String> ours) {
    List<String> both = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      both.add(squids.get(i) + ", " + ours.get(i).substring(requests.get(i).length() + 2));
    }
    return both;
  }

  @Test
  void statusesAreThoseOfSquidButForAFew() throws Exception {
    origin.otherwise(call -> call.ok("content", "Cache-Control: no-store"));
    startProxy();
    List<String> different = requests(DIFFERENT);
    List<String> ours = rows(ALIKE, "proxy.test", proxy.port());
    List<String> oursToo = rows(different, "proxy.test", proxy.port());
    int port = ProxyProcess.freePort();
    try (ProxyProcess squid =
        SquidProcess.start(
            dir, List.of("http_port 127.0.0.1:" + port), List.of("http_access allow all"))) {
      squid.awaitPort(port);
      List<String> squids = rows(ALIKE, "squid.test", port);
      assertThat(String.join("\n", ours)).isEqualTo(String.join("\n", squids));
      List<String> squidsToo = rows(different, "squid.test", port);
      assertThat(both(different, squidsToo, oursToo)).isEqualTo(DIFFERENT);
    }
  }

  /** Squid connects to such a server; this proxy speaks HTTP only. */
  @ParameterizedTest
  @ValueSource(strings = {"wais", "whois", "gopher", "ftp", "foo"})
  void aServerOfAnotherProtocolIsNotAsked(String scheme) throws Exception {
    startProxy();
    assertThat(ask("GET " + scheme + "://{O}/x", "", proxy.port())).isEqualTo(501);
    assertThat(origin.connections()).isZero();
  }
}
