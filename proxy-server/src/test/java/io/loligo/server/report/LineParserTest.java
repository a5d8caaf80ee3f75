package io.loligo.server.report;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.logfile.LogFileLines;
import io.loligo.server.logfile.LogSource;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Stage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineParserTest {
  private static final long NOW = 1_800_000_000_000_000L;
  private static final String GOOD =
      "1795000000.123    310 192.0.2.1 TCP_MISS/200 1234 GET http://a.test/x -"
          + " HIER_DIRECT/192.0.2.9 text/html";

  @TempDir Path dir;

  private static LoggedAccess parse(String line) {
    LoggedAccess access = new LoggedAccess();
    byte[] bytes = ("<" + line + ">").getBytes(ISO_8859_1);
    boolean read = new LineParser(new ResultCodes(), NOW).parse(bytes, 1, bytes.length - 1, access);
    return read ? access : null;
  }

  @Test
  void readsSquidsFormat() {
    LoggedAccess access = parse(GOOD);
    assertThat(access.endMicros).isEqualTo(1_795_000_000_123_000L);
    assertThat(access.micros).isEqualTo(310_000);
    assertThat(access.kind).isEqualTo(AccessKind.MISS);
    assertThat(access.status).isEqualTo(200);
    assertThat(access.bytes).isEqualTo(1234);
    assertThat(access.get).isTrue();
    assertThat(access.staged).isFalse();
    assertThat(access.file)
        .isEqualTo(parse(GOOD.replace("310", "1")).file)
        .isNotEqualTo(parse(GOOD.replace("/x", "/y")).file);
  }

  @Test
  void readsStagesBehindIt() {
    LoggedAccess access = parse(GOOD + " clientConnect:12,later:5,proxyReply:9");
    assertThat(access.staged).isTrue();
    assertThat(access.stage(LoggedStage.CLIENT_CONNECT)).isEqualTo(12);
    assertThat(access.stage(LoggedStage.PROXY_REPLY)).isEqualTo(9);
    assertThat(access.stage(LoggedStage.DNS)).isEqualTo(-1);
    assertThat(parse(GOOD + " -").staged).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[Host:1]",
        "a:1,b:2",
        "clientConnect:1,",
        "clientConnect:x",
        "clientConnect",
        "dns:1;acl:2"
      })
  void anotherLastWordIsNoStages(String word) {
    LoggedAccess access = parse(GOOD + " [GET%20] " + word);
    assertThat(access.staged).isFalse();
    assertThat(access.stage(LoggedStage.CLIENT_CONNECT)).isEqualTo(-1);
  }

  @Test
  void theTotalOfStagesIsTheTimeToAMicrosecond() {
    assertThat(parse(GOOD + " acl:1").micros).isEqualTo(parse(GOOD).micros);
    assertThat(parse(GOOD + " acl:1,total:335").micros).isEqualTo(335);
    assertThat(parse(GOOD + " acl:1,total:335,").micros).isEqualTo(parse(GOOD).micros);
  }

  @Test
  void readsJson() {
    GeneratedLog.Line line = GeneratedLog.of(1, 1, 1000, true).get(0);
    LoggedAccess access = parse(line.json());
    assertThat(access.endMicros).isEqualTo(line.endMillis() * 1000);
    assertThat(access.micros).isEqualTo(line.millis() * 1000);
    assertThat(access.bytes).isEqualTo(line.bytes());
    assertThat(access.file).isEqualTo(parse(line.squid()).file);
    line.stages().forEach((stage, micros) -> assertThat(access.stage(stage)).isEqualTo(micros));
  }

  @Test
  void aHitSaysWhereItCameFromIfTheLineDoes() {
    String hit = GOOD.replace("TCP_MISS", "TCP_REFRESH_UNMODIFIED");
    assertThat(parse(hit).kind).isEqualTo(AccessKind.OTHER_HIT);
    assertThat(parse(hit + " acl:1").kind).isEqualTo(AccessKind.MEMORY_HIT);
    assertThat(parse(hit + " diskFirstRead:1").kind).isEqualTo(AccessKind.DISK_HIT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "1795000000 310 192.0.2.1 TCP_MISS/200 1 GET u - H/- t",
        "1795000000.123 x 192.0.2.1 TCP_MISS/200 1 GET u - H/- t",
        "1795000000.123 1 192.0.2.1 TCP_MISS 1 GET u - H/- t",
        "1795000000.123 1 192.0.2.1 tcp<b>/200 1 GET u - H/- t",
        "1795000000.123 1 192.0.2.1 TCP_MISS/2000 1 GET u - H/- t",
        "1795000000.123 1 192.0.2.1 TCP_MISS/200 x GET u - H/- t",
        "1795000000.123 1 192.0.2.1 TCP_MISS/200 1 GET u - H/-",
        "0000000001.123 1 192.0.2.1 TCP_MISS/200 1 GET u - H/- t",
        "1900000000.123 1 192.0.2.1 TCP_MISS/200 1 GET u - H/- t",
        "99999999999999999999.1 1 192.0.2.1 TCP_MISS/200 1 GET u - H/- t",
        "{}",
        "{\"time\":\"2026-11-20T08:00:00.000Z\",\"micros\":5}",
        "{\"time\":\"2026-11-20T08:00:00.000Z\",\"micros\":5,\"result\":\"TCP_HIT\"",
        "{\"time\":\"2026-11-20T08:00:00.000Z\",\"micros\":5,\"result\":\"TCP_HIT\"}}",
        "{\"time\":\"2026-13-20T08:00:00.000Z\",\"micros\":5,\"result\":\"TCP_HIT\"}",
        "{\"time\":\"2026-11-20T08:00:00.000Z\",\"micros\":-5,\"result\":\"TCP_HIT\"}",
        "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]}",
        "{\"a\\"
      })
  void otherLinesAreUnreadable(String line) {
    assertThat(parse(line)).isNull();
  }

  @Test
  void noCutOfALineThrows() {
    GeneratedLog.Line line = GeneratedLog.of(2, 1, 1000, true).get(0);
    for (String whole : List.of(line.staged(), line.json())) {
      assertThat(parse(whole)).isNotNull();
      for (int length = 0; length < whole.length(); length++) {
        LoggedAccess cut = parse(whole.substring(0, length));
        assertThat(cut == null || whole.charAt(0) != '{').isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(LogTag.class)
  void knowsTheResultCodesOfTheProxy(LogTag tag) {
    AccessKind kind = AccessKind.of(tag.name() + "_ABORTED");
    boolean query = tag.name().startsWith("UDP_");
    assertThat(kind.hit()).isEqualTo(tag.hit() && !query);
    assertThat(kind == AccessKind.OTHER)
        .isEqualTo(
            query
                || Stream.of("DENIED", "REDIRECT", "TUNNEL", "NONE")
                    .anyMatch(word -> tag.name().contains(word)));
  }

  @Test
  void knowsTheStagesOfTheProxy() {
    List<String> known = Stream.of(LoggedStage.values()).map(LoggedStage::name).toList();
    List<String> stages =
        new ArrayList<>(Stream.of(Stage.values()).map(stage -> stage.name()).toList());
    stages.remove("TOTAL");
    assertThat(known).containsAll(stages);
    for (LoggedStage stage : LoggedStage.values()) {
      assertThat(stage.name().replace("_", "").toLowerCase(Locale.ROOT))
          .isEqualTo(stage.text().toLowerCase(Locale.ROOT));
    }
  }

  @Test
  void tooManyResultCodesAreCountedTogether() {
    ResultCodes codes = new ResultCodes();
    LoggedAccess access = new LoggedAccess();
    for (int i = 0; i < 100; i++) {
      byte[] name = ("TCP_HIT_" + i).getBytes(ISO_8859_1);
      assertThat(codes.classify(name, 0, name.length, access)).isTrue();
      assertThat(access.kind).isEqualTo(AccessKind.DISK_HIT);
    }
    assertThat(codes.size()).isEqualTo(ResultCodes.MOST);
    assertThat(access.result).isZero();
  }

  // ---- lines of files

  private static List<String> lines(InputStream in, int buffer) throws IOException {
    LogFileLines lines = new LogFileLines(in, buffer);
    List<String> all = new ArrayList<>();
    while (lines.next()) {
      int length = Math.min(20, lines.end() - lines.start());
      all.add(
          new String(lines.bytes(), lines.start(), length, ISO_8859_1)
              + (lines.tooLong() ? "+" : ""));
    }
    return all;
  }

  /** A stream that gives at most {@code step} bytes at once. */
  private static InputStream slow(String text, int step) {
    return new ByteArrayInputStream(text.getBytes(ISO_8859_1)) {
      @Override
      public synchronized int read(byte[] bytes, int from, int length) {
        return super.read(bytes, from, Math.min(step, length));
      }
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1000, 1 << 20})
  void linesAreTheSameHoweverTheyArrive(int step) throws IOException {
    String text = "a\r\n\nbb\n" + "c".repeat(LogFileLines.LONGEST) + "\n";
    if (step > 1) {
      text += "d".repeat(3 * LogFileLines.LONGEST) + "\ne\n";
    }
    text += "last";
    List<String> found = lines(slow(text, step), 0);
    assertThat(found).startsWith("a", "", "bb", "c".repeat(20)).endsWith("last");
    assertThat(found).hasSize(step > 1 ? 7 : 5);
    if (step > 1) {
      assertThat(found.subList(4, 6)).containsExactly("d".repeat(20) + "+", "e");
    }
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(ISO_8859_1));
    }
    return bytes.toByteArray();
  }

  private ReadLogs read(Path... files) throws Exception {
    List<LogSource> sources = Stream.of(files).map(LogSource::of).toList();
    return new LogReading().read(sources, NOW, (lines, bytes) -> {});
  }

  @Test
  void gzipIsKnownByItsContent() throws Exception {
    Path packed = Files.write(dir.resolve("a.log"), gzip(GOOD + "\n"));
    Path plain = Files.writeString(dir.resolve("b.gz"), GOOD + "\n");
    ReadLogs read = read(packed, plain, Files.createFile(dir.resolve("empty")));
    assertThat(read.problems()).isEmpty();
    assertThat(read.lines()).isEqualTo(2);
    assertThat(read.unreadable()).isZero();
  }

  @Test
  void aFileThatEndsEarlyOrIsMissingIsAProblemAndTheRestIsRead() throws Exception {
    byte[] packed = gzip((GOOD + "\n").repeat(1000));
    Path cut = Files.write(dir.resolve("cut"), Arrays.copyOf(packed, packed.length - 9));
    Path whole = Files.writeString(dir.resolve("whole"), GOOD);
    ReadLogs read = read(cut, dir.resolve("absent"), whole);
    assertThat(read.problems()).hasSize(2);
    assertThat(String.join("\n", read.problems()))
        .contains(cut + " ends early, at line ", dir.resolve("absent") + " cannot be read: ");
    assertThat(read.counted().accesses()).isGreaterThan(1);
  }

  @Test
  void controlsOfAnUnreadableLineDriveNoTerminal() throws Exception {
    Path file = Files.write(dir.resolve("log"), "a\u001B[2J\u009Bb\u007F\n".getBytes(ISO_8859_1));
    assertThat(read(file).examples()).containsExactly(file + ":1: a?[2J?b?");
  }

  @Test
  void unreadableLinesAreCountedAndTheFirstOnesAreKept() throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      text.append(GOOD).append("\nwrong ").append(i).append("\n\n");
    }
    Path file = Files.writeString(dir.resolve("log"), text + "w".repeat(70_000));
    ReadLogs read = read(file);
    assertThat(read.counted().accesses()).isEqualTo(50);
    assertThat(read.unreadable()).isEqualTo(51);
    assertThat(read.examples())
        .hasSize(LogMerge.MOST_EXAMPLES)
        .startsWith(file + ":2: wrong 0", file + ":5: wrong 1");
  }
}
