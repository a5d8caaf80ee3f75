package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.Waiting;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.netty.util.NetUtil;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The access log: one line for each exchange, and its numbers are the client's. */
class LoggingWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private static long loggedBytes(String line) {
    return Long.parseLong(line.trim().split(" +", -1)[4]);
  }

  @Test
  void countsTheBytesTheClientCounted() throws Exception {
    startProxy();
    origin.onOk("/a", "x".repeat(5000), FRESH, "ETag: \"e\"");
    origin.on(
        "/chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    RawClient client = client();
    long[] counted = {
      client.get(origin.url("/a")).response().wireBytes(),
      client.get(origin.url("/a")).response().wireBytes(),
      client.get(origin.url("/a"), "If-None-Match: \"e\"").response().wireBytes(),
      client.get(origin.url("/a"), "Range: bytes=1-7").response().wireBytes(),
      client.request("HEAD", origin.url("/a")).responseTo("HEAD").wireBytes(),
      client.get(origin.url("/chunked")).response().wireBytes(),
      client.send("BAD\r\n\r\n").response().wireBytes()
    };
    client.expectClose();
    List<String> log = stopAndReadLog();
    assertThat(log).hasSize(counted.length);
    for (int i = 0; i < counted.length; i++) {
      assertThat(loggedBytes(log.get(i))).as(log.get(i)).isEqualTo(counted[i]);
    }
  }

  private static String receive(DatagramSocket socket) throws IOException {
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
    socket.receive(packet);
    return new String(packet.getData(), 0, packet.getLength(), ISO_8859_1);
  }

  @Test
  void clientNetmaskHidesPartsOfAddresses() throws Exception {
    startProxy(
        "client_netmask 255.255.255.0",
        "follow_x_forwarded_for allow all",
        "acl guests src 192.0.2.77",
        "note guests yes guests",
        "logformat masked %>a %{guests}note",
        "access_log stdio:" + dir.resolve("masked.log") + " masked",
        "access_log stdio:" + dir.resolve("json.log") + " loligo_json");
    origin.onOk("/a", "content");
    get("/a", "X-Forwarded-For: 192.0.2.77");
    get("/a", "X-Forwarded-For: 2001:db8::77");
    proxy.close();
    assertThat(dir.resolve("masked.log")).content().isEqualTo("192.0.2.0 yes\n2001:db8::77 -\n");
    assertThat(dir.resolve("json.log"))
        .content()
        .contains("\"client\":\"192.0.2.0\"")
        .doesNotContain("192.0.2.77");
  }

  @Test
  void sendsEachLineToAUdpReceiver() throws Exception {
    DatagramSocket collector = closing(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
    startProxy("access_log udp://127.0.0.1:" + collector.getLocalPort() + " squid");
    origin.onOk("/a", "content");
    get("/a");
    assertThat(receive(collector))
        .matches("[0-9.]+ +[0-9]+ 127.0.0.1 TCP_MISS/200 [0-9]+ GET \\S+/a - \\S+ -\n");
    get("/missing");
    assertThat(receive(collector)).contains(" TCP_MISS/404 ", "/missing ").endsWith("\n");
  }

  @ParameterizedTest
  @CsvSource({
    "daemon.info, 30",
    "info.daemon, 30",
    "local3|notice, 157",
    "user.err, 11",
    "LOG_AUTHPRIV.LOG_DEBUG, 87",
    "daemon, 30",
    "warning, 12",
    "'', 14",
  })
  void sendsEachLineToSyslogWithFacilityAndPriority(String place, int priority) throws Exception {
    DatagramSocket collector = closing(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
    startProxy(
        "loligo_syslog 127.0.0.1:" + collector.getLocalPort(),
        "access_log syslog:" + place + " logformat=squid");
    origin.onOk("/a", "content");
    get("/a");
    assertThat(receive(collector))
        .matches(
            "<"
                + priority
                + ">[A-Z][a-z]{2} [ 1-3][0-9] [0-9:]{8} loligo: [0-9.]+ +[0-9]+ 127.0.0.1"
                + " TCP_MISS/200 [0-9]+ GET \\S+/a - \\S+ -");
  }

  @Test
  void syslogIsASocketOfThisMachineThatMayComeLater() throws Exception {
    assumeThat(Epoll.isAvailable()).isTrue();
    File place = dir.resolve("log").toFile();
    startProxy("loligo_syslog " + place, "access_log syslog:daemon.info squid");
    origin.onOk("/a", "content");
    get("/a");
    awaitCount(this::lostLines, 1); // there is no receiver yet
    for (int i = 0; i < 2; i++) {
      try (LocalCollector collector = new LocalCollector(place)) {
        get("/a");
        assertThat(collector.receive()).startsWith("<30>").contains(" loligo: ", " TCP_MISS/200 ");
      }
    }
  }

  private long lostLines() {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      String metrics =
          client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").response().text();
      Matcher lost = Pattern.compile("\nloligo_log_lost_total ([0-9.]+)").matcher(metrics);
      assertThat(lost.find()).as(metrics).isTrue();
      return (long) Double.parseDouble(lost.group(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A syslog daemon's socket. */
  private static final class LocalCollector implements AutoCloseable {
    private final Socket socket = Socket.newSocketDomainDgram();
    private final File place;

    LocalCollector(File place) throws IOException {
      this.place = place;
      socket.bind(new DomainSocketAddress(place));
    }

    String receive() throws IOException {
      ByteBuffer datagram = ByteBuffer.allocateDirect(65_536);
      long guard = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RawClient.GUARD_MILLIS);
      int length = socket.read(datagram, 0, datagram.capacity());
      while (length <= 0 && System.nanoTime() - guard < 0) {
        Thread.onSpinWait();
        length = socket.read(datagram, 0, datagram.capacity());
      }
      return ISO_8859_1.decode(datagram.limit(Math.max(0, length))).toString();
    }

    @Override
    public void close() throws IOException {
      socket.close();
      Files.delete(place.toPath());
    }
  }

  /** RFC 5952 section 4: one spelling for an IPv6 address, wherever one is written. */
  @Test
  void writesIpv6AddressesInOneSpelling() throws Exception {
    InetAddress loopback = NetUtil.LOCALHOST6;
    ScriptedOrigin server = closing(ScriptedOrigin.start(loopback, 0));
    server.onOk("/a", "x");
    ServerSocket nobody = new ServerSocket(0, 1, loopback);
    int refusing = nobody.getLocalPort();
    nobody.close();
    startProxy(
        "http_port [::1]:0",
        "loligo_admin_port [0:0:0:0:0:0:0:1]:0",
        "acl refused urlpath_regex refused",
        "cache_peer 0:0:0:0:0:0:0:1 parent " + refusing + " 0 no-query",
        "cache_peer_access 0:0:0:0:0:0:0:1 allow refused",
        "never_direct allow refused",
        "logformat six %>a %>A %>la %la %<a %<A %<la %oa %ru %'err_detail",
        "access_log stdio:" + dir.resolve("access.log") + " six");
    server.on("/close", ScriptedOrigin.Call::close);
    String url = "http://[0:0::0001]:" + server.port();
    RawClient client = closing(RawClient.connect(loopback, proxy.port(), 0));
    assertThat(client.get(url + "/a").response().status()).isEqualTo(200);
    assertThat(server.lastRequest().field("X-Forwarded-For")).isEqualTo("::1");
    assertThat(server.lastRequest().field("Host")).isEqualTo("[::1]:" + server.port());
    assertThat(client.get(url + "/refused").response().status()).isEqualTo(503);
    assertThat(client.get(url + "/close").response().status()).isEqualTo(502);
    CapturedLog audited = closing(new CapturedLog("io.loligo.audit"));
    client.request("CONNECT", url.replace("http://", "")).responseHead();
    RawClient admin = closing(RawClient.connect(loopback, proxy.adminPort(), 0));
    admin.send("POST /rotate HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 0\r\n\r\n");
    assertThat(admin.response().status()).isIn(401, 403);
    assertThat(audited.lines()).singleElement().asString().contains(" from ::1:");
    String all = "::1 ::1 ::1 ::1 ::1 ::1 ::1 ::1 ";
    String authority = "[::1]:" + server.port();
    List<String> log = stopAndReadLog();
    assertThat(log).hasSize(4);
    assertThat(log.get(0)).isEqualTo(all + "http://" + authority + "/a -");
    assertThat(log.get(1))
        .startsWith(
            "::1 ::1 ::1 ::1 ::1 ::1 - - http://" + authority + "/refused [::1]:" + refusing)
        .doesNotContain("0:0");
    assertThat(log.get(2))
        .startsWith(all + "http://" + authority + "/close " + authority + ": closed");
    assertThat(log.get(3)).isEqualTo(all + authority + " -");
  }

  @Test
  void logsPagesOfOurOwnAsSquidDoes() throws Exception {
    startProxy();
    get("/none", "Cache-Control: only-if-cached");
    client().send("BAD\r\n\r\n").response();
    client().send("GET /" + "a".repeat(70_000) + " HTTP/1.1\r\nHost: a\r\n\r\n").response();
    client()
        .send("TRACE " + origin.url("/") + " HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n")
        .response();
    List<String> log = stopAndReadLog();
    assertThat(log).hasSize(4);
    assertThat(log.get(0)).contains("/504 ").endsWith("/none - HIER_NONE/- text/html");
    assertThat(log.get(1)).endsWith(" - error:invalid-request - HIER_NONE/- text/html");
    assertThat(log.get(2)).endsWith(" - error:request-too-large - HIER_NONE/- text/html");
    assertThat(log.get(3)).endsWith(" HIER_NONE/- message/http");
  }

  @Test
  void logsAnExchangeTheClientLeftOnceAndAsAborted() throws Exception {
    startProxy();
    CountDownLatch gone = new CountDownLatch(1);
    origin.on(
        "/leave",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 10\r\n\r\nhalf");
          await(gone);
        });
    RawClient client = client().get(origin.url("/leave"));
    client.readContent(client.responseHead(), 4);
    client.reset();
    origin.onOk("/barrier", "x");
    get("/barrier");
    gone.countDown();
    List<String> log = stopAndReadLog();
    assertThat(log.stream().filter(line -> line.contains("/leave"))).hasSize(1);
    assertThat(log.toString()).contains("TCP_MISS_ABORTED/200 ");
  }

  @Test
  void logsAnExchangeThatShutdownCuts() throws Exception {
    startProxy("shutdown_lifetime 0 seconds");
    origin.on(
        "/long",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
          call.in().read();
          call.close();
        });
    RawClient client = client().get(origin.url("/long"));
    client.readContent(client.responseHead(), 4);
    assertThat(stopAndReadLog().stream().filter(line -> line.contains("/long"))).hasSize(1);
    client.expectClose();
  }

  @Test
  void finishesExchangesOnShutdown() throws Exception {
    startProxy("shutdown_lifetime 30 seconds");
    CountDownLatch stopping = new CountDownLatch(1);
    origin.on(
        "/long",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
          await(stopping);
          call.send("done");
        });
    RawClient client = client().get(origin.url("/long"));
    client.readContent(client.responseHead(), 4);
    var drained = proxy.drain();
    // the listening socket goes first
    Waiting.until("the proxy no longer listens", () -> !accepts());
    stopping.countDown();
    assertThat(client.read(4)).isEqualTo("done");
    client.expectClose();
    client.close(); // the proxy waits for that
    drained.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    assertThat(stopAndReadLog()).filteredOn(line -> line.contains("/long")).hasSize(1);
  }

  private boolean accepts() {
    try (RawClient probe = RawClient.connect(proxy.port())) {
      return probe != null;
    } catch (java.io.IOException refused) {
      return false;
    }
  }

  @Test
  void logsNeitherQueriesNorCredentials() throws Exception {
    startProxy();
    origin.onOk("/q?token=secret1", "x");
    get("/q?token=secret1", "Cookie: secret2", "Authorization: Basic secret3");
    client().get("http://user:secret4@" + origin.authority() + "/q?token=secret1").response();
    client().send("GET http://user:secret5@[bad?secret6 HTTP/1.1\r\nHost: x\r\n\r\n").response();
    List<String> log = stopAndReadLog();
    assertThat(log).hasSize(3);
    assertThat(log.get(0)).contains(" GET " + origin.url("/q?") + " - ");
    assertThat(log.toString()).doesNotContain("secret");
    if (Files.exists(dir.resolve("cache.log"))) {
      assertThat(Files.readString(dir.resolve("cache.log"))).doesNotContain("secret");
    }
  }

  @Test
  void rulesAboutTheDestinationKeepOutWhatTheyName() throws Exception {
    String log = "access_log stdio:" + dir.resolve("access.log") + " squid";
    origin.onOk("/a", "x", FRESH);
    for (boolean here : List.of(true, false)) {
      String address = here ? "127.0.0.1" : "10.1.1.5";
      for (String asks : List.of("# nobody else asks", "http_access deny mon !all")) {
        for (List<String> lines :
            List.of(List.of("access_log none mon", log), List.of(log + " !mon"))) {
          Files.deleteIfExists(dir.resolve("access.log"));
          List<String> all = new ArrayList<>(List.of("acl mon dst " + address, asks));
          all.addAll(lines);
          all.add("http_access deny CONNECT");
          all.add("http_access allow all");
          startProxy(all.toArray(String[]::new));
          get("/a");
          assertHit(get("/a"));
          client()
              .send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n")
              .response();
          assertThat(stopAndReadLog()).as("%s", all).hasSize(here ? 0 : 3);
        }
      }
    }
  }

  @Test
  void keepsQueriesWhereStrippingIsOff() throws Exception {
    startProxy("strip_query_terms off");
    origin.onOk("/q?a=b", "x");
    get("/q?a=b");
    assertThat(stopAndReadLog().get(0)).contains(" GET " + origin.url("/q?a=b") + " - ");
  }

  @Test
  void writesTextAndNoControlCharactersIntoTheLog() throws Exception {
    startProxy(
        "logformat mine %>a \"%{User-Agent}>h\" %ru",
        "access_log stdio:" + dir.resolve("mine.log") + " mine");
    origin.onOk("/u", "x");
    get("/u", "User-Agent: a\"b\\c \u00c3\u00a9 \u00e9\tend");
    List<String> log = stopAndReadLog("mine.log");
    assertThat(log).hasSize(1);
    assertThat(log.get(0))
        .isEqualTo("127.0.0.1 \"a\\\"b\\\\c \u00c3\u00a9 \\xe9\\tend\" " + origin.url("/u"));
  }

  @Test
  void writesTheFormatsItIsAskedFor() throws Exception {
    startProxy(
        "acl images urlpath_regex \\.png$",
        "access_log stdio:" + dir.resolve("common.log") + " common",
        "access_log stdio:" + dir.resolve("combined.log") + " logformat=combined !images",
        "logformat mine %Ss/%03>Hs %rm %ru %<st \"%{User-Agent}>h\" %mt",
        "access_log stdio:" + dir.resolve("mine.log") + " mine images");
    origin.onOk("/i.png", "x", "Content-Type: image/png");
    origin.onOk("/page", "x", "Content-Type: text/html");
    get("/i.png", "User-Agent: kit/1");
    get("/page", "User-Agent: kit/1", "Referer: http://from.example/");
    List<String> common = stopAndReadLog("common.log");
    assertThat(common).hasSize(2);
    assertThat(common.get(1))
        .matches(
            "127\\.0\\.0\\.1 - - \\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d [+-]\\d{4}\\]"
                + " \"GET "
                + origin.url("/page")
                + " HTTP/1.1\" 200 \\d+ TCP_MISS:HIER_DIRECT");
    assertThat(Files.readAllLines(dir.resolve("combined.log")))
        .singleElement()
        .asString()
        .contains(" \"http://from.example/\" \"kit/1\" TCP_MISS:HIER_DIRECT");
    assertThat(Files.readAllLines(dir.resolve("mine.log")))
        .singleElement()
        .asString()
        .matches("TCP_MISS/200 GET http://.*/i\\.png \\d+ \"kit/1\" image/png");
  }

  @Test
  void tellsOurEndOfTheWayToTheOriginAndTheContentThatCame() throws Exception {
    startProxy(
        "logformat way %<la %<lp %<bs %Ss", "access_log stdio:" + dir.resolve("way.log") + " way");
    origin.onOk("/way", "x".repeat(1234), "Cache-Control: max-age=1000");
    get("/way");
    get("/way");
    List<String> log = stopAndReadLog("way.log");
    assertThat(log.get(0)).matches("127\\.0\\.0\\.1 [1-9]\\d{3,4} 1234 TCP_MISS");
    assertThat(log.get(1)).isEqualTo("- - - TCP_MEM_HIT");
  }

  @Test
  void writesNoAccessLogWhereItIsNone() throws Exception {
    startProxy("access_log none");
    origin.onOk("/n", "x");
    get("/n");
    proxy.close();
    assertThat(Files.exists(dir.resolve("access.log"))).isFalse();
  }

  @Test
  void logsTheContentTypeWithoutParameters() throws Exception {
    startProxy();
    origin.onOk("/t", "x", "Content-Type: text/html; charset=utf-8");
    get("/t");
    assertThat(stopAndReadLog().get(0)).endsWith(" text/html");
  }

  @Test
  void losesNoLineUnderManyClients() throws Exception {
    startProxy("loligo_event_loops 2");
    origin.onOk("/many", "x", FRESH);
    int clients = 8;
    int each = 250;
    Thread[] threads = new Thread[clients];
    for (int i = 0; i < clients; i++) {
      threads[i] =
          new Thread(
              () -> {
                try (RawClient client = RawClient.connect(proxy.port())) {
                  byte[] request = RawClient.head("GET", origin.url("/many")).getBytes(ISO_8859_1);
                  for (int n = 0; n < each; n++) {
                    client.send(request).response();
                  }
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(stopAndReadLog()).hasSize(clients * each);
  }
}
