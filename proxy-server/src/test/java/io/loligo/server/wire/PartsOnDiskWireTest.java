package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Responses too large for memory that break off, and ranges of them, beside a {@code cache_dir}.
 */
@DisplayName("RFC 9111 sections 3.3 and 3.4: parts on disk")
class PartsOnDiskWireTest extends WireTest {
  private static final Pattern RANGE = Pattern.compile("Range: bytes=(\\d+)-(\\d*)\r\n");
  private static final int LENGTH = 3_000_000;

  private final String content = content(1);
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger breaksAfter = new AtomicInteger();

  /** Ranges that the origin was asked for; "whole" without one. */
  private final List<String> asked = new CopyOnWriteArrayList<>();

  private volatile String tag = "\"1\"";
  private volatile String now = content;
  private volatile String lines = "Cache-Control: max-age=1000\r\n";
  private volatile boolean chunked;
  private volatile boolean ignoresConditions;

  private static String content(int seed) {
    byte[] bytes = new byte[LENGTH];
    new Random(seed).nextBytes(bytes);
    return new String(bytes, ISO_8859_1);
  }

  private void start(String... more) throws Exception {
    String[] all = new String[more.length + 1];
    all[0] = "cache_dir rock " + dir.resolve("cache") + " 64";
    System.arraycopy(more, 0, all, 1, more.length);
    startProxy(all);
    proxy.diskOpened().join();
    origin.on("/a", this::answer);
  }

  private void restart(String... more) throws Exception {
    proxy.close();
    start(more);
  }

  private void answer(ScriptedOrigin.Call call) throws Exception {
    String head = call.head() + "\r\n";
    Matcher range = RANGE.matcher(head);
    boolean holds = !head.contains("If-Range: ") || head.contains("If-Range: " + tag);
    boolean ranged = range.find();
    asked.add(ranged ? range.group(1) + "-" + range.group(2) : "whole");
    if (!ignoresConditions && head.contains("If-None-Match: " + tag)) {
      call.send("HTTP/1.1 304 \r\nETag: " + tag + "\r\n" + lines + "\r\n");
      return;
    }
    int first = ranged && holds ? Integer.parseInt(range.group(1)) : 0;
    boolean open = !ranged || !holds || range.group(2).isEmpty();
    int end = open ? LENGTH : Math.min(LENGTH, Integer.parseInt(range.group(2)) + 1);
    String place = "Content-Range: bytes " + first + "-" + (end - 1) + "/" + LENGTH + "\r\n";
    boolean partial = ranged && holds;
    boolean breaks = failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    String sent = now.substring(first, breaks ? first + breaksAfter.get() : end);
    call.send(
        (partial ? "HTTP/1.1 206 \r\n" + place : "HTTP/1.1 200 \r\n")
            + lines
            + "ETag: "
            + tag
            + "\r\nContent-Type: a/b\r\n");
    if (chunked && !partial) {
      call.send("Transfer-Encoding: chunked\r\n\r\n");
      call.send(Integer.toHexString(sent.length()) + "\r\n" + sent + "\r\n");
      call.send(breaks ? "" : "0\r\n\r\n");
    } else {
      call.send("Content-Length: " + (end - first) + "\r\n\r\n" + sent);
    }
    if (breaks) {
      call.close();
    }
  }

  /** The next {@code times} answers of the origin end after {@code bytes}. */
  private void breakOff(int times, int bytes) {
    failures.set(times);
    breaksAfter.set(bytes);
  }

  /** Has the origin cut the client; the bytes that the client got. */
  private String cut(String... fieldLines) throws Exception {
    try (RawClient client = client().get(origin.url("/a"), fieldLines)) {
      client.responseHead();
      return client.untilClose();
    }
  }

  /** Without all of both in the message. */
  private static void assertSame(String got, String expected) {
    assertThat(got.length()).isEqualTo(expected.length());
    assertThat(got.equals(expected)).as("the right bytes").isTrue();
  }

  private void storePart() throws Exception {
    breakOff(1, 1_000_000);
    assertSame(cut(), content.substring(0, 1_000_000));
  }

