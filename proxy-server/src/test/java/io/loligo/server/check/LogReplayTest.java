package io.loligo.server.check;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ExaminedConfig;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.config.TextSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LogReplayTest {
  private static final String RULES =
      """
      http_port 3128
      auth_param basic program /users
      acl office src 10.0.0.0/8
      acl bad dstdomain .bad.test
      acl words url_regex casino
      acl browser browser Evil
      acl inside dst 192.0.2.0/24
      acl alice proxy_auth alice
      http_access deny bad
      http_access deny words
      http_access allow office
      http_access deny browser
      http_access deny inside
      http_access allow alice
      http_access deny all
      """;

  private static LogReplay replay(String rules, String format, InputStream log) {
    ExaminedConfig examined = TextSource.examine(rules);
    assertThat(examined.result().errors()).isEmpty();
    LogReplay replay =
        new LogReplay(examined, examined.result().config(), format, 2, 1_000_000_000_000L);
    try {
      replay.read(log, lines -> {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return replay;
  }

  private static LogReplay replay(String rules, String format, String... lines) {
    byte[] log = String.join("\n", lines).getBytes(ISO_8859_1);
    return replay(rules, format, new ByteArrayInputStream(log));
  }

  private static LogReplay nativeLog(String... lines) {
    return replay(RULES, LogFormat.builtIn().get("squid"), lines);
  }

  private static String line(String client, String tag, String method, String url, String user) {
    return "1700000000.123     45 "
        + client
        + " "
        + tag
        + " 512 "
        + method
        + " "
        + url
        + " "
        + user
        + " HIER_DIRECT/192.0.2.1 text/html";
  }

  @Test
  void sameVerdictsAreCounted() {
    LogReplay replay =
        nativeLog(
            line("10.0.0.1", "TCP_MISS/200", "GET", "http://a.test/", "-"),
            line("10.0.0.1", "TCP_TUNNEL/200", "CONNECT", "a.test:443", "-"),
            line("10.0.0.1", "TCP_DENIED/403", "GET", "http://www.bad.test/", "-"));
    assertThat(replay.text())
        .startsWith(
            "3 lines: 3 with the same verdict, 0 with another (0 denied here, 0 allowed here),"
                + " 0 undecidable, 0 without a verdict, 0 unreadable\n")
        .contains("  squid.conf:9: http_access deny bad: 1\n")
        .contains("  squid.conf:11: http_access allow office: 2\n");
    assertThat(replay.exitStatus()).isZero();
  }

  @Test
  void tellsHowManyLinesWereRead() throws Exception {
    String log = line("10.0.0.1", "TCP_MISS/200", "GET", "http://a.test/", "-") + "\n";
    int many = 2 * LogReplay.LINES_A_STEP + 1;
    ExaminedConfig examined = TextSource.examine(RULES);
    LogReplay replay =
        new LogReplay(
            examined, examined.result().config(), LogFormat.builtIn().get("squid"), 2, 1L << 40);
    List<Long> told = new ArrayList<>();
    replay.read(new ByteArrayInputStream(log.repeat(many).getBytes(ISO_8859_1)), told::add);
    assertThat(told).containsExactly((long) LogReplay.LINES_A_STEP, 2L * LogReplay.LINES_A_STEP);
    assertThat(replay.text()).startsWith(many + " lines: " + many + " with the same verdict");
  }

  @Test
  void differencesAreShownByLine() {
    LogReplay replay =
        nativeLog(
            line("10.0.0.1", "TCP_MISS/200", "GET", "http://a.bad.test/", "-"),
            line("10.0.0.2", "TCP_HIT/200", "GET", "http://b.bad.test/", "-"),
            line("10.0.0.3", "TCP_HIT/200", "GET", "http://c.bad.test/", "-"),
            line("10.0.0.4", "TCP_DENIED/403", "GET", "http://a.test/", "-"));
    assertThat(replay.text())
        .startsWith(
            "4 lines: 0 with the same verdict, 4 with another (3 denied here, 1 allowed here)")
        .contains(
            "  squid.conf:9: http_access deny bad: 3\n"
                + "    allowed in the log, denied here: 3\n"
                + "      allowed in the log, denied here: 10.0.0.1 GET http://a.bad.test/\n"
                + "      allowed in the log, denied here: 10.0.0.2 GET http://b.bad.test/\n"
                + "  squid.conf:11: ");
    assertThat(replay.exitStatus()).isEqualTo(1);
    assertThat(replay.json())
        .startsWith("{\"lines\": 4, \"same\": 0, \"denied_here\": 3, \"allowed_here\": 1, ")
        .contains("\"source\": \"squid.conf:9\"", "\"requests\": 3, \"different\": 3");
  }

  @Test
  void usersOfTheLogHaveLoggedIn() {
    LogReplay replay =
        replay(
            RULES.replace("deny browser", "deny bad").replace("deny inside", "deny bad"),
            LogFormat.builtIn().get("squid"),
            line("192.0.2.1", "TCP_MISS/200", "GET", "http://a.test/", "alice"),
            line("192.0.2.1", "TCP_MISS/200", "GET", "http://a.test/", "bob"),
            line("192.0.2.1", "TCP_DENIED/407", "GET", "http://a.test/", "-"));
    assertThat(replay.text())
        .startsWith("3 lines: 2 with the same verdict, 1 with another (1 denied");
  }

  @Test
  void whatTheLogLacksIsUndecidable() {
    LogReplay replay =
        nativeLog(
            line("10.0.0.1", "TCP_MISS/200", "GET", "http://a.test/?", "-"),
            line("192.0.2.1", "TCP_MISS/200", "GET", "http://a.test/", "-"),
            line("host.test", "TCP_MISS/200", "GET", "http://a.test/", "-"));
    assertThat(replay.text())
        .startsWith("3 lines: 0 with the same verdict, 0 with another (0 denied here, 0 allowed")
        .contains(
            "  the address of the client: 1\n",
            "  the addresses of the host: 1\n",
            "  the query of the URL: 1\n");
    String browser =
        replay(
                RULES.replace("deny inside", "allow !inside"),
                LogFormat.builtIn().get("squid"),
                line("192.0.2.1", "TCP_MISS/200", "GET", "http://192.0.2.9/x", "-"))
            .text();
    assertThat(browser).contains("1 undecidable");
  }

  @Test
  void linesWithoutVerdictAndUnreadableOnesAreCounted() {
    LogReplay replay =
        nativeLog(
            line("10.0.0.1", "NONE_NONE/400", "GET", "error:invalid-request", "-"),
            line("10.0.0.1", "TAG_NONE/000", "NONE", "error:transaction-end-before-headers", "-"),
            "",
            "rubbish",
            line("10.0.0.1", "TCP_MISS/200", "GET", "http://a.test/" + "x".repeat(70_000), "-"));
    assertThat(replay.text()).contains("2 without a verdict, 3 unreadable");
  }

  @Test
  void otherFormatsAreRead() {
    String combined =
        "10.0.0.1 - - [26/Nov/2026:10:00:00 +0000] \"GET http://a.bad.test/ HTTP/1.1\" 403 512"
            + " \"-\" \"Evil 1.0\" TCP_DENIED:HIER_NONE";
    assertThat(replay(RULES, LogFormat.builtIn().get("combined"), combined).text())
        .startsWith("1 lines: 1 with the same verdict");
    String evil = combined.replace("10.0.0.1", "192.0.2.1").replace(".bad", "");
    assertThat(replay(RULES, LogFormat.builtIn().get("combined"), evil).text())
        .contains("squid.conf:12: http_access deny browser: 1");
    assertThat(
            replay(RULES, "%>a|%rm|%ru|%Ss|%>Hs", "10.0.0.1|GET|http://a.test/|TCP_MISS|200")
                .text())
        .startsWith("1 lines: 1 with the same verdict");
  }

  @Test
  void missAccessCountsOnMisses() {
    String rules = RULES + "acl slow dstdomain slow.test\nmiss_access deny slow\n";
    LogReplay replay =
        replay(
            rules,
            LogFormat.builtIn().get("squid"),
            line("10.0.0.1", "TCP_MISS/200", "GET", "http://slow.test/", "-"),
            line("10.0.0.1", "TCP_MEM_HIT/200", "GET", "http://slow.test/", "-"),
            line("10.0.0.1", "TCP_MISS/403", "GET", "http://slow.test/", "-"));
    assertThat(replay.text())
        .startsWith("3 lines: 2 with the same verdict, 1 with another (1 denied here")
        .contains("miss_access deny slow: 1\n");
  }

  @Test
  void aLogOfAnySizeNeedsNoMoreMemory() {
    byte[] one =
        (line("10.0.0.1", "TCP_MISS/200", "GET", "http://a.test/", "-") + "\n")
            .getBytes(ISO_8859_1);
    List<InputStream> parts =
        Stream.generate(() -> (InputStream) new ByteArrayInputStream(one)).limit(20_000).toList();
    LogReplay replay =
        replay(
            RULES,
            LogFormat.builtIn().get("squid"),
            new SequenceInputStream(Collections.enumeration(parts)));
    assertThat(replay.text())
        .startsWith("20000 lines: 20000 with the same verdict")
        .hasSizeLessThan(1_000);
  }
}
