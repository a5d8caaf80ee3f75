package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.message.IpText;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expected lines are those of Squid 5.7 for the same requests, unless a comment says otherwise. */
class LogFormatTest {
  private static final String GET = "GET http://192.0.2.7:8080/a?q=1 HTTP/1.1";
  private static final String ODD = "Odd \"q\" [b] \\back 100% ~tilde<>|\ttab";

  private static String line(String format, ExchangeRecord record) {
    return line(format, record, true);
  }

  private static String line(String format, ExchangeRecord record, boolean strip) {
    LogLine line = new LogLine(strip);
    LogFormat.compile(format, ZoneOffset.UTC).write(record, line);
    return new String(line.bytes(), 0, line.length(), ISO_8859_1);
  }

  private static String builtIn(String name, ExchangeRecord record) {
    return line(LogFormat.builtIn().get(name), record);
  }

  private static ExchangeRecord get(String... fields) {
    return SampleRecord.of(GET, fields);
  }

  @Test
  void nativeLineOfMiss() {
    assertThat(builtIn("squid", get("Host: 192.0.2.7:8080")))
        .isEqualTo(
            "1795239303.229      1 127.0.0.1 TCP_MISS/200 311 GET http://192.0.2.7:8080/a? -"
                + " HIER_DIRECT/192.0.2.7 text/html");
  }

