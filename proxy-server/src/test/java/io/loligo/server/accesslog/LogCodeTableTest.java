package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.Notes;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.record.ExchangeId;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HelperFacts;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HopTls;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.RewrittenRequest;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import io.loligo.server.tls.ClientHello;
import io.loligo.server.tls.PeerCertificate;
import io.loligo.server.tls.SessionFacts;
import io.loligo.server.tls.TestAuthority;
import io.loligo.server.tls.TlsFault;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every code of {@code logformat} about one exchange that has all facts. */
class LogCodeTableTest {
  /** Codes and values. */
  private static final String TABLE =
      """
      ts 1795239303
      tu 229
      tl 21/Nov/2026:05:35:03 +0000
      tg 21/Nov/2026:05:35:03
      tS 1795239303.227
      tr 1
      dt 3
      <pt 12
      <tt 17
      >a 192.0.2.1
      >A 192.0.2.1
      >p 32810
      >la 127.0.0.1
      >lp 3128
      la 127.0.0.1
      lp 3128
      <a 192.0.2.7
      <A 192.0.2.7
      <p 8080
      <la 198.51.100.1
      <lp 41000
      oa 198.51.100.1
      >qos 0x48
      <qos 0x20
      >nfmark 0x2a
      <nfmark 0x0
      rm GET
      >rm GET
      <rm GET
      ru http://192.0.2.7:8080/a?
      >ru http://192.0.2.7:8080/a?q=1
      <ru https://other.test/b?
      >rs http
      <rs https
      >rd 192.0.2.7
      <rd other.test
      >rP 8080
      <rP 443
      rp /a?
      >rp /a?
      <rp /b?
      rv 1.1
      >rv 1.1
      <rv 2.0
      >h X-A:%20b%0D%0A
      h X-A:%20b%0D%0A
      >ha X-A:%20b%0D%0A
      <h X-R:%20c%0D%0A
      >Hs 200
      Hs 200
      <Hs 203
      Ss TCP_MISS
      Sh HIER_DIRECT
      mt text/html
      stage{dns} 3000
      stages dns:3000,proxyConnect:5000,serverLastByte:12000,total:1900
      request_attempts 2
      err_code ERR_NONE
      err_detail why%20not
      <st 311
      >st 52
      st 363
      >sh 52
      <sh 306
      <bs 5
      <sH 5
      <sS 5
      un jo%20e
      ul jo%20e
      ue jim
      us client.test
      et t1
      ea l%201
      note n:%20m1%0D%0An:%20m2%0D%0Ak:%20v%0D%0A
      sn 0
      master_xaction 17
      request_id 0000000000000abc-11
      fetch_request_id 0000000000000def-12
      access_rule http_access%20deny%20all
      exchange_class miss
      cache_outcome fetch
      cache_reason stale
      proxy_protocol::>h source:%202%0D%0A
      ssl::>sni name.test
      ssl::bump_mode bump
      ssl::>ech yes
      ssl::>negotiated_version TLS/1.3
      ssl::<negotiated_version TLS/1.3
      ssl::>negotiated_cipher TLS_AES_128_GCM_SHA256
      ssl::<negotiated_cipher TLS_AES_256_GCM_SHA384
      ssl::>received_hello_version TLS/1.2
      ssl::<received_hello_version TLS/1.2
      ssl::>received_supported_version TLS/1.3
      ssl::<received_supported_version TLS/1.3
      ssl::>cert_subject /CN=client.test
      ssl::>cert_issuer /CN=root
      ssl::<cert_subject /CN=server.test
      ssl::<cert_issuer /CN=root
      ssl::<cert_errors X509_V_ERR_CERT_HAS_EXPIRED:SQUID_X509_V_ERR_DOMAIN_MISMATCH
      ssl::<cert -----BEGIN%20CERTIFICATE-----%0AMII
      adapt::all_trs 7,7
      adapt::sum_trs 7,7
      adapt::<last_h X-O:%20b%0D%0A
      icap::<last_h X-O:%20b%0D%0A
      icap::<A service.test
      icap::<service_name scan
      icap::ru icap://service.test/s
      icap::rm RESPMOD
      icap::>st 101
      icap::<st 202
      icap::<bs 303
      icap::>h X-I:%20a%0D%0A
      icap::<h X-O:%20b%0D%0A
      icap::Hs 200
      icap::tr 7
      icap::tio 6
      icap::to ICAP_MOD
      icap::tt 8
      """;

