package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code loligo report -f} about a process with a disk, while it runs and when it has ended. */
class ReportWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private static final int ROUNDS = 4;

  /** The graph that has a class which the proxy does not know. */
  private static final int NEIGHBOURS = 27;

  private int port;
  private Path conf;

  private ProxyProcess start() throws Exception {
    port = ProxyProcess.freePort();
    String text =
        configuration(
            "http_port 127.0.0.1:" + port,
            "loligo_admin_port 127.0.0.1:" + ProxyProcess.freePort(),
            "loligo_admin_secret a-secret-of-the-test",
            "access_log stdio:" + dir.resolve("access.log") + " logformat=loligo_stages",
            "cache_dir rock " + dir.resolve("cache") + " 64",
            "maximum_object_size_in_memory 3 KB",
            "negative_ttl 100 seconds");
    conf = Files.writeString(dir.resolve("loligo.conf"), text);
    return closing(ProxyProcess.loligo(dir, "run", "-f", conf.toString())).awaitPort(port);
  }

  private WireMessage fetch(String path, String... fieldLines) throws IOException {
    return get(origin, path, fieldLines);
  }

  private WireMessage get(ScriptedOrigin from, String path, String... fieldLines)
      throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      return client.get(from.url(path), fieldLines).response();
    }
  }

  private void body(String path, int bytes) {
    origin.onOk(path, "x".repeat(bytes), FRESH, "ETag: \"1\"");
  }

  /** The rows of its table. */
  private static List<String> numbers(String page, int number) {
    return Pattern.compile("<tr>(.*?)</tr>")
        .matcher(figure(page, number))
        .results()
        .map(row -> row.group(1))
        .toList();
  }

  /** Work of every kind: misses, hits of each kind, validations, reads and writes of each size. */
  private void work() throws Exception {
    origin.on("/gone", exchange -> exchange.send(ScriptedOrigin.response("404 Not Found", "none")));
    ScriptedOrigin validated = closing(ScriptedOrigin.start());
    validated.on(
        "/stale",
        exchange -> {
          boolean has = exchange.field("If-None-Match") != null;
          String fields = "ETag: \"1\"\r\nCache-Control: max-age=0\r\nConnection: close\r\n";
          exchange.send(
              has
                  ? "HTTP/1.1 304 Not Modified\r\n" + fields + "\r\n"
                  : "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + fields + "\r\nstale");
          exchange.close();
        });
    get(validated, "/stale");
    fetch("/gone");
    for (int round = 0; round < ROUNDS; round++) {
      List<String> paths = new ArrayList<>();
      for (int bytes : new int[] {1000, 6000, 12_000, 100_000, 300_000}) {
        String path = "/" + round + '/' + bytes;
        body(path, bytes);
        assertThat(fetch(path).status()).isEqualTo(200);
        paths.add(path);
      }
      for (String path : paths) {
        Waiting.until(path + " is stored", () -> isHit(path));
        fetch(path, "If-None-Match: \"1\"");
      }
      get(validated, "/stale");
      fetch("/gone");
    }
  }

  private boolean isHit(String path) {
    try {
      return String.valueOf(fetch(path).field("Cache-Status")).matches(".*; ?hit.*");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private String report(String name) throws Exception {
    Path page = dir.resolve(name);
    ProxyProcess report =
        closing(
            ProxyProcess.loligo(
                dir, "report", "-f", conf.toString(), "-o", page.toString(), "--zone", "UTC"));
    assertThat(report.awaitExit()).as(report.output()).isZero();
    return Files.readString(page);
  }

  private static String figure(String page, int number) {
    Matcher figure =
        Pattern.compile("<figure id='e" + number + "'>(.*?)</figure>", Pattern.DOTALL)
            .matcher(page);
    assertThat(figure.find()).as("graph " + number).isTrue();
    return figure.group(1);
  }

  private static void assertShows(String page, int number, String... curves) {
    String figure = figure(page, number);
    assertThat(figure).as("graph %s", number).doesNotContain("cannot give", "Infinity");
    for (String curve : curves) {
      assertThat(figure).as("graph %s", number).contains("<span>" + curve + "</span></li>");
    }
    if (number != 16) {
      assertThat(figure)
          .as("graph %s", number)
          .containsPattern("class='(curve|area c.)' d='M[0-9.]+ [0-9.]+|<circle");
    }
  }

  @Test
  void everyGraphOfARunningProxyHasPointsOfEachClass() throws Exception {
    ProxyProcess proxy = start();
    work();
    String running = report("running.html");
    for (int number = 1; number <= 31; number++) {
      assertShows(running, number);
      if (number != NEIGHBOURS) {
        assertThat(figure(running, number)).as("graph %s", number).doesNotContain("Not shown");
      }
    }
    assertShows(running, 1, "hits", "misses", "swap-ins", "swap-outs");
    assertShows(running, 11, "swap-in", "swap-out");
    assertShows(running, 12, "50th percentile", "75th percentile");
    assertShows(running, 13, "all", "in", "out");
    for (int number : new int[] {14, 17, 18}) {
      assertShows(running, number, "in", "out");
    }
    assertShows(running, 15, "in, total", "in, first I/O", "out, total");
    assertThat(figure(running, 16)).contains("<th scope='row'>in</th>", "<th scope='row'>out</th>");
    for (int number = 22; number <= 28; number++) {
      assertShows(running, number, "hits", "misses");
    }
    assertThat(running).contains("loligo.history.").doesNotContain("was not asked");
    proxy.signal("TERM");
    assertThat(proxy.awaitExit()).as(proxy.output()).isZero();
    String ended = report("ended.html");
    assertThat(ended).contains("The running proxy was not asked (no answer from 127.0.0.1:");
    for (int number : new int[] {11, 12, 13, 14, 16, 17, 18}) {
      assertThat(numbers(ended, number).get(0)).isEqualTo(numbers(running, number).get(0));
    }
    for (int number : new int[] {14, 16, 17, 18}) {
      assertThat(numbers(ended, number)).isEqualTo(numbers(running, number));
    }
    assertThat(figure(ended, 15)).contains("out, total: ").doesNotContain("<span>out, total<");
    assertThat(figure(ended, 1)).doesNotContain("<span>swap-outs<");
  }
}
