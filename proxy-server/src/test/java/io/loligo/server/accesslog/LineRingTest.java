package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class LineRingTest {
  /** Keeps lines as {@code output:text}. */
  private static final class Lines implements LineRing.Consumer {
    final List<String> all = new ArrayList<>();

    @Override
    public void line(
        int output, byte[] bytes, int start, int length, int secondStart, int secondLength) {
      all.add(
          output
              + ":"
              + new String(bytes, start, length, US_ASCII)
              + new String(bytes, secondStart, secondLength, US_ASCII));
    }
  }

  private static boolean offer(LineRing ring, int output, String text) {
    return ring.offer(output, text.getBytes(US_ASCII), text.length(), 0);
  }

  private static int drain(LineRing ring, Lines lines) {
    return new LineMerge(new LineRing[] {ring}).drain(lines);
  }

  @Test
  void mergesRingsByTheTimesOfTheirLines() {
    LineRing[] rings = {new LineRing(256), new LineRing(256), new LineRing(256)};
    long start = Integer.MAX_VALUE * 1000L - 2_000;
    int[] order = {2, 0, 0, 1, 2, 1};
    for (int i = 0; i < order.length; i++) {
      byte[] line = {(byte) ('a' + i)};
      assertThat(rings[order[i]].offer(0, line, 1, start + i * 1_000L)).isTrue();
    }
    Lines lines = new Lines();
    assertThat(new LineMerge(rings).drain(lines)).isEqualTo(order.length);
    assertThat(lines.all).containsExactly("0:a", "0:b", "0:c", "0:d", "0:e", "0:f");
  }

  @Property(tries = 100)
  void mergesAnyNumberOfRings(
      @ForAll @IntRange(min = 1, max = 70) int count,
      @ForAll @Size(max = 200) List<@IntRange(max = 1_000) Integer> turns) {
    LineRing[] rings = new LineRing[count];
    for (int i = 0; i < count; i++) {
      rings[i] = new LineRing(8192);
    }
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < turns.size(); i++) {
      String line = "line " + i;
      rings[turns.get(i) % count].offer(0, line.getBytes(US_ASCII), line.length(), i * 1_000L);
      expected.add("0:" + line);
    }
    LineMerge merge = new LineMerge(rings);
    Lines lines = new Lines();
    assertThat(merge.drain(lines)).isEqualTo(turns.size());
    assertThat(lines.all).isEqualTo(expected);
    assertThat(merge.drain(lines)).isZero();
  }

  /** 64 loops that finish an exchange each in turn: no line costs a look at each of the rings. */
  @Test
  void aLineCostsFewComparisons() {
    LineRing[] rings = new LineRing[64];
    for (int i = 0; i < rings.length; i++) {
      rings[i] = new LineRing(1 << 16);
    }
    int lines = 64 * 100;
    for (int i = 0; i < lines; i++) {
      rings[i % 64].offer(0, new byte[100], 100, i * 1_000L);
    }
    LineMerge merge = new LineMerge(rings);
    assertThat(merge.drain(new Lines())).isEqualTo(lines);
    assertThat(merge.comparisons()).isLessThanOrEqualTo(lines * 12L);
  }

  /**
   * The consumer writes the line that the producer reads a few times for each ring, not for each
   * log line.
   */
  @Test
  void freesManyLinesAtOnce() {
    LineRing ring = new LineRing(1 << 16);
    int lines = 0;
    while (ring.offer(0, new byte[100], 100, lines)) {
      lines++;
    }
    assertThat(lines).isGreaterThan(500);
    Set<Long> seen = new HashSet<>();
    new LineMerge(new LineRing[] {ring})
        .drain((output, bytes, start, length, again, more) -> seen.add(ring.usedBytes()));
    assertThat(seen).hasSizeBetween(2, 8);
    assertThat(ring.usedBytes()).isZero();
  }

  @Test
  void theProducerIsToldWhenMoreThanHalfIsUsed() {
    LineRing ring = new LineRing(64);
    assertThat(offer(ring, 0, "x".repeat(24))).isTrue();
    assertThat(ring.offeredOverHalf()).isFalse();
    assertThat(offer(ring, 0, "x".repeat(24))).isTrue();
    assertThat(ring.offeredOverHalf()).isTrue();
    drain(ring, new Lines());
    assertThat(ring.offeredOverHalf()).isFalse();
  }

  @Test
  void handsOverLinesInOrderWithTheirOutput() {
    LineRing ring = new LineRing(64);
    Lines lines = new Lines();
    assertThat(offer(ring, 0, "one\n")).isTrue();
    assertThat(offer(ring, 255, "two\n")).isTrue();
    assertThat(drain(ring, lines)).isEqualTo(2);
    assertThat(lines.all).containsExactly("0:one\n", "255:two\n");
    assertThat(ring.usedBytes()).isZero();
  }

  @Test
  void refusesALineThatDoesNotFitAndTakesItOnceDrained() {
    LineRing ring = new LineRing(64);
    String line = "x".repeat(24);
    assertThat(offer(ring, 0, line)).isTrue();
    assertThat(ring.overHalf()).isFalse();
    assertThat(offer(ring, 0, line)).isTrue();
    assertThat(ring.overHalf()).isTrue();
    assertThat(offer(ring, 0, "")).isFalse();
    drain(ring, new Lines());
    assertThat(offer(ring, 0, line)).isTrue();
  }

  @Test
  void refusesCapacityThatIsNoPowerOfTwo() {
    assertThatThrownBy(() -> new LineRing(100)).hasMessageContaining("capacityBytes: 100");
  }

  @Property(tries = 200)
  void keepsEveryLineWholeAcrossTheEnd(
      @ForAll @Size(max = 60) List<@IntRange(max = 40) Integer> lengths) {
    LineRing ring = new LineRing(128);
    Lines lines = new Lines();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < lengths.size(); i++) {
      String line = String.valueOf((char) ('a' + i % 26)).repeat(lengths.get(i));
      if (!offer(ring, i & 255, line)) {
        drain(ring, lines);
        assertThat(offer(ring, i & 255, line)).isTrue();
      }
      expected.add((i & 255) + ":" + line);
    }
    drain(ring, lines);
    assertThat(lines.all).isEqualTo(expected);
  }

  @Test
  void deliversOrRefusesEveryLineBetweenTwoThreads() throws InterruptedException {
    int count = 200_000;
    LineRing ring = new LineRing(1024);
    AtomicBoolean produced = new AtomicBoolean();
    CountDownLatch begin = new CountDownLatch(1);
    long[] refused = new long[1];
    Thread producer =
        new Thread(
            () -> {
              awaitQuietly(begin);
              for (int i = 0; i < count; i++) {
                if (!offer(ring, i & 255, i + "=" + "y".repeat(i % 50))) {
                  refused[0]++;
                }
              }
              produced.set(true);
            });
    producer.start();
    Lines lines = new Lines();
    begin.countDown();
    boolean last;
    do {
      last = produced.get();
      drain(ring, lines);
    } while (!last);
    producer.join();
    assertThat(lines.all.size() + refused[0]).isEqualTo(count);
    int previous = -1;
    for (String line : lines.all) {
      int number = Integer.parseInt(line.substring(line.indexOf(':') + 1, line.indexOf('=')));
      assertThat(number).isGreaterThan(previous);
      assertThat(line).isEqualTo((number & 255) + ":" + number + "=" + "y".repeat(number % 50));
      previous = number;
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
