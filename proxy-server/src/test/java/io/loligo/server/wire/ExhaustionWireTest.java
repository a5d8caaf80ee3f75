package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.loligo.server.metrics.ConnectionGauge;
import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PoolChunkMetric;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Clients that want everything: while they do, another client is served as ever, and when they are
 * gone heap, direct memory, resident memory, connections and descriptors are where they were. With
 * {@code -Dloligo.exhaustion=full} in the sizes of real attacks, which takes minutes and needs
 * 12,000 descriptors.
 */
class ExhaustionWireTest extends WireTest {
  private static final boolean FULL = "full".equals(System.getProperty("loligo.exhaustion"));
  private static final int MIB = 1 << 20;

  /** Answers that another client gets while the others have the proxy in their grip. */
  private static final int ANSWERS = 40;

  /** Bytes that caches of threads may keep, those of the proxy and of the JVM. */
  private static final long HEAP_SLACK = 4L * MIB;

  private static final long DIRECT_SLACK = 8L * MIB;
  private static final long DESCRIPTOR_SLACK = 4;

  /** Beyond the heap: stacks and code as well, and freed memory that the C library keeps. */
  private static final long RESIDENT_SLACK = 48L * MIB;

  /** The JVM grows as well, now and then, by compiled code; a leak grows each time. */
  private static final int MAX_RUNS = 3;

  private PlainOrigin plain;

  /** The memory of the process. */
  private record Usage(long heap, long direct, long resident, long descriptors) {
    static Usage now() throws IOException {
      System.gc();
      System.gc();
      MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
      long direct =
          PooledByteBufAllocator.DEFAULT.metric().directArenas().stream()
              .mapToLong(Usage::allocatedBytes)
              .sum();
      long descriptors =
          ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
              .getOpenFileDescriptorCount();
      long resident = residentBytes() - heap.getCommitted();
      return new Usage(heap.getUsed(), direct, resident, descriptors);
    }

    /** Without the free part of its chunks: a chunk in use counts with all its 4 MiB. */
    private static long allocatedBytes(PoolArenaMetric arena) {
      long free =
          arena.chunkLists().stream()
              .flatMap(chunks -> StreamSupport.stream(chunks.spliterator(), false))
              .mapToLong(PoolChunkMetric::freeBytes)
              .sum();
      return arena.numActiveBytes() - free;
    }

