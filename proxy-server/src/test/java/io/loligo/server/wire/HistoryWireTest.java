package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.history.HistoryRecorder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The history at the admin port. */
class HistoryWireTest extends WireTest {
  private static final int BYTES = 2 << 20;

  private HistoryRecorder recorder;

  private WireMessage admin(String method, String path) throws Exception {
    String head = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.adminPort();
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client.send(head + "\r\nConnection: close\r\n\r\n").responseTo(method);
    }
  }

  private Path file() {
    return dir.resolve("loligo.history");
  }

  private void startKeeping() throws Exception {
    startProxy();
    recorder = proxy.keepHistory(BYTES, file());
    recorder.start().get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void ask(int times) throws Exception {
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    for (int i = 0; i < times; i++) {
      get("/a");
    }
    // the last of them is counted when the loop has answered the next one
    exchange("OPTIONS", "/a", "Max-Forwards: 0");
    recorder.sample();
  }

  private static long sum(String json, String column) {
    int from = json.indexOf("\"" + column + "\":[");
    assertThat(from).as("%s in %s", column, json).isNotNegative();
    String numbers = json.substring(json.indexOf('[', from) + 1, json.indexOf(']', from));
    long sum = 0;
    for (String number : numbers.split(",", -1)) {
      sum += number.equals("null") ? 0 : (long) Double.parseDouble(number);
    }
    return sum;
  }

  @Test
  void requestsAppearInAllRangesAndARestartKeepsThem() throws Exception {
    startKeeping();
    ask(3);
    for (String range : new String[] {"5m", "1h", "24h", "30d"}) {
      WireMessage answer = admin("GET", "/history?range=" + range);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.field("Content-Type")).startsWith("application/json");
      assertThat(answer.text()).startsWith("{\"range\":\"" + range + "\",\"step\":");
      assertThat(sum(answer.text(), "exchanges.memory_hit")).isEqualTo(2);
      assertThat(sum(answer.text(), "exchanges.miss")).isEqualTo(1);
      assertThat(sum(answer.text(), "time.memory_hit.count")).isEqualTo(2);
      assertThat(sum(answer.text(), "time.miss.p95")).isPositive();
      assertThat(sum(answer.text(), "store_entries.max")).isPositive();
      assertThat(answer.text()).doesNotContain("exchanges.disk_hit", "127.0.0.1");
    }
    proxy.close();
    startKeeping();
    ask(2);
    String text = admin("GET", "/history?range=1h&series=exchanges.*,hits").text();
    assertThat(sum(text, "exchanges.miss")).isEqualTo(2);
    assertThat(sum(text, "hits")).isEqualTo(3);
    assertThat(sum(text, "exchanges.disk_hit")).as("named, so shown").isZero();
    assertThat(text).doesNotContain("time.");
  }

  @Test
  void aDamagedFileIsPutAsideAndTheHistoryBeginsAnew() throws Exception {
    startKeeping();
    ask(1);
    proxy.close();
    byte[] bytes = Files.readAllBytes(file());
    bytes[bytes.length / 2] ^= 1;
    Files.write(file(), bytes);
    startKeeping();
    assertThat(dir.resolve("loligo.history.damaged")).hasBinaryContent(bytes);
    ask(1);
    assertThat(sum(admin("GET", "/history?series=exchanges.miss").text(), "exchanges.miss"))
        .isEqualTo(1);
  }

  @Test
  void answersWithinItsLimits() throws Exception {
    startKeeping();
    for (String good :
        List.of(
            "GET /history",
            "HEAD /history?range=30d",
            "GET /history?range=5m&step=60",
            "GET /history?range=30d&step=600&series=hits")) {
      assertThat(status(good)).as(good).isEqualTo(200);
    }
    for (String wrong :
        List.of(
            "?range=7m",
            "?range=5m&range=1h",
            "?range=1h&step=15",
            "?range=1h&step=0",
            "?range=1h&step=-10",
            "?range=30d&step=600&series=*",
            "?series=nothing",
            "?series=",
            "?series=hits,nothing*")) {
      assertThat(status("GET /history" + wrong)).as(wrong).isEqualTo(400);
    }
    assertThat(status("POST /history")).isEqualTo(405);
  }

  private int status(String line) throws Exception {
    String[] words = line.split(" ", -1);
    return admin(words[0], words[1]).status();
  }

  @Test
  void withoutAHistoryItSaysWhereToLook() throws Exception {
    startProxy("loligo_history off");
    WireMessage answer = admin("GET", "/history");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.text()).contains("loligo_history");
  }

  /** The process itself: its default place, its memory, and a stop that writes the file. */
  @Test
  void theProcessKeepsItsHistoryBesideItsLogs() throws Exception {
    int port = ProxyProcess.freePort();
    String conf = "http_port 127.0.0.1:" + port + "\n" + configuration().replaceFirst(".*\n", "");
    Path written = Files.writeString(dir.resolve("loligo.conf"), conf);
    ProxyProcess process = closing(ProxyProcess.loligo(dir, "run", "-f", written.toString()));
    process.awaitPort(port);
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output()).containsPattern("memory: cache_mem 32 MB, .*, history [0-9]+ MB");
    assertThat(file()).isNotEmptyFile();
  }
}
