package io.loligo.server.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.exchange.ExchangeFixture.Outcome;
import io.loligo.server.explain.Question;
import io.loligo.server.upstream.OutgoingRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests ranges of changing content from origins that ignore some ranges and conditions, break
 * off and forget. Every byte that a client gets must belong to the representation that the head
 * names.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartialContentOracleTest {
  private static final int REQUESTS = 2000;
  private static final int URLS = 8;
  private static final Pattern RANGE = Pattern.compile("Range: bytes=(\\d*)-(\\d*)\r\n");

  private final int[] versions = new int[URLS];
  private int joined;
  private int broken;
  private Random random;

  private boolean in(int of) {
    return random.nextInt(of) == 0;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void everyByteBelongsToTheNamedRepresentation(long seed) {
    random = new Random(seed);
    Arrays.fill(versions, 0);
    try (ExchangeFixture bench =
        new ExchangeFixture("range_offset_limit " + seed % 3 * 1000 + " bytes")) {
      bench.answers = this::answer;
      for (int i = 0; i < REQUESTS; i++) {
        bench.nowMillis += random.nextInt(3000);
        int url = random.nextInt(URLS);
        versions[url] += in(20) ? 1 : 0;
        Question question = question(url);
        Outcome outcome = bench.send(question);
        try {
          compare(question, url, outcome);
        } catch (AssertionError e) {
          throw new AssertionError("seed " + seed + ", request " + i + ": " + question, e);
        }
      }
    }
  }

  @AfterAll
  void metEveryRareCase() {
    assertThat(joined).as("answers from two parts").isGreaterThan(20);
    assertThat(broken).as("answers that broke off").isGreaterThan(20);
  }

  /** The content of a version. Neighbouring bytes and versions differ. */
  private static byte[] content(int url, int version) {
    int length = 10 + (url * 37_813 + version * 7919) % 200_000;
    byte[] content = new byte[length];
    new Random(url * 1000L + version).nextBytes(content);
    return content;
  }

  private Question question(int url) {
    int length = content(url, versions[url]).length;
    List<String> lines = new ArrayList<>();
    if (!in(4)) {
      int first = random.nextInt(in(3) ? 20 : length);
      switch (random.nextInt(5)) {
        case 0 -> lines.add("Range: bytes=" + first + "-");
        case 1 -> lines.add("Range: bytes=-" + (1 + first));
        case 2 -> lines.add("Range: bytes=0-" + first);
        case 3 -> lines.add("Range: bytes=" + first + "-" + first + "," + (first + 2) + "-");
        default -> lines.add("Range: bytes=" + first + "-" + (first + random.nextInt(length)));
      }
    }
    if (in(6)) {
      lines.add("If-Range: " + tag(url, versions[url] - random.nextInt(2)));
    }
    if (in(8)) {
      lines.add("If-None-Match: " + tag(url, versions[url] - random.nextInt(2)));
    }
    if (in(8)) {
      lines.add("Cache-Control: " + (in(2) ? "no-cache" : "no-store"));
    }
    String method = in(12) ? "HEAD" : "GET";
    return new Question("http://h.test/" + url, method, lines, "", null, null);
  }

  private static String tag(int url, int version) {
    return "\"" + url + "." + version + '"';
  }

  private String answer(OutgoingRequest request) {
    String asked = new String(request.fieldLines(), ISO_8859_1);
    int url = request.path()[1] - '0';
    String tag = tag(url, versions[url]);
    byte[] whole = content(url, versions[url]);
    if (asked.contains("If-None-Match:") && asked.contains(tag) && !asked.contains("If-Range")) {
      return "HTTP/1.1 304 \r\nETag: " + tag + "\r\n\r\n";
    }
    boolean holds = !asked.contains("If-Range:") || asked.contains("If-Range: " + tag) || in(4);
    Matcher range = RANGE.matcher(asked);
    String lines = "Content-Type: a/b\r\nX-Version: " + versions[url];
    lines += "\r\nCache-Control: max-age=";
    lines = (in(6) ? "" : "ETag: " + tag + "\r\n") + lines;
    lines += (in(3) ? 1 : 1000) + "\r\n";
    if (range.find() && holds && !in(6) && request.method().equals("GET")) {
      boolean suffix = range.group(1).isEmpty();
      int first = suffix ? whole.length - Integer.parseInt(range.group(2)) : number(range.group(1));
      boolean open = suffix || range.group(2).isEmpty();
      int last = open ? whole.length - 1 : number(range.group(2));
      return part(whole, Math.max(0, first), Math.min(last, whole.length - 1), lines);
    }
    return broken("HTTP/1.1 200 \r\n" + lines, whole);
  }

  private static int number(String digits) {
    return Integer.parseInt(digits);
  }

  private String part(byte[] whole, int first, int last, String lines) {
    if (first >= whole.length) {
      return "HTTP/1.1 416 \r\nContent-Length: 0\r\n\r\n";
    }
    int end = in(8) ? first + (last - first) / 2 : last;
    String place = "Content-Range: bytes " + first + "-" + end + "/" + whole.length + "\r\n";
    return broken("HTTP/1.1 206 \r\n" + lines + place, Arrays.copyOfRange(whole, first, end + 1));
  }

  /** The message, whole or truncated. */
  private String broken(String head, byte[] content) {
    String text = new String(content, ISO_8859_1);
    int sent = in(4) ? 1 + random.nextInt(content.length) : content.length;
    return head + "Content-Length: " + content.length + "\r\n\r\n" + text.substring(0, sent);
  }

  private void compare(Question question, int url, Outcome outcome) {
    int status = outcome.record.status;
    boolean ranged = question.fieldLines().stream().anyMatch(line -> line.startsWith("Range"));
    byte[] got = outcome.content.toByteArray();
    if (outcome.aborted != null) {
      broken++;
    }
    if (question.method().equals("HEAD") || status == 304 || status == 416 || status >= 500) {
      assertThat(got).as("content of %s", status).hasSizeLessThan(5000);
      return;
    }
    assertThat(status).isIn(200, 206);
    int version = number(field(outcome.head, "X-Version"));
    assertThat(field(outcome.head, "ETag")).isIn(null, tag(url, version));
    byte[] whole = content(url, version);
    joined += field(outcome.head, "Cache-Status").contains("=partial; fwd-status=206; s") ? 1 : 0;
    if (status == 200) {
      assertThat(field(outcome.head, "Content-Range")).isNull();
      compare(got, whole, outcome);
      return;
    }
    assertThat(ranged).as("206 for a Range only").isTrue();
    String place = field(outcome.head, "Content-Range");
    if (place != null) {
      Matcher at = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)").matcher(place);
      assertThat(at.matches()).as(place).isTrue();
      assertThat(number(at.group(3))).isEqualTo(whole.length);
      int first = number(at.group(1));
      compare(got, Arrays.copyOfRange(whole, first, number(at.group(2)) + 1), outcome);
    }
  }

  private static void compare(byte[] got, byte[] expected, Outcome outcome) {
    if (outcome.aborted != null) {
      assertThat(got.length).isLessThanOrEqualTo(expected.length);
      assertThat(Arrays.mismatch(got, Arrays.copyOf(expected, got.length))).isEqualTo(-1);
    } else {
      assertThat(Arrays.mismatch(got, expected))
          .as("%s of %s", got.length, expected.length)
          .isEqualTo(-1);
    }
  }

  private static String field(String head, String name) {
    for (String line : head.split("\r\n", -1)) {
      if (line.startsWith(name + ": ")) {
        return line.substring(name.length() + 2);
      }
    }
    return null;
  }
}
