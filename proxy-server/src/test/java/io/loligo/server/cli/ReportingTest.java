package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.json.JsonValue;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReportingTest {
  private static final String LINE =
      "1763600000.123    310 192.0.2.1 TCP_MISS/200 1234 GET http://a.test/ - HIER_DIRECT/192.0.2.9"
          + " text/html\n";

  @TempDir Path dir;

  private final StringWriter err = new StringWriter();

  private int report(String... words) {
    CommandLine loligo = Main.commandLine().setErr(new PrintWriter(err));
    String[] line = new String[words.length + 1];
    line[0] = "report";
    System.arraycopy(words, 0, line, 1, words.length);
    return loligo.execute(line);
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(dir.resolve(name), text).toString();
  }

  @Test
  void writesThePage() throws IOException {
    Path page = dir.resolve("report.html");
    String log = write("access.log", LINE + "x\n");
    assertThat(report(log, "-o", page.toString(), "--zone", "UTC")).isZero();
    assertThat(page).content().contains("31. Proxy reply time", "1 of 2 lines are unreadable");
    assertThat(err.toString()).contains("loligo: 1 accesses, 1 unreadable lines: " + page);
  }

  @Test
  void writesFiguresForPrograms() throws IOException {
    Path file = dir.resolve("figures.json");
    String hit = LINE.replace("TCP_MISS/200 1234", "TCP_HIT/200 66").replace("   310 ", "    10 ");
    String absent = dir.resolve("absent").toString();
    String log =
        write("access.log", LINE + LINE + hit + hit.replace("TCP_HIT", "TCP_DENIED") + "x\n");
    assertThat(report(absent, log, "-o", file.toString(), "--json")).isEqualTo(1);
    String text = Files.readString(file);
    assertThat(text).endsWith("}\n").hasLineCount(1);
    JsonValue json = JsonValue.parse(text);
    assertThat(json.get("lines").whole()).isEqualTo(5);
    assertThat(json.get("unreadable").whole()).isEqualTo(1);
    assertThat(json.get("accesses").whole()).isEqualTo(4);
    assertThat(json.get("others").whole()).isEqualTo(1);
    assertThat(json.get("problems").values()).hasSize(1);
    assertThat(json.get("results").get("TCP_MISS").whole()).isEqualTo(2);
    assertThat(json.get("from").text()).isEqualTo("2025-11-20T00:53:20.123Z");
    for (JsonValue sums : List.of(json, json.get("peak"), json.get("overTime").values().get(0))) {
      assertThat(sums.get("hits").whole()).isEqualTo(1);
      assertThat(sums.get("misses").whole()).isEqualTo(2);
      assertThat(sums.get("hitRatio").number()).isEqualTo(0.333);
      assertThat(sums.get("bytes").whole()).isEqualTo(2 * 1234 + 66);
      assertThat(sums.get("hitBytes").whole()).isEqualTo(66);
      double miss = sums.get("times").get("misses").get("p50Micros").number();
      assertThat(miss).isBetween(305_000.0, 315_000.0);
      assertThat(sums.get("times").get("hits").get("p99Micros").number()).isLessThan(miss);
    }
  }

  @Test
  void aLogThatIsNotThereIsToldAndTheOthersAreRead() throws IOException {
    Path page = dir.resolve("report.html");
    String absent = dir.resolve("absent").toString();
    assertThat(report(absent, write("access.log", LINE), "-o", page.toString())).isEqualTo(1);
    assertThat(err.toString())
        .contains("loligo: " + absent + " cannot be read: there is no such file");
    assertThat(page).content().contains(absent + " cannot be read");
  }

  @Test
  void withoutAReadableLineNothingIsWritten() throws IOException {
    Path page = dir.resolve("report.html");
    assertThat(report(write("access.log", "a b c\n"), "-o", page.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("access.log:1: a b c", "no line has a known format");
    assertThat(page).doesNotExist();
  }

  @Test
  void readsTheLogOfAConfigurationWithItsOldFiles() throws IOException {
    Path page = dir.resolve("report.html");
    Path log = dir.resolve("access.log");
    write("access.log", LINE);
    write("access.log.0", LINE + LINE);
    write("access.log.1", LINE);
    write("access.log.3", LINE); // not of this row
    write("other.log", LINE);
    String config =
        write(
            "loligo.conf",
            "http_port 3128\nlogformat own %ts\naccess_log stdio:"
                + dir.resolve("own.log")
                + " logformat=own\n"
                + "access_log stdio:"
                + log
                + " squid\n"
                + "access_log stdio:"
                + dir.resolve("other.log")
                + " squid\n"
                + "http_access allow all\n");
    assertThat(report("-f", config, "-o", page.toString())).isZero();
    assertThat(err.toString()).contains("loligo: 4 accesses, 0 unreadable lines");
    assertThat(report("-f", config, "-o", log.toString())).isEqualTo(2);
    assertThat(log).content().isEqualTo(LINE);
  }

  @Test
  void aConfigurationWithoutALogThatCanBeReadIsRefused() throws IOException {
    String page = dir.resolve("report.html").toString();
    String without =
        write("loligo.conf", "http_port 3128\naccess_log none\nhttp_access allow all\n");
    assertThat(report("-f", without, "-o", page)).isEqualTo(2);
    assertThat(err.toString()).contains("has no access_log that can be read");
    assertThat(report("-f", write("wrong.conf", "http_port x\n"), "-o", page)).isEqualTo(2);
    assertThat(err.toString()).contains("has errors (see: loligo check -f ");
    assertThat(report("-o", page)).isEqualTo(2);
    assertThat(report("-f", without, write("access.log", LINE), "-o", page)).isEqualTo(2);
    assertThat(err.toString()).contains("access logs or -f FILE are required, not both");
  }

  @Test
  void aLogIsNotOverwritten() throws IOException {
    String log = write("access.log", LINE);
    String sameFile = Files.createSymbolicLink(dir.resolve("link"), Path.of(log)).toString();
    assertThat(report(log, "-o", sameFile)).isEqualTo(2);
    assertThat(err.toString()).contains("-o " + sameFile + " is one of the logs");
    assertThat(Path.of(log)).content().isEqualTo(LINE);
  }

  @Test
  void aPageThatCannotBeWrittenAndAWrongZoneAreErrors() throws IOException {
    String log = write("access.log", LINE);
    assertThat(report(log, "-o", dir.resolve("no/such/folder").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("cannot be written");
    assertThat(report(log, "-o", "-", "--zone", "Mars")).isEqualTo(2);
    assertThat(err.toString()).contains("--zone Mars is no time zone");
  }
}