  private static String line(String format, ExchangeRecord record) {
    LogLine line = new LogLine(true);
    LogFormat.compile(format, ZoneOffset.UTC).write(record, line);
    return new String(line.bytes(), 0, line.length(), ISO_8859_1);
  }

  private static ExchangeRecord record() throws Exception {
    ExchangeRecord record = SampleRecord.of("GET http://192.0.2.7:8080/a?q=1 HTTP/1.1", "X-A: b");
    record.clientText = "192.0.2.1";
    record.nextHopLocal =
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 198, 51, 100, 1}), 41000);
    record.nextHopTrafficClass = 0x20;
    record.clientTrafficClass = 0x48;
    record.clientMark = 0x2a;
    record.number = 17;
    record.idPrefix = 0xabcL;
    record.fetchedBy = new ExchangeId(0xdefL, 18, null);
    record.rule = new AclVerdict(AclVerdict.Kind.DENIED, "http_access deny all", "", "all");
    record.decision = new CacheDecision(CacheDecision.Outcome.FETCH, CacheReason.STALE, 7, 5);
    record.attempts = 2;
    record.serverStatus = 203;
    record.reply = SampleRecord.reply("HTTP/1.1 203 OK", "X-R: c");
    record.errorCode = "ERR_NONE";
    record.errorDetail = "why not";
    record.user = "jo e";
    record.helpers = new HelperFacts("t1", "l 1", "jim", null, null);
    record.notes = Notes.NONE.with("n", "m1").with("n", "m2").with("k", "v");
    record.proxyHeader = SampleRecord.reply("HTTP/1.1 200 OK", "source: 2").fields();
    record.stage(Stage.DNS, 3_000_000);
    record.stage(Stage.PROXY_CONNECT, 5_000_000);
    record.stage(Stage.SERVER_LAST_BYTE, 12_000_000);
    RequestHead sent = SampleRecord.of("GET https://other.test/b?c HTTP/1.1", "Host: x").request;
    RequestTarget target = new RequestTarget();
    assertThat(target.resolve(sent, "https", null, true)).isNull();
    record.rewritten = new RewrittenRequest(sent, target, null, true);
    TestAuthority root = TestAuthority.root("root");
    ClientHello hello =
        new ClientHello(ClientHello.State.COMPLETE, "name.test", true, true, 0x0303, 0x0304);
    record.session =
        new SessionFacts(
            hello,
            "TLSv1.3",
            "TLS_AES_128_GCM_SHA256",
            new PeerCertificate(certificate(root, "client.test")),
            true);
    record.serverTls =
        new HopTls(
            "TLSv1.3",
            "TLS_AES_256_GCM_SHA384",
            HopTls.HTTP_2,
            certificate(root, "server.test"),
            List.of(TlsFault.CERT_HAS_EXPIRED, TlsFault.DOMAIN_MISMATCH),
            false);
    IcapTransaction scan =
        new IcapTransaction(
            "scan",
            "service.test",
            "icap://service.test/s",
            "RESPMOD",
            IcapTransaction.Outcome.ICAP_MOD,
            200,
            101,
            202,
            303,
            "RESPMOD icap://service.test/s ICAP/1.0\r\nX-I: a\r\n\r\nGET".getBytes(ISO_8859_1),
            SampleRecord.reply("HTTP/1.1 200 OK", "X-O: b").fields(),
            null,
            4_000_000,
            6_000_000,
            7_000_000);
    record.icap = scan;
    record.requestAdaptations = List.of(scan);
    record.responseAdaptations = List.of(scan);
    return record;
  }

  private static X509Certificate certificate(TestAuthority root, String name) {
    return root.issue(TestAuthority.named(name)).chain().get(0);
  }

  private static Map<String, String> table() {
    Map<String, String> table = new TreeMap<>();
    TABLE
        .lines()
        .forEach(
            row ->
                table.put(row.substring(0, row.indexOf(' ')), row.substring(row.indexOf(' ') + 1)));
    return table;
  }

  @Test
  void everyCodeThatHasASourceIsInTheTable() {
    assertThat(table().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(LogCode.values())
                .filter(code -> !code.writesNothing() && code != LogCode.BYTE)
                .map(code -> code == LogCode.STAGE ? "stage{dns}" : code.spelling())
                .toList());
  }

  @Test
  void everyCodeWritesItsFact() throws Exception {
    ExchangeRecord record = record();
    Map<String, String> written = new TreeMap<>();
    for (String code : table().keySet()) {
      String text = line("%" + code, record);
      boolean certificate = code.equals("ssl::<cert");
      written.put(
          code,
          certificate
              ? text.substring(
                  0, Math.min(text.length(), "-----BEGIN%20CERTIFICATE-----%0AMII".length()))
              : text);
    }
    assertThat(written).containsExactlyEntriesOf(table());
  }

  @Test
  void withoutFactsEveryCodeButSomeWritesADash() {
    String written =
        table().keySet().stream()
            .filter(code -> line("%" + code, SampleRecord.withoutRequest()).equals("-"))
            .collect(Collectors.joining(" "));
    assertThat(written)
        .isEqualTo(
            "<A <Hs <a <bs <h <la <lp <nfmark <p <pt <qos <rP <rd <rm <rp <rs <rv <tt >h >ha >rP"
                + " >rd >rm >rp >rs access_rule adapt::<last_h adapt::all_trs adapt::sum_trs"
                + " cache_outcome cache_reason dt ea err_code err_detail et fetch_request_id h"
                + " icap::<A icap::<bs icap::<h icap::<last_h icap::<service_name icap::<st"
                + " icap::>h icap::>st icap::Hs icap::rm icap::ru icap::tio icap::to icap::tr"
                + " icap::tt master_xaction mt note oa proxy_protocol::>h request_id rm rp"
                + " ssl::<cert ssl::<cert_errors ssl::<cert_issuer ssl::<cert_subject"
                + " ssl::<negotiated_cipher ssl::<negotiated_version ssl::<received_hello_version"
                + " ssl::<received_supported_version ssl::>cert_issuer ssl::>cert_subject ssl::>ech"
                + " ssl::>negotiated_cipher ssl::>negotiated_version ssl::>received_hello_version"
                + " ssl::>received_supported_version ssl::>sni ssl::bump_mode stages stage{dns} ue"
                + " ul un us");
  }

  @Test
  void aStageNeedsItsName() {
    assertThat(line("%{proxyConnect}stage", SampleRecord.withoutRequest())).isEqualTo("-");
    for (String unknown : List.of("%stage", "%{PROXY_CONNECT}stage", "%{}stage")) {
      assertThatThrownBy(() -> LogFormat.compile(unknown))
          .isInstanceOf(LogFormatException.class)
          .hasMessageContaining("one of clientConnect, acl,");
    }
  }

  @Test
  void argumentsChooseNotesAndSeparators() throws Exception {
    assertThat(
            line(
                "%{n}note|%{n:;}note|%note{n:+}|%{none}note|%ssl::<cert_errors{;}|"
                    + "%'{, }ssl::<cert_errors",
                record()))
        .isEqualTo(
            "m1,m2|m1;m2|m1+m2|-|X509_V_ERR_CERT_HAS_EXPIRED;SQUID_X509_V_ERR_DOMAIN_MISMATCH|"
                + "X509_V_ERR_CERT_HAS_EXPIRED, SQUID_X509_V_ERR_DOMAIN_MISMATCH");
  }

  @Test
  void theUserIsTheFirstNameThatIsKnown() throws Exception {
    ExchangeRecord record = record();
    record.user = null;
    assertThat(line("%un %ul", record)).isEqualTo("jim -");
    record.helpers = null;
    assertThat(line("%un %ue", record)).isEqualTo("client.test -");
    record.session = null;
    assertThat(line("%un %us", record)).isEqualTo("- -");
  }

  @Test
  void thePartsOfASizeThatWasNotSeenAreADash() {
    ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
    record.serverContentBytesIn = -1;
    assertThat(line("%<sH %<sS", record)).isEqualTo("5 5");
    record.status = 206;
    assertThat(line("%<sH %<sS", record)).isEqualTo("5 -");
  }

  @Test
  void codesWithoutASourceAreInTheListOfDifferences() throws Exception {
    String differences = Files.readString(Path.of("../docs/reference/differences.md"));
    for (LogCode code : LogCode.values()) {
      if (code.writesNothing()) {
        assertThat(differences).contains("`%" + code.spelling());
        assertThat(LogFormatCodes.check("%" + code.spelling()).dash())
            .isEqualTo("%" + code.spelling());
      }
    }
  }

  @Test
  void thePageNamesEachCode() throws Exception {
    String page = Files.readString(Path.of("../docs/logs.md"));
    assertThat(LogCode.values()).allMatch(code -> page.contains("`%" + code.spelling() + "`"));
    assertThat(LogTag.values()).allMatch(tag -> page.contains("`" + tag + "`"));
    assertThat(HierarchyCode.values()).allMatch(code -> page.contains("`" + code + "`"));
  }
}
