package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.json.JsonValue;
import io.loligo.server.json.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.List;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.junit.jupiter.api.Test;

/** The view, and the screen in a virtual terminal. */
class TopTest {
  private static final ZoneId UTC = ZoneId.of("UTC");

  private int looks;

  /** Each look is a second later, with 100 requests more, 80 of them hits. */
  private String page(String page) {
    if (page.equals("/traffic")) {
      return traffic();
    }
    looks++;
    JsonWriter json = JsonWriter.compact().beginObject();
    json.member("time", 1_000L * looks).member("version", "1.2").member("upSeconds", 3_661);
    json.member("ready", true).name("counters").beginObject();
    json.member("exchanges.memory_hit", 1_000 + 80L * looks);
    json.member("exchanges.miss", 500 + 20L * looks).member("hits", 1_000 + 80L * looks);
    json.member("client_sent_bytes", 4_096L * looks);
    json.member("client_hit_sent_bytes", 1_024L * looks);
    json.member("server_received_bytes", 2_048L * looks).endObject();
    json.name("gauges").beginObject().member("client_connections", 7);
    json.member("server_connections", 3).member("tunnels", 1).endObject();
    json.name("classes").beginObject();
    for (String name : List.of("memory_hit", "miss")) {
      json.name(name).beginObject().member("count", 60).name("p50").value(150);
      json.name("p95").value(2_500).name("p99").value(30_000).endObject();
    }
    json.endObject().name("memory").beginArray().beginObject().member("owner", "cache");
    json.member("usedBytes", 64L << 20).member("limitBytes", 256L << 20).endObject().endArray();
    json.name("disks").beginArray().beginObject().member("path", "/cache").member("state", "ready");
    json.member("used_bytes", 1L << 30).member("capacity_bytes", 4L << 30).member("hits", 9);
    json.member("queue", 2).endObject().endArray();
    return json.endObject().toString();
  }

  private static String traffic() {
    JsonWriter json = JsonWriter.compact().beginObject();
    for (String name : List.of("origin", "client")) {
      json.name(name + "s").beginArray();
      for (int i = 1; i <= 9; i++) {
        json.beginObject().member(name, name + i).member("requests", i).member("hits", 10 + i);
        json.member("errors", i == 3 ? 5 : 0).member("bytes", 1_000L * (10 - i)).endObject();
      }
      json.endArray();
    }
    json.name("slowest").beginArray().beginObject().member("method", "GET");
    json.member("url", "http://slow.test/\u001b[2J" + "x".repeat(200)).member("status", 200);
    json.member("class", "miss").name("seconds").value(1.5).endObject().endArray();
    return json.endObject().toString();
  }

  private TopSource source() throws Exception {
    TopSource source = new TopSource(this::page);
    source.look();
    source.look();
    return source;
  }

  private static List<String> view(TopSource source, int lines, TopView.Order order) {
    return new TopView(80, lines, order, UTC).lines(source);
  }

  @Test
  void fitsIntoASmallTerminal() throws Exception {
    List<String> view = view(source(), 24, TopView.Order.REQUESTS);
    assertThat(view).hasSizeLessThanOrEqualTo(23).allMatch(line -> line.length() <= 80);
    assertThat(view.toString())
        .contains("CLASS", "ORIGIN", "CLIENT", "SLOWEST", "http://slow.test/");
  }

  @Test
  void showsTheNumbersOfTheProxy() throws Exception {
    String view = String.join("\n", view(source(), 24, TopView.Order.REQUESTS));
    assertThat(view)
        .contains("Loligo 1.2  00:00:02  up 1 h 1 min  ready")
        .contains("requests/s 100  hits 80.0 %  hit bytes 25.0 %  sent/s 4.0 KB  received/s 2.0 KB")
        .contains("in all     1700  hits 68.2 %", "  in 7, out 3, tunnels 1")
        .contains("cache 64 MB of 256 MB (25.0 %)")
        .contains("disk       /cache ready, 1.0 GB of 4.0 GB (25.0 %), hits 9, queue 2")
        .containsPattern("memory_hit +1160 +150 us +2.5 ms +30 ms")
        .containsPattern("origin9 +9 +19 +0 +1000 B")
        .containsPattern("1.5 s +miss +200  GET http://slow.test/");
  }

