package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A {@code cache_dir} of a proxy in a process of its own. */
class CacheDirProcessWireTest extends WireTest {
  private static final int SMALL = 100;
  private static final int LARGE = 4;
  private static final int LARGE_BYTES = 600_000;
  private static final String FRESH = "Cache-Control: max-age=1000";

  private int port;

  private Path cache() {
    return dir.resolve("cache");
  }

  private ProxyProcess start() throws Exception {
    port = ProxyProcess.freePort();
    String text =
        configuration(
            "http_port 127.0.0.1:" + port,
            "cache_dir rock " + cache() + " 16 swap-timeout=60000",
            "shutdown_lifetime 1 second",
            "loligo_cache_dir_wait 60 seconds");
    Path conf = Files.writeString(dir.resolve("loligo.conf"), text);
    return closing(ProxyProcess.loligo(dir, "run", "-f", conf.toString())).awaitPort(port);
  }

  private static List<String> paths() {
    return Stream.concat(
            IntStream.range(0, SMALL).mapToObj(i -> "/small/" + i),
            IntStream.range(0, LARGE).mapToObj(i -> "/large/" + i))
        .toList();
  }

  /** It begins with its path, by which it is found in the slabs. */
  private static String body(String path) {
    String marker = "<" + path + ">";
    return path.startsWith("/small") ? marker : marker + "0123456789".repeat(LARGE_BYTES / 10);
  }

  private WireMessage fetch(String path) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      return client.get(origin.url(path)).response();
    }
  }

  private void fill() throws IOException {
    for (String path : paths()) {
      origin.onOk(path, body(path), FRESH);
      assertThat(fetch(path).text()).isEqualTo(body(path));
    }
  }

  /** Waits until the slabs have the first block of every response. */
  private void awaitSlabs() throws IOException {
    awaitSlabs(paths());
  }

  private void awaitSlabs(List<String> stored) throws IOException {
    long guard = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    String slabs = "";
    for (String path : stored) {
      String marker = "<" + path + ">";
      while (!slabs.contains(marker)) {
        assertThat(System.nanoTime() - guard).as("%s is in the slabs", path).isNegative();
        slabs = Files.readString(cache().resolve("slabs"), ISO_8859_1);
      }
    }
  }

  private void assertAllFromDisk() throws IOException {
    for (String path : paths()) {
      WireMessage hit = fetch(path);
      assertHit(hit);
      assertThat(hit.field("Cache-Status")).as(path).endsWith("; detail=disk");
      assertThat(hit.text()).isEqualTo(body(path));
      assertThat(origin.fetches(path)).as(path).isEqualTo(1);
    }
  }

  /** A kill may lose the buffers, which are written after two seconds. */
  @ParameterizedTest
  @ValueSource(strings = {"TERM", "KILL"})
  void everythingIsAHitAsSoonAsThePortIsOpenAgain(String signal) throws Exception {
    ProxyProcess first = start();
    fill();
    assertMapsNoFileThatIsWrittenTo(first);
    if (signal.equals("KILL")) {
      awaitSlabs();
    }
    first.signal(signal);
    assertThat(first.awaitExit() == 0).as(first.output()).isEqualTo(signal.equals("TERM"));
    ProxyProcess second = start();
    assertAllFromDisk();
    assertMapsNoFileThatIsWrittenTo(second);
  }

  /** The marker, by which its first block is found, is in it once. */
  private static String partBody() {
    return body("/large/part") + "abcdefghij".repeat(100_000);
  }

  /** Answers with a half of {@code path}, or with the range that is asked for. */
  private void serveHalf(String path, String body) {
    origin.on(
        path,
        call -> {
          String tag = "ETag: \"1\"";
          String range = call.field("Range");
          if (range != null) {
            int first = Integer.parseInt(range.replaceAll("\\D", " ").strip().split(" ", -1)[0]);
            String place = "bytes " + first + "-" + (body.length() - 1) + "/" + body.length();
            String[] lines = {FRESH, tag, "Content-Range: " + place};
            call.send(ScriptedOrigin.response("206 X", body.substring(first), lines));
            return;
          }
          String head = "HTTP/1.1 200 OK\r\n" + FRESH + "\r\n" + tag + "\r\nContent-Length: ";
          call.send(head + body.length() + "\r\n\r\n" + body.substring(0, body.length() / 2));
        });
  }

  private void assertContinued(String path, String body) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      WireMessage part = client.get(origin.url(path), "Range: bytes=10-99999").response();
      assertThat(part.status()).isEqualTo(206);
      assertThat(part.field("Cache-Status")).contains("; hit").endsWith("; detail=disk");
      assertThat(part.text()).isEqualTo(body.substring(10, 100_000));
    }
    assertThat(fetch(path).text()).isEqualTo(body);
    assertThat(origin.fetches(path)).isEqualTo(2);
    assertThat(origin.lastRequest().field("Range")).startsWith("bytes=" + body.length() / 2 + "-");
  }

  /** A client left in the middle; the process ends some time after that. */
  @ParameterizedTest
  @ValueSource(strings = {"TERM", "KILL"})
  void anAbortedDownloadIsContinuedByTheNextProcess(String signal) throws Exception {
    ProxyProcess first = start();
    String body = partBody();
    serveHalf("/large/part", body);
    try (RawClient client = RawClient.connect(port)) {
      client.get(origin.url("/large/part")).responseHead();
      assertThat(client.read(body.length() / 2)).isEqualTo(body.substring(0, body.length() / 2));
    }
    if (signal.equals("KILL")) {
      awaitSlabs(List.of("/large/part"));
    }
    first.signal(signal);
    first.awaitExit();
    start();
    assertContinued("/large/part", body);
  }

  /** The client is still there when the process is told to end. */
  @Test
  void aDownloadCutByTheEndOfAProcessIsContinuedByTheNext() throws Exception {
    ProxyProcess first = start();
    String body = partBody();
    serveHalf("/large/part", body);
    RawClient client = closing(RawClient.connect(port));
    client.get(origin.url("/large/part")).responseHead();
    assertThat(client.read(body.length() / 2)).isEqualTo(body.substring(0, body.length() / 2));
    first.signal("TERM");
    assertThat(first.awaitExit()).as(first.output()).isZero();
    start();
    assertContinued("/large/part", body);
  }

  /** A thread that waits for a page of a mapped file makes all others wait at a safepoint. */
  private static void assertMapsNoFileThatIsWrittenTo(ProxyProcess process) throws IOException {
    if (OS.LINUX.isCurrentOs()) {
      assertThat(sharedMappings(process)).as("shared mappings").isEmpty();
    }
  }

  /** Of files, except for those that the JVM itself publishes. */
  private static List<String> sharedMappings(ProxyProcess process) throws IOException {
    List<String> maps = Files.readAllLines(Path.of("/proc/" + process.process().pid() + "/maps"));
    assertThat(maps).as("mappings").isNotEmpty();
    return maps.stream()
        .filter(line -> line.matches("\\S+ .w.s .*") && line.contains("/"))
        .filter(line -> !line.contains("/hsperfdata_"))
        .toList();
  }
}
