package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.admin.Reloaded;
import io.loligo.store.disk.DiskStats;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** Directories that a reload adds, removes and changes while clients are served. */
class CacheDirReloadWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  /** Every hit is from a disk. */
  private static final String NO_MEMORY = "cache_mem 0 MB";

  private static final String PURGE = "acl purge method PURGE";
  private static final int LARGE = 3_000_000;

  @Override
  int eventLoops() {
    return 2;
  }

  private Path folder(String name) {
    return dir.resolve(name);
  }

  private String line(String name, int megabytes, String... options) {
    return ("cache_dir rock " + folder(name) + " " + megabytes + " " + String.join(" ", options))
        .trim();
  }

  private void start(String... lines) throws Exception {
    startProxy(all(lines));
    opened();
  }

  private static String[] all(String... lines) {
    String[] all = List.of(lines).toArray(new String[lines.length + 3]);
    all[lines.length] = NO_MEMORY;
    all[lines.length + 1] = PURGE;
    all[lines.length + 2] = "maximum_object_size 64 MB";
    return all;
  }

  private void opened() throws Exception {
    proxy.diskOpened().get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private Reloaded reload(String... lines) throws Exception {
    Reloaded reloaded = proxy.reload(configuration(all(lines)));
    assertThat(reloaded.done()).as("%s", reloaded.lines()).isTrue();
    assertThat(reloaded.later()).isEmpty();
    opened();
    return reloaded;
  }

  /** Has a response stored. */
  private void store(String path, String body) throws IOException {
    origin.onOk(path, body, FRESH);
    assertThat(get(path).text()).isEqualTo(body);
    awaitCount(() -> proxy.fetches(), 0);
  }

  private void assertStored(String path, String body) throws IOException {
    long fetches = origin.fetches(path);
    WireMessage hit = get(path);
    assertHit(hit);
    assertThat(hit.text()).isEqualTo(body);
    assertThat(origin.fetches(path)).isEqualTo(fetches);
  }

  private static String bytes(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return new String(bytes, ISO_8859_1);
  }

  private String metrics() throws IOException {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      return admin
          .send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          .response()
          .text();
    }
  }

  @Test
  void anAddedDirectoryStoresFromThenOn() throws Exception {
    start();
    store("/a", "x");
    assertForwarded(get("/a"), "uri-miss");
    assertThat(metrics()).doesNotContain("loligo_disk_capacity_bytes{");
    assertThat(reload(line("one", 32)).lines())
        .singleElement()
        .asString()
        .startsWith("+ cache_dir rock ");
    store("/a", "x");
    assertStored("/a", "x");
    assertThat(metrics()).contains("loligo_disk_capacity_bytes{path=\"" + folder("one") + "\"}");
    assertThat(
            ManagementFactory.getPlatformMBeanServer()
                .isRegistered(
                    new ObjectName(
                        "io.loligo:type=CacheDir,path="
                            + ObjectName.quote(folder("one").toString()))))
        .isTrue();
  }

  @Test
  void aRemovedDirectoryIsClosedAndItsHitsBecomeMisses() throws Exception {
    start(line("one", 32));
    store("/a", "x");
    reload();
    assertThat(proxy.diskStats()).isEmpty();
    assertForwarded(get("/a"), "uri-miss");
    assertThat(metrics()).doesNotContain(folder("one").toString());
    assertNobodyHas("one");
    reload(line("one", 32));
    assertStored("/a", "x");
  }

  private void assertNobodyHas(String name) throws IOException {
    try (FileChannel lock =
            FileChannel.open(folder(name).resolve("LOCK"), StandardOpenOption.WRITE);
        FileLock own = lock.tryLock()) {
      assertThat(own).isNotNull();
    }
  }

  @Test
  void aRemovalWhileADirectoryWasAwayEmptiesItWhenItReturns() throws Exception {
    start(line("one", 32));
    store("/a", "x");
    store("/b", "x");
    reload();
    assertThat(exchange("PURGE", "/b").status()).isIn(200, 404);
    reload(line("one", 32));
    assertForwarded(get("/a"), "uri-miss");
    assertForwarded(get("/b"), "uri-miss");
  }

  @Test
  void aRemovalIsHeardByTheDirectoriesInUseAndRecordedForTheOthers() throws Exception {
    start(line("one", 32), line("two", 32));
    for (int i = 0; i < 20; i++) {
      store("/" + i, "x" + i);
    }
    reload(line("two", 32));
    for (int i = 0; i < 20; i++) {
      assertThat(exchange("PURGE", "/" + i).status()).isIn(200, 404);
    }
    reload(line("one", 32), line("two", 32));
    for (int i = 0; i < 20; i++) {
      assertForwarded(get("/" + i), "uri-miss");
    }
  }

  @Test
  void aLargerDirectoryKeepsItsContent() throws Exception {
    start(line("one", 32));
    String large = bytes(LARGE);
    store("/a", "x");
    store("/large", large);
    reload(line("one", 96));
    assertThat(proxy.diskStats()).extracting(DiskStats::capacityBytes).containsExactly(96L << 20);
    assertStored("/a", "x");
    assertStored("/large", large);
    store("/b", "y");
    proxy.close();
    start(line("one", 96));
    assertStored("/a", "x");
    assertStored("/b", "y");
    assertStored("/large", large);
    proxy.close();
    start(line("one", 700)); // with larger segments if it began empty
    assertStored("/large", large);
  }

  @Test
  void aSmallerDirectoryBeginsEmpty() throws Exception {
    start(line("one", 64));
    store("/a", "x");
    reload(line("one", 32));
    assertThat(proxy.diskStats()).extracting(DiskStats::capacityBytes).containsExactly(32L << 20);
    store("/a", "x");
    assertStored("/a", "x");
    try (var files = Files.list(folder("one"))) {
      assertThat(files.mapToLong(file -> file.toFile().length()).sum())
          .isLessThanOrEqualTo(32L << 20);
    }
  }

  @Test
  void optionsHoldAtOnce() throws Exception {
    start(line("one", 32));
    reload(line("one", 32, "max-size=10"));
    store("/a", "x".repeat(20));
    assertForwarded(get("/a"), "uri-miss");
    store("/b", "x");
    assertStored("/b", "x");
    reload(line("one", 32, "no-store"));
    assertStored("/b", "x");
    store("/c", "x");
    assertForwarded(get("/c"), "uri-miss");
    assertThat(proxy.diskStats())
        .extracting(DiskStats::state)
        .containsExactly(DiskStats.State.READ_ONLY);
    reload(line("one", 32));
    store("/c", "x");
    assertStored("/c", "x");
  }

  @Test
  void theThreadsOfADirectoryChangeAndItsContentStays() throws Exception {
    start(line("one", 32));
    store("/a", "x");
    reload(line("one", 32), "loligo_disk_threads 2", "loligo_cache_dir_second_request on");
    assertStored("/a", "x");
    store("/b", "x");
    assertForwarded(get("/b"), "uri-miss");
    awaitCount(() -> proxy.fetches(), 0);
    assertStored("/b", "x");
  }

  @Test
  void aFolderThatCannotBeHadChangesNothing() throws Exception {
    start(line("one", 32));
    store("/a", "x");
    Files.writeString(folder("file"), "");
    Reloaded refused =
        proxy.reload(configuration(all(line("two", 32), line("file", 32), "via off")));
    assertThat(refused.done()).isFalse();
    assertThat(refused.lines()).singleElement().asString().contains("/file", "directory");
    assertThat(proxy.diskStats()).hasSize(1);
    assertStored("/a", "x");
    assertThat(get("/a").field("Via")).isNotNull();
    reload(line("one", 32), line("two", 32));
    assertThat(proxy.diskStats()).hasSize(2);
  }

  /** As a disk that was unmounted: the other lines of the file hold, and nothing is made there. */
  @Test
  void aDirectoryThatHasFailedDoesNotPreventAReload() throws Exception {
    start(line("one", 32), line("two", 32));
    Files.move(folder("one"), folder("away"));
    reload(line("one", 32), line("two", 32), "via off");
    assertThat(folder("one")).doesNotExist();
    reload(line("two", 32));
    assertThat(proxy.diskStats()).hasSize(1);
    store("/a", "x");
    assertStored("/a", "x");
  }

  /** The port fails after the folder was claimed. */
  @Test
  void aPortThatCannotBeHadReleasesTheFolder() throws Exception {
    start(line("one", 32));
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Reloaded refused =
          proxy.reload(
              configuration(all(line("two", 32), "http_port 127.0.0.1:" + taken.getLocalPort())));
      assertThat(refused.done()).isFalse();
    }
    assertThat(proxy.diskStats()).hasSize(1);
    assertNobodyHas("two");
  }

  /** A folder in the place where its disk was mounted would be on another disk. */
  @Test
  void aFolderThatIsGoneIsNotMadeAgain() throws Exception {
    start(line("one", 32));
    store("/a", "x");
    Files.move(folder("one"), folder("away"));
    reload(line("one", 32), "loligo_disk_threads 5");
    assertThat(folder("one")).doesNotExist();
    Reloaded refused = proxy.reload(configuration(all(line("one", 64))));
    assertThat(refused.done()).isFalse();
    assertThat(refused.lines()).singleElement().asString().contains("its disk is away");
    assertThat(folder("one")).doesNotExist();
    Files.move(folder("away"), folder("one"));
    reload(line("one", 32), "loligo_disk_threads 6");
    assertStored("/a", "x");
  }

  /** The client takes half of a hit, then the directory is removed, then it takes the rest. */
  @Test
  void aResponseThatIsBeingReadEndsBeforeTheDirectoryIsClosed() throws Exception {
    start(line("one", 64));
    String body = bytes(12_000_000);
    store("/large", body);
    RawClient client = client().get(origin.url("/large"));
    String head = client.responseHead();
    CompletableFuture<Reloaded> removed =
        CompletableFuture.supplyAsync(() -> proxy.reload(configuration(all())));
    Waiting.until("it is no longer in use", () -> proxy.diskStats().isEmpty());
    assertForwarded(get("/large"), "uri-miss");
    assertThat(removed).isNotDone();
    assertThat(client.bodyBehind(head).text()).isEqualTo(body);
    assertThat(removed.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS).done()).isTrue();
    assertNobodyHas("one");
  }

  /** It arrives in the directory, and is there when the directory returns. */
  @Test
  void aResponseThatIsBeingWrittenEndsBeforeTheDirectoryIsClosed() throws Exception {
    start(line("one", 64));
    CountDownLatch half = new CountDownLatch(1);
    String body = bytes(LARGE);
    origin.on(
        "/large",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n" + FRESH + "\r\n\r\n");
          call.send(body.substring(0, LARGE / 2));
          await(half);
          call.send(body.substring(LARGE / 2));
        });
    RawClient client = client().get(origin.url("/large"));
    String head = client.responseHead();
    CompletableFuture<Reloaded> removed =
        CompletableFuture.supplyAsync(() -> proxy.reload(configuration(all())));
    Waiting.until("it is no longer in use", () -> proxy.diskStats().isEmpty());
    half.countDown();
    assertThat(client.bodyBehind(head).text()).isEqualTo(body);
    assertThat(removed.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS).done()).isTrue();
    reload(line("one", 64));
    assertStored("/large", body);
  }
}
