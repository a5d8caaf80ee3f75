package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.AclVerdict.Kind;
import io.loligo.core.acl.Notes;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.CacheReason;
import io.loligo.server.config.Configs;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HelperFacts;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The format {@code loligo_json}. */
class JsonLogTest {
  private static byte[] line(ExchangeRecord record, boolean strip, boolean heads) {
    LogLine line = new LogLine(strip);
    LogFormat.json(heads).write(record, line);
    return Arrays.copyOf(line.bytes(), line.length());
  }

  private static Map<String, Object> json(ExchangeRecord record) {
    return StrictJson.object(line(record, true, false));
  }

  private static BigDecimal number(long value) {
    return BigDecimal.valueOf(value);
  }

  private static ExchangeRecord full() {
    ExchangeRecord record =
        SampleRecord.of(
            "GET http://192.0.2.7:8080/a?q=1 HTTP/1.1",
            "Referer: http://r/",
            "User-Agent: x \"y\" \\");
    record.number = 31;
    record.idPrefix = 0x5f3a9c01d2e47b88L;
    record.rule = new AclVerdict(Kind.ALLOWED, "http_access allow all", "squid.conf:7", "all");
    record.user = "jo";
    record.portName = "8080";
    record.attempts = 1;
    record.decision = new CacheDecision(CacheDecision.Outcome.FETCH, CacheReason.STALE, 7, 5);
    record.refusal = "no-store";
    record.errorCode = "ERR_X";
    record.errorDetail = "why\nnot";
    record.target.storedAs(CacheKeys.storeId("http://id.test/?secret"));
    record.helpers = new HelperFacts("t1", null, null, null, null);
    record.notes = Notes.NONE.with("n", "1").with("n", "2").with("e", "");
    record.stage(Stage.DNS, 3_000_000);
    record.stage(Stage.SERVER_FIRST_BYTE, 1_999);
    return record;
  }

  @Test
  void everyFactIsAMemberOfItsType() {
    Map<String, Object> expected = new LinkedHashMap<>();
    expected.put("time", "2026-11-21T05:35:03.229Z");
    expected.put("micros", number(1900));
    expected.put("client", "127.0.0.1");
    expected.put("clientPort", number(32810));
    expected.put("user", "jo");
    expected.put("local", "127.0.0.1");
    expected.put("localPort", number(3128));
    expected.put("port", "8080");
    expected.put("method", "GET");
    expected.put("url", "http://192.0.2.7:8080/a?");
    expected.put("version", "1.1");
    expected.put("referer", "http://r/");
    expected.put("userAgent", "x \"y\" \\");
    expected.put("status", number(200));
    expected.put("contentType", "text/html");
    expected.put("bytesIn", number(85));
    expected.put("bytesOut", number(311));
    expected.put("headBytesOut", number(306));
    expected.put("result", "TCP_MISS");
    expected.put("hit", false);
    expected.put("fromDisk", false);
    expected.put("collapsed", false);
    expected.put("aborted", false);
    expected.put("timedOut", false);
    expected.put("outcome", "fetch");
    expected.put("reason", "stale");
    expected.put("age", number(7));
    expected.put("notStored", "no-store");
    expected.put("hierarchy", "HIER_DIRECT");
    expected.put("hop", "192.0.2.7");
    expected.put("hopPort", number(8080));
    expected.put("originStatus", number(200));
    expected.put("attempts", number(1));
    expected.put("originBytesIn", number(300));
    expected.put("originBytesOut", number(150));
    expected.put("error", "ERR_X");
    expected.put("errorDetail", "why\nnot");
    expected.put("tls", null);
    expected.put("serverName", null);
    expected.put("bumpMode", null);
    expected.put("originTls", null);
    expected.put("sentUrl", null);
    expected.put("storeId", "http://id.test/?");
    expected.put("tag", "t1");
    expected.put("notes", Map.of("n", "1,2", "e", ""));
    expected.put("stages", Map.of("dns", number(3000), "serverFirstByte", number(1)));
    expected.put("class", "miss");
    expected.put("protocol", "1.1");
    expected.put("requestId", "5f3a9c01d2e47b88-1f");
    expected.put("fetchRequestId", null);
    expected.put("rule", "http_access allow all");
    expected.put("ruleSource", "squid.conf:7");
    expected.put("cut", false);
    Map<String, Object> written = json(full());
    assertThat(written).isEqualTo(expected);
    assertThat(written.keySet()).containsExactlyElementsOf(expected.keySet());
  }

