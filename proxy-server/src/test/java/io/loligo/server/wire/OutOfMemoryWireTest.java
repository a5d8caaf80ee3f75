package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.Shed;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Direct memory that runs out, in a process of its own. Each response is then correct and complete,
 * or 503, or the connection is closed; everything is as before when there is memory again.
 */
class OutOfMemoryWireTest extends WireTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /**
   * Sizes, as powers of two, of the largest buffer that is not to be had: from one for content to
   * any. The fewer there are, the earlier a request fails.
   */
  private static final List<Integer> NOT_TO_BE_HAD = List.of(16, 15, 14, 13, 12, 11, 9, 7, 4);

  /** Rounds of all kinds of requests, afterwards. */
  private static final int ROUNDS = 4;

  /** Used and released memory that the pool may keep: a chunk or two. */
  private static final long CHUNKS = 3 * 4L * MIB;

  /** Connections to the origin that are kept, and to the admin port that are about to go. */
  private static final int KEPT_SOCKETS = 16;

  /** The least time between two log lines about lack of memory. */
  private static final int SECONDS_BETWEEN_LINES = 10;

  /** So many that one small read for each fills the rest when memory is scarce. */
  private static final int STALLED = 120;

  private int port;
  private int adminPort;
  private ProxyProcess process;
  private ServerSocket echo;
  private Socket eater;
  private int number;

  /** How an exchange may end. */
  private enum End {
    RIGHT,
    SHED,
    CLOSED
  }

  /** Something a client does. */
  private interface Doing {
    End end() throws IOException;
  }

  @BeforeEach
  void startEcho() throws IOException {
    echo = closing(new ServerSocket(0, 64, InetAddress.getLoopbackAddress()));
    daemon(
        () -> {
          while (true) {
            Socket one = echo.accept();
            daemon(
                () -> {
                  try (one) {
                    one.getInputStream().transferTo(one.getOutputStream());
                  }
                });
          }
        });
    origin.otherwise(
        call -> {
          String path = call.head().split(" ", 3)[1];
          if (call.head().startsWith("POST ")) {
            call.ok(call.whole().text(), "Cache-Control: no-store");
          } else if (path.contains("/lines")) {
            call.ok(content(path), "Cache-Control: no-store", "X-Long: " + "l".repeat(30 * KIB));
          } else if (path.contains("/chunked")) {
            String body = content(path);
            call.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache-Control: no-store\r\n\r\n"
                    + Integer.toHexString(body.length())
                    + "\r\n"
                    + body
                    + "\r\n0\r\n\r\n");
          } else {
            String control = path.contains("/no-store") ? "no-store" : "max-age=1000";
            call.ok(content(path), "Cache-Control: " + control);
          }
        });
  }

  /** Something that ends with its sockets. */
  private interface Serving {
    void run() throws IOException;
  }

  private static void daemon(Serving serving) {
    Thread thread =
        new Thread(
            () -> {
              try {
                serving.run();
              } catch (IOException closed) {
                return;
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  /** Of {@code /SIZE/...}: as many bytes, others for each path. */
  private static String content(String path) {
    byte[] bytes = new byte[Integer.parseInt(path.split("/", 3)[1])];
    new Random(path.hashCode()).nextBytes(bytes);
    return new String(bytes, ISO_8859_1);
  }

  // ---- the process

  private void start(String main, List<String> options, String... lines) throws Exception {
    port = ProxyProcess.freePort();
    adminPort = ProxyProcess.freePort();
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("http_port 127.0.0.1:" + port);
    all.add("loligo_admin_port 127.0.0.1:" + adminPort);
    Path file =
        Files.writeString(dir.resolve("loligo.conf"), configuration(all.toArray(String[]::new)));
    process = closing(ProxyProcess.java(dir, options, main, "run", "-f", file.toString()));
    process.awaitPort(port).awaitPort(adminPort).awaitOutput("ready");
  }

  @Override
  int eventLoops() {
    return 2;
  }

  private void say(int what) throws IOException {
    eater.getOutputStream().write(what);
    assertThat(eater.getInputStream().read()).isEqualTo(what);
  }

  private double metric(String name) throws IOException {
    try (RawClient client = RawClient.connect(adminPort)) {
      client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:" + adminPort + "\r\n\r\n");
      Matcher line =
          Pattern.compile("(?m)^" + Pattern.quote(name) + " (\\S+)$")
              .matcher(client.response().text());
      assertThat(line.find()).as(name).isTrue();
      return Double.parseDouble(line.group(1));
    }
  }

  /** That the process has open. */
  private long sockets() throws IOException {
    Path all = Path.of("/proc/" + process.process().pid() + "/fd");
    long count = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(all)) {
      for (Path file : files) {
        count += isSocket(file) ? 1 : 0;
      }
    }
    return count;
  }

  private static boolean isSocket(Path file) throws IOException {
    try {
      return Files.readSymbolicLink(file).toString().startsWith("socket:");
    } catch (NoSuchFileException closed) {
      return false;
    }
  }

  private void awaitMetric(String name, double least, double most) throws IOException {
    long guard = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    double now = metric(name);
    while ((now < least || now > most) && System.nanoTime() - guard < 0) {
      now = metric(name);
    }
    assertThat(now).as(name).isBetween(least, most);
  }

  private static String memory(String what, String owner) {
    return "loligo_memory_" + what + "_bytes{owner=\"" + owner + "\"}";
  }

  private static String disk(String state) {
    return "loligo_disk_state{path=\"%s\",state=\"" + state + "\"}";
  }

  // ---- actions of clients

  private RawClient connect() throws IOException {
    return RawClient.connect(port);
  }

  /** How {@code doing} ends; a reset, or an end before the end, is a connection that was closed. */
  private static End ended(Doing doing) throws IOException {
    try {
      return doing.end();
    } catch (EOFException | SocketException closed) {
      return End.CLOSED;
    }
  }

  private static End judged(WireMessage answer, String expected) {
    if (answer.status() == 503) {
      assertThat(answer.field("Retry-After")).as(answer::toString).isEqualTo("1");
      return End.SHED;
    }
    assertThat(answer.status()).as(answer::toString).isEqualTo(200);
    assertThat(answer.text()).isEqualTo(expected);
    return End.RIGHT;
  }

  private End got(String path, String... lines) throws IOException {
    return ended(
        () -> {
          try (RawClient client = connect()) {
            return judged(client.get(origin.url(path), lines).response(), content(path));
          }
        });
  }

  private End post(int size, boolean chunked) throws IOException {
    String body = content("/" + size + "/" + number++);
    String framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + size;
    String sent = chunked ? Integer.toHexString(size) + "\r\n" + body + "\r\n0\r\n\r\n" : body;
    return ended(
        () -> {
          try (RawClient client = connect()) {
            client.sendIgnoringReset(
                (RawClient.head("POST", origin.url("/post"), framing) + sent).getBytes(ISO_8859_1));
            return judged(client.responseTo("POST"), body);
          }
        });
  }

  private RawClient tunnel() throws IOException {
    String target = "127.0.0.1:" + echo.getLocalPort();
    return connect().send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
  }

  private static End echoed(RawClient tunnel, String text) throws IOException {
    tunnel.send(text);
    assertThat(tunnel.read(text.length())).isEqualTo(text);
    return End.RIGHT;
  }

  private End tunnelled() throws IOException {
    return ended(
        () -> {
          try (RawClient client = tunnel()) {
            String head = client.responseHead();
            return WireMessage.status(head) == 200
                ? echoed(client, content("/20000/" + number++))
                : judged(client.bodyBehind(head), "");
          }
        });
  }

  /** Its stored response is gone, however that is confirmed. */
  private End purge(String path) throws IOException {
    return ended(
        () -> {
          try (RawClient client = connect()) {
            int status = client.request("PURGE", origin.url(path)).responseTo("PURGE").status();
            assertThat(status).isIn(200, 404, 500, 503);
            return status < 500 ? End.RIGHT : End.SHED;
          }
        });
  }

  /** One of each kind. */
  private Map<End, Integer> all() throws IOException {
    int mine = number++;
    Map<End, Integer> ends = new EnumMap<>(End.class);
    for (End end :
        List.of(
            got("/1000/hit"),
            got("/60000/hit"),
            got("/1000/hit", "If-None-Match: \"other\"", "X-Long: " + "x".repeat(40 * KIB)),
            got("/200000/on-disk"),
            got("/1000/no-store/" + mine),
            got("/3000000/no-store/" + mine),
            got("/1000/stored/" + mine),
            got("/300000/stored/" + mine),
            got("/30000/chunked/" + mine),
            got("/1000/lines/" + mine),
            post(1_000, false),
            post(200_000, false),
            post(200_000, true),
            purge("/300000/stored/" + mine),
            purge("/1000/unknown"),
            tunnelled())) {
      ends.merge(end, 1, Integer::sum);
    }
    return ends;
  }

  private void allAreRight() throws IOException {
    assertThat(all()).containsOnlyKeys(End.RIGHT);
  }

  // ---- the tests

  @Test
  void requestsWithoutMemoryAreShedAndTheProxyRecovers() throws Exception {
    long begin = System.nanoTime();
    ServerSocket told = closing(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    String cache = dir.resolve("cache").toString();
    start(
        MemoryEater.class.getName(),
        List.of(
            "-D" + MemoryEater.PORT + "=" + told.getLocalPort(),
            "-XX:MaxDirectMemorySize=96m",
            "-Dio.netty.allocator.numDirectArenas=1",
            "-Dio.netty.allocator.smallCacheSize=0",
            "-Dio.netty.allocator.normalCacheSize=0"),
        "cache_mem 8 MB",
        "loligo_transit_memory 16 MB",
        "maximum_object_size_in_memory 64 KB",
        "acl purge method PURGE",
        "cache_dir rock " + cache + " 64");
    eater = closing(told.accept());
    String ready = String.format(disk("ready"), cache);
    awaitMetric(ready, 1, 1);
    assertThat(metric(memory("limit", "allocator")))
        .as("Netty's own limit is reached before the JVM's, which blocks event loops")
        .isLessThanOrEqualTo(92.0 * MIB);
    allAreRight();
    allAreRight();
    awaitMetric(memory("used", "transit"), 0, 0);
    double directBefore = metric(memory("used", "allocator"));
    long socketsBefore = sockets();

    List<RawClient> tunnels = List.of(tunnel(), tunnel());
    for (RawClient one : tunnels) {
      assertThat(WireMessage.status(one.responseHead())).isEqualTo(200);
    }
    String running = "/3000000/no-store/running";
    RawClient reader = RawClient.connect(port, 8 * KIB).get(origin.url(running));
    String head = reader.responseHead();
    RawClient writer = connect();
    writer.send(
        RawClient.head("POST", origin.url("/post"), "Content-Length: 1000") + "y".repeat(500));

    Map<End, Integer> ends = new EnumMap<>(End.class);
    for (int power : NOT_TO_BE_HAD) {
      say(power);
      all().forEach((end, times) -> ends.merge(end, times, Integer::sum));
      say(power); // memory freed meanwhile
      all().forEach((end, times) -> ends.merge(end, times, Integer::sum));
    }
    ended(() -> echoed(tunnels.get(0), content("/20000/without")));
    ended(() -> judged(reader.bodyBehind(head), content(running)));
    ended(() -> judged(writer.send("y".repeat(500)).responseTo("POST"), "y".repeat(1_000)));
    assertThat(process.process().isAlive()).isTrue();
    assertThat(ends).containsKeys(End.RIGHT, End.SHED, End.CLOSED);

    say(MemoryEater.GIVE);
    reader.close();
    writer.close();
    assertThat(metric("loligo_memory_shortages_total")).isGreaterThan(ROUNDS);
    assertThat(metric("loligo_shed_total{reason=\"memory\"}")).isPositive();
    assertThat(metric("loligo_errors_total{reason=\"ERR_OVERLOADED\"}")).isPositive();
    assertThat(metric("loligo_errors_total{reason=\"ERR_INTERNAL\"}")).isZero();
    assertThat(metric(ready)).isEqualTo(1);
    assertThat(echoed(tunnels.get(1), content("/20000/again"))).isEqualTo(End.RIGHT);
    for (RawClient one : tunnels) {
      one.close();
    }
    for (int i = 0; i < ROUNDS; i++) {
      allAreRight();
    }
    long fetched = origin.fetches("/200000/on-disk");
    assertThat(got("/200000/on-disk")).isEqualTo(End.RIGHT);
    assertThat(origin.fetches("/200000/on-disk")).isEqualTo(fetched);
    awaitMetric(memory("used", "transit"), 0, 0);
    awaitMetric(memory("used", "allocator"), 0, directBefore + CHUNKS);
    awaitMetric("loligo_client_connections", 0, 0);
    assertThat(sockets()).isLessThanOrEqualTo(socketsBefore + KEPT_SOCKETS);
    String log = Files.readString(dir.resolve("cache.log"));
    assertThat(log)
        .containsPattern("ERROR [^\\n]*out of memory, \\d+ times so far")
        .doesNotContain("Cannot reserve", "cache_dir " + cache + ": off");
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
    assertThat(log.split("out of memory, ", -1).length - 1L)
        .as("said not more often than people can read, in %s s", seconds)
        .isLessThanOrEqualTo(1 + seconds / SECONDS_BETWEEN_LINES);
  }

  /** The socket of one tunnel, with its 200 read, to a peer that takes nothing. */
  private SocketChannel stalled(int target) throws IOException {
    SocketChannel channel = closing(SocketChannel.open());
    channel.setOption(StandardSocketOptions.SO_SNDBUF, 8 * KIB);
    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()));
    String name = "127.0.0.1:" + target;
    String head = "CONNECT " + name + " HTTP/1.1\r\nHost: " + name + "\r\n\r\n";
    channel.write(ByteBuffer.wrap(head.getBytes(ISO_8859_1)));
    String answer = WireMessage.readHead(channel.socket().getInputStream());
    assertThat(WireMessage.status(answer)).isEqualTo(200);
    channel.configureBlocking(false);
    return channel;
  }

  @Test
  void stalledTunnelsStayWithinTransitMemory() throws Exception {
    startProxy("loligo_transit_memory 1 MB", "cache_mem 4 MB");
    port = proxy.port();
    assertThat(got("/1000/hit")).isEqualTo(End.RIGHT);
    ServerSocket deaf = closing(new ServerSocket());
    deaf.setReceiveBufferSize(4 * KIB);
    deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), STALLED);
    List<SocketChannel> tunnels = new ArrayList<>();
    for (int i = 0; i < STALLED; i++) {
      tunnels.add(stalled(deaf.getLocalPort())); // not even accepted
    }
    ByteBuffer bytes = ByteBuffer.allocateDirect(64 * KIB);
    long shed = proxy.counted(CounterFamily.SHED, Shed.MEMORY.ordinal());
    long guard = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    long most = 0;
    End another = End.RIGHT;
    while (another == End.RIGHT && System.nanoTime() - guard < 0) {
      for (SocketChannel tunnel : tunnels) {
        tunnel.write(bytes.clear());
      }
      most = Math.max(most, proxy.transitBytes());
      another = tunnelled();
    }
    assertThat(another).isEqualTo(End.SHED);
    assertThat(most).isBetween(MIB / 2L, MIB + MIB / 2L);
    awaitCount(() -> proxy.counted(CounterFamily.SHED, Shed.MEMORY.ordinal()), shed + 1);
    assertThat(got("/1000/hit")).isEqualTo(End.RIGHT);

    for (SocketChannel tunnel : tunnels) {
      tunnel.setOption(StandardSocketOptions.SO_LINGER, 0);
      tunnel.close();
    }
    deaf.close();
    awaitCount(proxy::transitBytes, 0);
    assertThat(tunnelled()).isEqualTo(End.RIGHT);
  }

  @Test
  void readAheadIsEnteredInTheLedger() throws Exception {
    startProxy();
    CountDownLatch answered = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          await(answered);
          call.ok("slow", "Cache-Control: no-store");
        });
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.get(origin.url("/slow"));
      origin.awaitRequest("/slow");
      long before = proxy.transitBytes();
      client.get(origin.url("/1000/next"));
      awaitCount(() -> proxy.transitBytes() > before ? 1 : 0, 1);
      answered.countDown();
      assertThat(client.response().text()).isEqualTo("slow");
      assertThat(client.response().text()).isEqualTo(content("/1000/next"));
    }
    awaitCount(proxy::transitBytes, 0);
  }
}