  /** RFC 5952 section 4. */
  @Property
  void everyCodeWritesAnIpv6AddressInItsOneSpelling(
      @ForAll @Size(8) List<@IntRange(max = 3) Integer> groups) throws UnknownHostException {
    byte[] bytes = new byte[16];
    for (int i = 0; i < 8; i++) {
      // groups of zeros are frequent
      bytes[2 * i] = (byte) (groups.get(i) == 3 ? 0xab : 0);
      bytes[2 * i + 1] = groups.get(i).byteValue();
    }
    bytes[0] = 0x20;
    InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(bytes), 80);
    ExchangeRecord record = get("Host: x");
    record.client = address;
    record.clientText = null;
    record.local = address;
    record.nextHopLocal = address;
    String text = IpText.normal(address.getAddress().getHostAddress());
    assertThat(line("%>a %>A %>la %la %<la %oa", record))
        .isEqualTo(String.join(" ", text, text, text, text, text, text));
  }

  @Test
  void nativeLineOfMemoryHit() {
    ExchangeRecord record = get("Host: x");
    record.tag = LogTag.TCP_MEM_HIT;
    record.hierarchy = HierarchyCode.HIER_NONE;
    record.nextHop = null;
    record.endMillis = 1_795_239_303_007L;
    record.stage(Stage.TOTAL, 1_234_567_000_000L);
    assertThat(builtIn("squid", record))
        .isEqualTo(
            "1795239303.007 1234567 127.0.0.1 TCP_MEM_HIT/200 311 GET http://192.0.2.7:8080/a? -"
                + " HIER_NONE/- text/html");
  }

  @Test
  void nativeLineOfTunnel() {
    ExchangeRecord record = SampleRecord.of("CONNECT h.example:443 HTTP/1.1", "Host: h.example");
    record.tag = LogTag.TCP_TUNNEL;
    record.contentType = null;
    assertThat(builtIn("squid", record))
        .endsWith(" TCP_TUNNEL/200 311 CONNECT h.example:443 - HIER_DIRECT/192.0.2.7 -");
  }

  @Test
  void nativeLineOfConnectionWithoutRequest() {
    assertThat(builtIn("squid", SampleRecord.withoutRequest()))
        .isEqualTo(
            "1795239303.229      2 127.0.0.1 NONE_NONE/000 0 -"
                + " error:transaction-end-before-headers - HIER_NONE/- -");
  }

  @Test
  void nativeLineOfRefusedRequest() {
    ExchangeRecord record = SampleRecord.withoutRequest();
    record.status = 400;
    record.url = "error:invalid-request";
    assertThat(builtIn("squid", record))
        .contains(" NONE_NONE/400 0 - error:invalid-request - HIER_NONE/- -");
  }

  @Test
  void combinedLine() {
    assertThat(builtIn("combined", get("Host: x", "Referer: http://r/?x", "User-Agent: " + ODD)))
        .isEqualTo(
            "127.0.0.1 - - [21/Nov/2026:05:35:03 +0000] \"GET http://192.0.2.7:8080/a? HTTP/1.1\""
                + " 200 311 \"http://r/?x\" \"Odd \\\"q\\\" [b] \\\\back 100% ~tilde<>|\\ttab\""
                + " TCP_MISS:HIER_DIRECT");
  }

  @Test
  void commonReferrerAndUseragentLines() {
    ExchangeRecord record = get("Host: x", "Referer: http://r/", "User-Agent: curl/7.88.1");
    assertThat(builtIn("common", record))
        .isEqualTo(
            "127.0.0.1 - - [21/Nov/2026:05:35:03 +0000] \"GET http://192.0.2.7:8080/a? HTTP/1.1\""
                + " 200 311 TCP_MISS:HIER_DIRECT");
    assertThat(builtIn("referrer", record))
        .isEqualTo("1795239303.229 127.0.0.1 http://r/ http://192.0.2.7:8080/a?");
    assertThat(builtIn("useragent", record))
        .isEqualTo("127.0.0.1 [21/Nov/2026:05:35:03 +0000] \"curl/7.88.1\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '`',
      value = {
        "\"%{User-Agent}>h\"!\"Odd \\\"q\\\" [b] \\\\back 100% ~tilde<>|\\ttab\"",
        "[%{User-Agent}>h]![Odd \"q\" %5bb%5d \\\\back 100%25 ~tilde<>|%09tab]",
        "%{User-Agent}>h!Odd%20%22q%22%20%5Bb%5D%20%5Cback%20100%%20%7Etilde%3C%3E%7C%09tab",
        "%\"{User-Agent}>h!Odd \\\"q\\\" [b] \\\\back 100% ~tilde<>|\\ttab",
        "%[{User-Agent}>h!Odd \"q\" %5bb%5d \\\\back 100%25 ~tilde<>|%09tab",
        "%#{User-Agent}>h!Odd%20%22q%22%20%5Bb%5D%20%5Cback%20100%25%20%7Etilde%3C%3E%7C%09tab",
        "%/{User-Agent}>h!\"Odd \\\"q\\\" [b] \\\\back 100% ~tilde<>|\ttab\"",
        "%'{User-Agent}>h!Odd \"q\" [b] \\back 100% ~tilde<>|\ttab",
        "%-30.20{User-Agent}>h|!Odd%20%22q%22%20%5Bb          |",
        "%>h{User-Agent}!Odd%20%22q%22%20%5Bb%5D%20%5Cback%20100%%20%7Etilde%3C%3E%7C%09tab"
      })
  void quotesAsSquidDoes(String format, String expected) {
    assertThat(line(format, get("Host: x", "User-Agent: " + ODD))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '`',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "%.3rm|%8rm|%-8rm|!GET|     GET|GET     |",
        "%tr %.2tr %010tr %6tr!1 1.00 0000000001      1",
        "%ts %12ts %012ts!1795239303   1795239303 001795239303",
        "%tu %03tu %.6tu %06tu %.1tu!229 229 229000 000229 2",
        "%{%Y}tg %tl{%H:%M}!2026 05:35",
        "%tS!1795239303.227",
        "%03>Hs %Hs %<Hs!200 200 200",
        "%<st %>st %st %>sh %<sh %<bs!311 53 364 53 306 5",
        "%la %lp %>la %>lp %>p %<p!127.0.0.1 3128 127.0.0.1 3128 32810 8080",
        "%%|%byte{65}|%20un|%sn!%|A|-|0",
        "%http::rm %03http::>Hs!GET 200",
        "%rm %>rm %rv %>rs %>rd %>rP!GET GET 1.1 http 192.0.2.7 8080"
      })
  void fieldsAsSquidPrintsThem(String format, String expected) {
    assertThat(line(format, get("Host: x"))).isEqualTo(expected);
  }

  @Test
  void writesDashWithoutSource() {
    assertThat(
            line(
                "%ui %ue %et %ea %credentials %{tag}note %>eui %ssl::>sni %ssl::bump_mode"
                    + " %proxy_protocol::>h{X} %busy_time %master_xaction %err_code %err_detail"
                    + " %<la %<lp %dt %<pt %<tt %transport::>connection_id",
                get("Host: x")))
        .isEqualTo("- - - - - - - - - - - - - - - - - - - -");
  }

  @Test
  void knowsEveryCodeOfTheReference() {
    for (String code :
        ("rm Ss <st ru >a >Hs Sh un tr tl mt >h <a tu rv ts ui >st <A ssl::>sni >p <p sn tg note la"
                + " lp >A >la >lp >eui <la <lp dt tS busy_time <pt <tt ul ue et ea credentials >rm"
                + " <rm >ru <ru >rs >rd >rP rp >rv <Hs <h st >sh <sh <bs request_attempts err_code"
                + " err_detail master_xaction transport::>connection_id ssl::bump_mode"
                + " ssl::>negotiated_version ssl::>negotiated_cipher proxy_protocol::>h byte{10}")
            .split(" ", -1)) {
      // of a code that is not known a shorter one would be taken, and literal text
      assertThat(new LogFormatCompiler("%" + code, () -> ZoneOffset.UTC).compile())
          .as(code)
          .hasSize(1);
    }
  }

  @Test
  void stripsQueryFromUrlAndPath() {
    assertThat(line("%ru %rp %>rp %<ru", get("Host: x")))
        .isEqualTo("http://192.0.2.7:8080/a? /a? /a? http://192.0.2.7:8080/a?");
  }

  @Test
  void keepsQueryWhereAsked() {
    assertThat(line("%>ru", get("Host: x"))).isEqualTo("http://192.0.2.7:8080/a?q=1");
    assertThat(line("%ru %rp", get("Host: x"), false))
        .isEqualTo("http://192.0.2.7:8080/a?q=1 /a?q=1");
  }

  @Test
  void leavesDefaultPortOutAndPutsBracketsAroundIpv6() {
    assertThat(line("%ru", SampleRecord.of("GET http://H.example:80/ HTTP/1.1", "Host: h.example")))
        .isEqualTo("http://h.example/");
    assertThat(line("%ru", SampleRecord.of("GET http://[::1]:81/v6?a HTTP/1.1", "Host: x")))
        .isEqualTo("http://[::1]:81/v6?");
  }

  @Test
  void composesResultCode() {
    ExchangeRecord record = get("Host: x");
    record.collapsed = true;
    record.aborted = true;
    assertThat(line("%Ss", record)).isEqualTo("TCP_CF_MISS_ABORTED");
    record.collapsed = false;
    record.aborted = false;
    record.timedOut = true;
    assertThat(line("%Ss", record)).isEqualTo("TCP_MISS_TIMEDOUT");
  }

  @Test
  void takesElementsOfLists() {
    ExchangeRecord record = get("Host: x", "Cookie: a=1; b=2; c=3");
    record.reply = SampleRecord.reply("HTTP/1.1 200 OK", "Cache-Control: public, max-age=600");
    assertThat(line("%{Cookie:;b}>h %{Cache-Control:max-age}<h %{Cache-Control:none}<h", record))
        .isEqualTo("2 600 -");
    record = get("Host: x", "X-List: a=1, b=2; b=3");
    assertThat(line("%{X-List:;b}>h", record)).isEqualTo("2");
  }

  @Test
  void joinsRepeatedFields() {
    assertThat(line("%\"{X-A}>h", get("Host: x", "X-A: 1", "x-a: 2"))).isEqualTo("1, 2");
  }

  /** Squid prints the values; here a cookie must be asked for by name, a login is never shown. */
  @Test
  void wholeHeadHidesCredentials() {
    ExchangeRecord record =
        get("Host: x", "Proxy-Authorization: Basic Ym9iOnB3", "Cookie: a=1", "Accept: */*");
    assertThat(line("[%>h]", record))
        .isEqualTo("[Host: x\\r\\nProxy-Authorization: -\\r\\nCookie: -\\r\\nAccept: */*\\r\\n]");
    assertThat(line("%{Cookie}>h", record)).isEqualTo("a=1");
    assertThat(line("%{proxy-authorization}>h", record)).isEqualTo("Basic%20-");
    assertThat(line("%{Proxy-Authorization:; Basic}>ha", record)).isEqualTo("-");
    ExchangeRecord odd = get("Host: x", "Authorization: Ym9iOnB3", "Authorization: a b c");
    assertThat(line("%{Authorization}>h", odd)).isEqualTo("%20-,%20a%20-");
  }

  @Test
  void appendsHeadsForMimeLogging() {
    ExchangeRecord record = get("Host: x");
    record.reply = SampleRecord.reply("HTTP/1.1 200 OK", "Age: [1]");
    LogLine line = new LogLine(true);
    LogFormat.compile("%rm").withHeads().write(record, line);
    assertThat(new String(line.bytes(), 0, line.length(), ISO_8859_1))
        .isEqualTo("GET [Host: x\\r\\n] [HTTP/1.1 200 OK\\r\\nAge: %5b1%5d\\r\\n\\r\\n]");
  }

  @Test
  void formatsLocalTimeOnceASecond() {
    LogFormat format = LogFormat.compile("%tl", ZoneId.of("Asia/Kolkata"));
    LogLine line = new LogLine(true);
    ExchangeRecord record = get("Host: x");
    for (int i = 0; i < 2; i++) {
      format.write(record, line);
      line.append(';');
      record.endMillis += 600;
    }
    format.write(record, line);
    assertThat(new String(line.bytes(), 0, line.length(), ISO_8859_1))
        .isEqualTo(
            "21/Nov/2026:11:05:03 +0530;21/Nov/2026:11:05:03 +0530;21/Nov/2026:11:05:04 +0530");
  }

  @ParameterizedTest
  @ValueSource(strings = {"%ts %zz x", "%ts %6.3zz x", "%ts %"})
  void namesBadCodeAndPosition(String format) {
    assertThatThrownBy(() -> LogFormat.compile(format))
        .isInstanceOfSatisfying(
            LogFormatException.class,
            e -> {
              assertThat(e.position()).isEqualTo(5);
              assertThat(e.code()).isEqualTo(format.substring(4).replace(" x", ""));
              assertThat(e).hasMessageContaining(e.code()).hasMessageContaining("position 5");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"%{Host>h", "%byte{0}", "%byte{256}", "%byte", "%99999rm"})
  void refusesBadArguments(String format) {
    assertThatThrownBy(() -> LogFormat.compile(format))
        .isInstanceOf(LogFormatException.class)
        .hasMessageContaining("position 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " %request_id %exchange_class %cache_outcome %cache_reason"})
  void linesAllocateNothing(String more) {
    LogFormat format = LogFormat.compile(LogFormat.builtIn().get("squid") + more);
    ExchangeRecord record = get("Host: x");
    record.number = 0x1234567;
    record.idPrefix = -1;
    record.decision = new CacheDecision(Outcome.FETCH, CacheReason.STALE, 7, 5);
    LogLine line = new LogLine(true);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < 1000; i++) {
        line.clear();
        format.write(record, line);
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
    }
    // the measurement itself allocates a little
    assertThat(least).isLessThan(1000);
  }
}