  private WireMessage range(int first, int last) throws Exception {
    WireMessage part = get("/a", "Range: bytes=" + first + "-" + last);
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.field("Content-Range")).isEqualTo("bytes " + first + "-" + last + "/" + LENGTH);
    assertThat(part.text().equals(now.substring(first, last + 1))).as("the right bytes").isTrue();
    return part;
  }

  private WireMessage whole(String... fieldLines) throws Exception {
    WireMessage whole = get("/a", fieldLines);
    assertThat(whole.status()).isEqualTo(200);
    assertThat(whole.text().equals(now)).as("the right bytes").isTrue();
    return whole;
  }

  /** Waits until all that arrived is on disk: until then requests read along. */
  private void awaitDisk() {
    awaitCount(proxy::fetches, 0);
  }

  private static void assertFromDisk(WireMessage answer) {
    assertThat(answer.field("Cache-Status")).contains("; hit").endsWith("; detail=disk");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cache_mem 32 MB", "cache_mem 0 MB"})
  void anInterruptedDownloadIsContinued(String memory) throws Exception {
    start(memory);
    storePart();
    WireMessage rest = whole();
    assertForwarded(rest, "partial");
    assertThat(origin.lastRequest().field("If-Range")).isEqualTo("\"1\"");
    assertThat(asked).containsExactly("whole", "1000000-2999999");
    awaitDisk();
    assertFromDisk(whole());
    restart(memory);
    awaitDisk();
    assertFromDisk(whole());
    assertThat(asked).hasSize(2);
  }

  @Test
  void aPartSurvivesARestart() throws Exception {
    start();
    storePart();
    restart();
    assertFromDisk(range(400_000, 999_999));
    whole();
    assertThat(asked).containsExactly("whole", "1000000-2999999");
  }

  @Test
  void aPartIsContinuedByARangeThatBeginsAtItsEnd() throws Exception {
    start();
    storePart();
    range(1_000_000, LENGTH - 1);
    assertThat(asked).containsExactly("whole", "1000000-2999999");
    awaitDisk();
    assertFromDisk(whole()); // from two parts
    restart();
    awaitDisk();
    assertFromDisk(whole());
    assertFromDisk(range(900_000, 1_100_000));
    assertThat(asked).hasSize(2);
  }

  @Test
  void aSmallResponseThatBrokeOffIsContinuedAfterARestart() throws Exception {
    start();
    breakOff(1, 1000);
    cut("Range: bytes=0-9999");
    restart();
    range(0, 9999);
    assertThat(asked).containsExactly("0-9999", "1000-9999");
  }

  @Test
  void anAbortedDownloadIsContinued() throws Exception {
    start("quick_abort_min 0 KB", "quick_abort_max 0 KB");
    CountDownLatch gone = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          asked.add("whole");
          call.send(
              "HTTP/1.1 200 \r\n"
                  + lines
                  + "ETag: \"1\"\r\nContent-Length: "
                  + LENGTH
                  + "\r\n\r\n");
          call.send(content.substring(0, 2_000_000));
          await(gone);
          call.close();
        });
    try (RawClient client = client().get(origin.url("/a"))) {
      client.responseHead();
      assertSame(client.read(2_000_000), content.substring(0, 2_000_000));
    }
    awaitDisk();
    gone.countDown();
    origin.on("/a", this::answer);
    range(2_000_000, LENGTH - 1);
    whole();
    assertThat(asked).containsExactly("whole", "2000000-2999999");
  }

  @Test
  void aContinuationThatBreaksOffIsContinuedAgain() throws Exception {
    start();
    storePart();
    breakOff(1, 700_000);
    assertSame(cut(), content.substring(0, 1_700_000));
    whole();
    assertThat(asked).containsExactly("whole", "1000000-2999999", "1700000-2999999");
  }

  @Test
  void ofUnknownLengthTheOriginTellsIt() throws Exception {
    start();
    chunked = true;
    breakOff(1, 1_000_000);
    cut();
    whole();
    assertThat(asked).containsExactly("whole", "1000000-");
    awaitDisk();
    assertFromDisk(whole());
  }

  @Test
  void onlyTheGapBetweenPartsIsFetched() throws Exception {
    start();
    range(0, 999_999);
    range(2_000_000, 2_499_999);
    assertForwarded(range(500_000, 2_200_000), "partial");
    assertThat(asked).containsExactly("0-999999", "2000000-2499999", "1000000-1999999");
    restart();
    assertFromDisk(range(0, 2_499_999));
    assertThat(asked).hasSize(3);
    whole();
    assertThat(asked).hasSize(4).endsWith("2500000-2999999");
    awaitDisk();
    assertFromDisk(whole());
  }

  @Test
  void severalGapsAreFetchedInTurn() throws Exception {
    start();
    range(100_000, 999_999);
    range(1_500_000, 1_999_999);
    whole();
    assertThat(asked.subList(2, asked.size()))
        .containsExactly("0-99999", "1000000-1499999", "2000000-2999999");
    awaitDisk();
    assertFromDisk(whole());
  }

  @Test
  void manyPartsOfAUrlAreBounded() throws Exception {
    start();
    for (int i = 0; i < 20; i++) {
      range(i * 100_000, i * 100_000 + 9);
    }
    awaitDisk();
    awaitCount(() -> proxy.diskStats().get(0).queuedBytes(), 0); // small parts are written later
    awaitCount(() -> proxy.diskStats().get(0).objects(), 16);
    assertFromDisk(range(1_900_000, 1_900_009));
    whole();
    awaitCount(() -> proxy.diskStats().get(0).objects(), 1);
  }

  @Test
  void headAndConditionsAndOnlyIfCachedGetNoPart() throws Exception {
    start();
    storePart();
    assertThat(get("/a", "Cache-Control: only-if-cached").status()).isEqualTo(504);
    WireMessage head = exchange("HEAD", "/a");
    assertThat(head.field("Cache-Status")).doesNotContain("hit");
    assertThat(get("/a", "If-None-Match: \"2\"").status()).isEqualTo(200);
    assertThat(asked).hasSize(3);
  }

  @Test
  void onlyIfCachedGetsARangeThatIsThere() throws Exception {
    start();
    storePart();
    awaitDisk();
    awaitCount(() -> proxy.diskStats().get(0).objects(), 1);
    WireMessage part = get("/a", "Cache-Control: only-if-cached", "Range: bytes=0-9");
    assertThat(part.status()).isEqualTo(206);
    assertThat(get("/a", "Cache-Control: only-if-cached", "Range: bytes=999999-1000000").status())
        .isEqualTo(504);
  }

  @Test
  void nothingOfAPartComesBackAfterAPurge() throws Exception {
    start("acl purge method PURGE");
    storePart();
    range(2_000_000, 2_000_009);
    assertThat(exchange("PURGE", "/a").status()).isEqualTo(200);
    range(0, 9);
    restart("acl purge method PURGE");
    range(2_000_000, 2_000_009);
    assertThat(asked).hasSize(4);
  }

  @Test
  void aPartOfWhatTheOriginHasNoMoreIsDropped() throws Exception {
    start();
    storePart();
    tag = "\"2\"";
    now = content(2);
    whole();
    assertThat(asked).containsExactly("whole", "1000000-2999999");
    awaitDisk();
    assertFromDisk(whole());
    assertFromDisk(range(0, 999_999));
    assertThat(proxy.diskStats().get(0).objects()).isEqualTo(1);
  }

  @Test
  void aPartOfAnotherRepresentationIsJoinedWithNothing() throws Exception {
    start();
    range(0, 999_999);
    tag = "\"2\"";
    now = content(2);
    range(2_000_000, 2_999_999);
    range(500_000, 2_499_999);
    assertThat(asked.get(2)).isEqualTo("500000-1999999");
  }

  @Test
  void aStalePartIsValidatedWithTheRest() throws Exception {
    start();
    lines = "Cache-Control: max-age=0\r\n";
    storePart();
    lines = "Cache-Control: max-age=1000\r\n";
    whole();
    assertThat(asked).containsExactly("whole", "1000000-2999999");
    awaitDisk();
    assertFromDisk(whole());
  }

  @Test
  void staleJoinedPartsAreValidatedOnce() throws Exception {
    start();
    lines = "Cache-Control: max-age=0\r\n";
    storePart();
    range(1_000_000, LENGTH - 1);
    lines = "Cache-Control: max-age=1000\r\n";
    WireMessage confirmed = whole();
    assertThat(confirmed.field("Cache-Status")).contains("fwd=stale");
    assertThat(origin.lastRequest().field("If-None-Match")).isEqualTo("\"1\"");
    awaitCount(() -> proxy.diskStats().get(0).queuedBytes(), 0);
    awaitDisk();
    assertFromDisk(whole());
    assertThat(asked).hasSize(3);
  }

  @Test
  void aPartNeverHidesTheWhole() throws Exception {
    start();
    whole();
    awaitDisk();
    ignoresConditions = true;
    breakOff(1, 1_000_000);
    assertSame(cut("Cache-Control: no-cache"), content.substring(0, 1_000_000));
    awaitDisk();
    assertFromDisk(whole());
    restart();
    assertFromDisk(whole());
    assertFromDisk(range(0, 9));
    assertThat(asked).containsExactly("whole", "whole");
  }

  @Test
  void aClientThatLeavesEarlyLeavesThePartAsItWas() throws Exception {
    start("quick_abort_min 0 KB", "quick_abort_max 0 KB");
    storePart();
    CountDownLatch gone = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          call.send("HTTP/1.1 206 \r\n" + lines + "ETag: \"1\"\r\nContent-Length: 2000000\r\n");
          call.send("Content-Range: bytes 1000000-2999999/3000000\r\n\r\n");
          await(gone);
          call.close();
        });
    try (RawClient client = client().get(origin.url("/a"))) {
      client.responseHead();
      assertSame(client.read(1000), content.substring(0, 1000));
    }
    awaitDisk();
    gone.countDown();
    assertFromDisk(range(0, 999_999));
  }

  @Test
  void aPartOfAVariantIsStoredBesideAnother() throws Exception {
    start();
    lines = "Cache-Control: max-age=1000\r\nVary: Accept-Language\r\n";
    whole("Accept-Language: en");
    tag = "\"de\"";
    breakOff(1, 1_000_000);
    cut("Accept-Language: de");
    awaitDisk();
    assertFromDisk(whole("Accept-Language: en"));
    restart();
    awaitDisk();
    assertFromDisk(whole("Accept-Language: en"));
    whole("Accept-Language: de");
    assertThat(asked).containsExactly("whole", "whole", "1000000-2999999");
    awaitDisk();
    assertFromDisk(whole("Accept-Language: de"));
    awaitDisk();
    assertFromDisk(whole("Accept-Language: en"));
  }

  @Test
  void damagedContentOfAPartIsFetchedAgain() throws Exception {
    start();
    storePart();
    proxy.close();
    damage(content.substring(500_000, 500_016));
    start();
    whole();
    assertThat(asked).hasSize(3).contains("1000000-2999999");
    assertThat(asked.get(2)).endsWith("-2999999");
    assertThat(Integer.parseInt(asked.get(2).replaceAll("-.*", ""))).isBetween(1, 500_000);
    awaitDisk();
    assertFromDisk(whole());
  }

  /** Flips a byte of the content that begins with {@code marker}. */
  private void damage(String marker) throws Exception {
    Path slabs = dir.resolve("cache").resolve("slabs");
    int at = Files.readString(slabs, ISO_8859_1).indexOf(marker);
    assertThat(at).isPositive();
    try (RandomAccessFile file = new RandomAccessFile(slabs.toFile(), "rw")) {
      file.seek(at);
      file.write(("" + (char) (marker.charAt(0) ^ 1)).getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  @Test
  void theRestOfARangeOfSeveralPartsThatChangedMeanwhileIsCut() throws Exception {
    start();
    range(100_000, 999_999);
    range(1_500_000, 1_999_999);
    origin.on(
        "/a",
        call -> {
          answer(call);
          tag = "\"2\""; // behind the first gap
        });
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    assertSame(client.untilClose(), content.substring(0, 1_000_000));
  }

  @Test
  void logsWhereAnAnswerCameFrom() throws Exception {
    start();
    storePart();
    range(0, 9);
    whole();
    List<String> log = stopAndReadLog();
    assertThat(log.get(0)).contains(" TCP_MISS");
    assertThat(log.get(1)).contains(" TCP_HIT/206 ");
    assertThat(log.get(2)).contains(" TCP_MISS/200 ");
  }
}