    private static long residentBytes() throws IOException {
      try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
        return lines
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
            .sum();
      }
    }
  }

  /** The action of {@code count} clients, all still connected when it returns. */
  private interface Attack {
    List<RawClient> by(int count) throws Exception;
  }

  @Override
  int eventLoops() {
    return 2;
  }

  @BeforeEach
  void startPlainOrigin() throws Exception {
    plain = closing(new PlainOrigin());
    startProxy("cache_mem 8 MB", "server_persistent_connections off");
  }

  @AfterEach
  void nothingIsOnItsWay() {
    awaitCount(proxy::transitBytes, 0);
  }

  private static int sized(int full, int inBuilds) {
    return FULL ? full : inBuilds;
  }

  /** Runs {@code attack} once small, to have everything loaded, and once in its size. */
  private void withstands(int count, Attack attack) throws Exception {
    // in full size twice: a single growth does not repeat
    withstands(sized(count, 5), count, attack);
  }

  private void withstands(int first, int count, Attack attack) throws Exception {
    run(first, attack);
    Usage was = Usage.now();
    long heap = HEAP_SLACK;
    long resident = RESIDENT_SLACK;
    // the JVM's own memory, too, may grow once; a leak grows each time
    for (int runs = 0;
        (heap >= HEAP_SLACK || resident >= RESIDENT_SLACK) && runs < MAX_RUNS;
        runs++) {
      run(count, attack);
      Usage is = Usage.now();
      assertThat(is.direct() - was.direct()).as("direct").isLessThan(DIRECT_SLACK);
      assertThat(is.descriptors() - was.descriptors())
          .as("descriptors")
          .isLessThanOrEqualTo(DESCRIPTOR_SLACK);
      heap = is.heap() - was.heap();
      resident = is.resident() - was.resident();
      was = is;
    }
    assertThat(heap).as("heap").isLessThan(HEAP_SLACK);
    assertThat(resident).as("resident").isLessThan(RESIDENT_SLACK);
  }

  /** A method of its own, so that the attackers are garbage after it. */
  private void run(int count, Attack attack) throws Exception {
    List<RawClient> attackers = attack.by(count);
    servesOthers();
    end(attackers);
  }

  /** Hits and misses for a client that did nothing wrong. */
  private void servesOthers() throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      for (int i = 0; i < ANSWERS; i++) {
        assertWhole(client.get(plain.url("/1000/hit")).response(), 1_000);
        assertWhole(client.get(plain.url("/1000/no-store")).response(), 1_000);
      }
      assertWhole(client.get(plain.url("/1000000/no-store")).response(), 1_000_000);
    }
  }

  private static void assertWhole(WireMessage answer, int bytes) {
    assertThat(answer.status()).as(answer::toString).isEqualTo(200);
    assertThat(answer.body()).hasSize(bytes);
  }

  /** All go, with a reset, and the proxy has seen it. */
  private void end(List<RawClient> attackers) throws IOException {
    for (RawClient attacker : attackers) {
      attacker.reset();
    }
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_OPEN), 0);
    awaitCount(proxy::transitBytes, 0);
    awaitCount(plain::connections, 0);
  }

  private RawClient attacker() throws IOException {
    return RawClient.connect(proxy.port(), 8_192);
  }

  @Test
  void idleConnections() throws Exception {
    withstands(
        sized(5_000, 200),
        count -> {
          List<RawClient> idle = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            RawClient client = RawClient.connect(proxy.port());
            idle.add(client);
            if (i % 2 == 0) {
              assertWhole(client.get(plain.url("/1000/hit")).response(), 1_000);
            }
          }
          return idle;
        });
  }

  @Test
  void headsThatDoNotEnd() throws Exception {
    byte[] most = ("GET http://x/ HTTP/1.1\r\nA: " + "x".repeat(60_000)).getBytes(ISO_8859_1);
    withstands(
        sized(2_000, 300),
        count -> {
          List<RawClient> bombs = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            RawClient client = attacker();
            bombs.add(client.send(most));
            if (i % 2 == 0) {
              client.sendIgnoringReset(most);
              assertThat(client.response().status()).isEqualTo(431);
            }
          }
          return bombs;
        });
  }

  @Test
  void headsOfManyFields() throws Exception {
    String bomb = "GET http://x/ HTTP/1.1\r\n" + "A: x\r\n".repeat(10_000) + "\r\n";
    withstands(
        sized(5_000, 200),
        count -> {
          List<RawClient> bombs = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            RawClient client = attacker();
            client.sendIgnoringReset(bomb.getBytes(ISO_8859_1));
            assertThat(client.response().status()).isEqualTo(431);
            bombs.add(client);
          }
          return bombs;
        });
  }

  @Test
  void chunkExtensions() throws Exception {
    String bomb = ("1;" + "e".repeat(4_000) + "\r\nx\r\n").repeat(20);
    withstands(
        sized(5_000, 50),
        count -> {
          List<RawClient> bombs = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            RawClient client = attacker();
            client.send(
                RawClient.head("POST", plain.url("/10/no-store"), "Transfer-Encoding: chunked"));
            client.sendIgnoringReset(bomb.getBytes(ISO_8859_1));
            bombs.add(client);
          }
          return bombs;
        });
  }

  @Test
  void aStormOfDistinctUrls() throws Exception {
    int[] round = {0};
    int urls = sized(20_000, 150);
    // stored responses are no leak: the cache is as full before as after
    withstands(
        urls,
        urls,
        count -> {
          List<RawClient> askers = new ArrayList<>();
          for (int i = 0; i < 10; i++) {
            askers.add(RawClient.connect(proxy.port()));
          }
          // each round fills cache_mem anew
          round[0]++;
          for (int url = 0; url < count; url++) {
            for (int i = 0; i < askers.size(); i++) {
              String path = "/8000/" + round[0] + "/" + i + "/" + url;
              askers.get(i).get(plain.url(path));
            }
            for (RawClient asker : askers) {
              assertWhole(asker.response(), 8_000);
            }
          }
          return askers;
        });
  }

  @Test
  void abortsInMidTransfer() throws Exception {
    withstands(
        sized(1_000, 150),
        count -> {
          for (int i = 0; i < count; i++) {
            String kind = i % 2 == 0 ? "/no-store" : "/" + i;
            RawClient client = attacker().get(plain.url("/" + 8 * MIB + kind));
            client.readContent(client.responseHead(), 1_000);
            client.reset();
          }
          return List.of();
        });
  }

  @Test
  void readersThatStall() throws Exception {
    int size = sized(64, 16) * MIB;
    withstands(
        20,
        count -> {
          List<RawClient> stalled = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            RawClient client = attacker().get(plain.url("/" + size + "/no-store/" + i));
            client.responseHead();
            stalled.add(client);
          }
          return stalled;
        });
  }
}