  private static IcapTransaction exchange(String service, int status, long answerNanos) {
    return new IcapTransaction(
        service,
        "host",
        "icap://host/",
        "REQMOD",
        IcapTransaction.Outcome.ICAP_ECHO,
        status,
        10,
        20,
        -1,
        new byte[0],
        null,
        null,
        answerNanos,
        -1,
        5_000);
  }

  @Test
  void exchangesWithServicesAreObjects() {
    ExchangeRecord record = full();
    assertThat(json(record)).doesNotContainKey("icap");
    record.requestAdaptations = List.of(exchange("a\"b", 204, 3_999));
    record.responseAdaptations = List.of(exchange("c", 0, -1));
    assertThat(json(record).get("icap"))
        .isEqualTo(List.of(service("a\"b", number(204), number(3)), service("c", null, null)));
    record.icap = exchange("d", 204, 1_000);
    assertThat(json(record).get("icap")).isEqualTo(List.of(service("d", number(204), number(1))));
  }

  private static Map<String, Object> service(String name, Object status, Object answerMicros) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("service", name);
    members.put("method", "REQMOD");
    members.put("outcome", "ICAP_ECHO");
    members.put("status", status);
    members.put("micros", number(5));
    members.put("answerMicros", answerMicros);
    members.put("bytesOut", number(10));
    members.put("bytesIn", number(20));
    return members;
  }

  @Test
  void moreServicesThanTheLimitAreCut() {
    ExchangeRecord record = full();
    record.responseAdaptations =
        Collections.nCopies(JsonPiece.MOST_SERVICES, exchange("a", 204, 1_000));
    assertThat(json(record)).containsEntry("cut", false);
    record.responseAdaptations =
        Collections.nCopies(JsonPiece.MOST_SERVICES + 1, exchange("a", 204, 1_000));
    Map<String, Object> written = json(record);
    assertThat(written).containsEntry("cut", true);
    assertThat((List<?>) written.get("icap")).hasSize(JsonPiece.MOST_SERVICES);
  }

  @Test
  void withoutARequestMostFactsAreNull() {
    Map<String, Object> written = json(SampleRecord.withoutRequest());
    assertThat(written)
        .containsEntry("method", null)
        .containsEntry("version", null)
        .containsEntry("status", null)
        .containsEntry("userAgent", null)
        .containsEntry("hop", null)
        .containsEntry("outcome", null)
        .containsEntry("age", null)
        .containsEntry("result", "NONE_NONE")
        .containsEntry("url", "error:transaction-end-before-headers");
    assertThat(written.keySet()).containsExactlyElementsOf(json(full()).keySet());
  }

  /** Every member has a row in the list, in its order. */
  @Test
  void everyMemberIsDocumented() throws IOException {
    List<String> rows = Files.readAllLines(Path.of("../docs/watching.md"));
    List<String> documented =
        rows.subList(rows.indexOf("## JSON lines"), rows.size()).stream()
            .takeWhile(row -> !row.equals("## JMX"))
            .filter(row -> row.startsWith("| `"))
            .map(row -> row.substring(3, row.indexOf('`', 3)))
            .toList();
    ExchangeRecord record = full();
    record.requestAdaptations = List.of(exchange("a", 204, 1_000));
    assertThat(StrictJson.object(line(record, true, true)).keySet())
        .containsExactlyElementsOf(documented);
  }

  @Property
  void anyBytesOfAPeerAreValidJson(@ForAll @Size(max = 60) byte[] bytes) {
    ExchangeRecord record = full();
    String text = new String(bytes, ISO_8859_1);
    record.user = text;
    record.errorDetail = text;
    record.url = text;
    record.notes = Notes.NONE.with("a" + text, text);
    Map<String, Object> written = json(record);
    assertThat(written.get("user")).isEqualTo(bytes.length == 0 ? null : decoded(bytes));
    byte[] line = line(record, true, false);
    for (byte one : line) {
      assertThat(one >= 0 && one < 0x20).isFalse();
    }
  }

  /** Characters of UTF-8, and other bytes as the characters of the same numbers. */
  private static String decoded(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bytes.length; ) {
      int size = 1;
      for (int j = 2; j <= 4 && i + j <= bytes.length; j++) {
        byte[] part = Arrays.copyOfRange(bytes, i, i + j);
        String one = new String(part, UTF_8);
        boolean whole = one.codePointCount(0, one.length()) == 1 && one.indexOf('\ufffd') < 0;
        size = whole && Arrays.equals(one.getBytes(UTF_8), part) ? j : size;
      }
      String character = new String(bytes, i, size, UTF_8);
      boolean control = size > 1 && character.codePointAt(0) < 0xa0;
      if (size == 1 || control) {
        text.append((char) (bytes[i] & 0xff));
        size = 1;
      } else {
        text.append(character);
      }
      i += size;
    }
    return text.toString();
  }

  @Test
  void longTextsAreCutAndSaySo() {
    ExchangeRecord record = full();
    record.user = "\u00ff".repeat(JsonPiece.MOST_TEXT_BYTES + 1);
    Map<String, Object> written = json(record);
    assertThat(written).containsEntry("cut", true);
    assertThat(written).containsEntry("user", "\u00ff".repeat(JsonPiece.MOST_TEXT_BYTES));
    record.user = "\u00ff".repeat(JsonPiece.MOST_TEXT_BYTES);
    assertThat(json(record)).containsEntry("cut", false);
    record.url = "x".repeat(JsonPiece.MOST_URL_BYTES + 1);
    assertThat(json(record)).containsEntry("cut", true);
  }

  @Test
  void headsHaveNoCredentials() {
    ExchangeRecord record =
        SampleRecord.of("GET http://h/ HTTP/1.1", "Authorization: Basic x", "X-A: b");
    record.reply = SampleRecord.reply("HTTP/1.1 200 OK", "Set-Cookie: a=b", "X-R: c");
    Map<String, Object> written = StrictJson.object(line(record, true, true));
    assertThat(written)
        .containsEntry("requestHead", "Authorization: -\r\nX-A: b\r\n")
        .containsEntry("responseHead", "Set-Cookie: -\r\nX-R: c\r\n");
    record.reply = null;
    assertThat(StrictJson.object(line(record, true, true))).containsEntry("responseHead", null);
  }

  @Test
  void aLineNamesTheFormat(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("a.log");
    LogPlace where = LogPlace.of("stdio", file.toString());
    AccessLog log =
        AccessLog.open(
            new LogSettings(
                Configs.of("log_mime_hdrs on\n")
                    .with(
                        LogDirectives.ACCESS_LOG,
                        List.of(new LogTarget(where, LogFormat.JSON, AclList.allowAll(), "f:1")))),
            1,
            () -> {});
    log.loop(0).finished(full());
    log.loop(0).finished(SampleRecord.withoutRequest());
    log.close();
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(2);
    for (String line : lines) {
      assertThat(StrictJson.object(line.getBytes(UTF_8))).containsKeys("url", "requestHead");
    }
  }

  @Test
  void anotherParserReadsItToo(@TempDir Path directory) throws Exception {
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")));
    ExchangeRecord record = full();
    record.user = "\u00e9\u0001\u0085\u00c3\u00a9";
    Path file = Files.write(directory.resolve("line"), line(record, true, false));
    Process python =
        new ProcessBuilder(
                "/usr/bin/python3",
                "-c",
                "import json,sys; d=json.load(open(sys.argv[1],encoding='utf-8'));"
                    + " print(ascii(d['user']), type(d['status']).__name__, d['hit'])",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(python.getInputStream().readAllBytes(), UTF_8);
    assertThat(python.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(output.strip()).isEqualTo("'\\xe9\\x01\\x85\\xe9' int False");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":1,\"a\":2}",
        "{\"a\":01}",
        "{\"a\":\"\t\"}",
        "{\"a\":1}x",
        "{\"a\":1,}",
        "{\"a\":\"\\x\"}"
      })
  void theParserOfThisTestIsStrict(String text) {
    assertThatThrownBy(() -> StrictJson.object(text.getBytes(UTF_8)))
        .isInstanceOf(AssertionError.class);
  }
}