  @Test
  void programsGetTheSameNumbers() throws Exception {
    String text = TopJson.of(source());
    JsonValue json = JsonValue.parse(text);
    assertThat(json.get("requests").whole()).isEqualTo(1700);
    JsonValue rates = json.get("perSecond");
    assertThat(rates.get("requests").number()).isEqualTo(100);
    assertThat(rates.get("hits").number()).isEqualTo(80);
    assertThat(rates.get("clientSentBytes").number()).isEqualTo(4096);
    assertThat(rates.get("clientHitSentBytes").number()).isEqualTo(1024);
    assertThat(rates.get("serverReceivedBytes").number()).isEqualTo(2048);
    assertThat(json.get("classes").get("miss").get("p99Micros").number()).isEqualTo(30_000);
    JsonValue third = json.get("origins").values().get(2);
    assertThat(third.get("origin").text()).isEqualTo("origin3");
    assertThat(third.get("errors").whole()).isEqualTo(5);
    assertThat(json.get("clients").values()).hasSize(9);
    JsonValue slowest = json.get("slowest").values().get(0);
    assertThat(slowest.get("micros").whole()).isEqualTo(1_500_000);
    assertThat(slowest.get("url").text()).startsWith("http://slow.test/\u001b[2J");
    assertThat(text).as("no control character").doesNotContain("\u001b", "\n");
  }

  @Test
  void sortsByTheChosenNumber() throws Exception {
    TopSource source = source();
    assertThat(firstOrigin(source, TopView.Order.REQUESTS)).startsWith("origin9 ");
    assertThat(firstOrigin(source, TopView.Order.BYTES)).startsWith("origin1 ");
    assertThat(firstOrigin(source, TopView.Order.ERRORS)).startsWith("origin3 ");
    assertThat(TopView.Order.ERRORS.next()).isEqualTo(TopView.Order.REQUESTS);
  }

  private static String firstOrigin(TopSource source, TopView.Order order) {
    return view(source, 24, order).stream().filter(l -> l.startsWith("origin")).findFirst().get();
  }

  @Test
  void aUrlCannotControlTheTerminal() throws Exception {
    assertThat(String.join("", view(source(), 24, TopView.Order.REQUESTS)))
        .contains("http://slow.test/?[2Jx")
        .doesNotContain("\u001b");
  }

  @Test
  void keysSortPauseHelpAndEnd() throws Exception {
    ByteArrayOutputStream screen = new ByteArrayOutputStream();
    try (LineDisciplineTerminal terminal =
        new LineDisciplineTerminal("virtual", "xterm", screen, StandardCharsets.UTF_8)) {
      terminal.setSize(new Size(80, 24));
      terminal.processInputBytes("sp?xq".getBytes(StandardCharsets.US_ASCII));
      new TopScreen(terminal, new TopSource(this::page), UTC).run();
    }
    String shown = screen.toString(StandardCharsets.UTF_8);
    assertThat(shown)
        .contains("Loligo 1.2", "s sort: requests", "origin9")
        .contains("bytes", "origin1")
        .contains("continue (paused)")
        .contains("sorts origins and clients")
        .contains("requests are those of the last minutes.");
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void theEndOfTheInputEndsIt() throws Exception {
    try (LineDisciplineTerminal terminal =
        new LineDisciplineTerminal(
            "virtual", "dumb", new ByteArrayOutputStream(), StandardCharsets.UTF_8)) {
      terminal.setSize(new Size(20, 5));
      terminal.processInputBytes("q".getBytes(StandardCharsets.US_ASCII));
      new TopScreen(terminal, new TopSource(this::page), UTC).run();
    }
    assertThat(looks).isEqualTo(1);
  }

  /** As a signal it would leave the terminal without echo, on another screen. */
  @Test
  void controlCIsAKeyThatEndsIt() throws Exception {
    try (LineDisciplineTerminal terminal =
        new LineDisciplineTerminal(
            "virtual", "dumb", new ByteArrayOutputStream(), StandardCharsets.UTF_8)) {
      terminal.setSize(new Size(20, 5));
      Attributes before = terminal.getAttributes();
      TopSource typing =
          new TopSource(
              path -> {
                String page = page(path);
                try {
                  terminal.processInputBytes(new byte[] {(byte) (looks == 1 ? 3 : 'q')});
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                return page;
              });
      new TopScreen(terminal, typing, UTC).run();
      assertThat(terminal.getAttributes().getLocalFlags()).isEqualTo(before.getLocalFlags());
    }
    assertThat(looks).isEqualTo(1);
  }
}
