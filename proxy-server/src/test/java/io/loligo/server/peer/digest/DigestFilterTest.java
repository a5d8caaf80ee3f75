package io.loligo.server.peer.digest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.core.caching.CacheKeys;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DigestFilterTest {
  private static final int MAX = 1 << 20;
  private static final String ONE = "http://127.0.0.1:25510/one";

  /** The header that a real Squid 5.7 has sent, with these bits in its mask of 32 bytes. */
  private static byte[] squids(int... bits) {
    ByteBuffer digest = ByteBuffer.allocate(160);
    digest.putShort(0, (short) 5).putShort(2, (short) 3).putInt(4, 51).putInt(8, 54);
    digest.putInt(16, 32).put(20, (byte) 5).put(21, (byte) 4);
    for (int bit : bits) {
      digest.put(128 + bit / 8, (byte) (digest.get(128 + bit / 8) | (1 << (bit % 8))));
    }
    return digest.array();
  }

  /** The digest in {@code bytes}, however they are cut; null: it is not accepted. */
  private static @Nullable DigestFilter read(byte[] bytes, int maxBytes) {
    DigestFilter whole = read(bytes, maxBytes, bytes.length + 1);
    for (int step : new int[] {1, 127, 128, 129}) {
      DigestFilter cut = read(bytes, maxBytes, step);
      assertThat(cut == null).as("in steps of %d", step).isEqualTo(whole == null);
      if (cut != null && whole != null) {
        assertThat(cut.bytes()).as("in steps of %d", step).isEqualTo(whole.bytes());
      }
    }
    return whole;
  }

  private static @Nullable DigestFilter read(byte[] bytes, int maxBytes, int step) {
    DigestReading reading = new DigestReading(() -> maxBytes);
    for (int at = 0; at < bytes.length; at += step) {
      int length = Math.min(step, bytes.length - at);
      if (!reading.take(Unpooled.wrappedBuffer(bytes, at, length))) {
        return null;
      }
    }
    return reading.end();
  }

  private static boolean has(DigestFilter digest, String url) {
    return digest.mayHold(new UrlHash().of(url));
  }

  private static boolean has(byte[] digest, String url) {
    return has(Objects.requireNonNull(read(digest, MAX)), url);
  }

  @Test
  void findsTheBitsThatSquidSets() {
    assertThat(has(squids(35, 71, 161, 163), ONE)).isTrue();
    assertThat(has(squids(106, 42, 205, 73), "http://127.0.0.1:25510/two")).isTrue();
    assertThat(has(squids(210, 26, 28, 114), "http://127.0.0.1:25510/three")).isTrue();
    for (int left : new int[] {35, 71, 161, 163}) {
      int[] bits = {35, 71, 161, 163};
      for (int i = 0; i < bits.length; i++) {
        bits[i] = bits[i] == left ? 0 : bits[i];
      }
      assertThat(has(squids(bits), ONE)).as("without %d", left).isFalse();
    }
  }

  @Test
  void writesTheHeaderOfVersion5() {
    DigestFilter filter = DigestFilter.empty(100, 5);
    filter.add(Objects.requireNonNull(CacheKeys.of(ONE)));
    ByteBuffer bytes = ByteBuffer.wrap(filter.bytes());
    assertThat(bytes.capacity()).isEqualTo(128 + 80);
    assertThat(bytes.getInt(0)).isEqualTo(5 << 16 | 3);
    assertThat(bytes.getInt(4)).isEqualTo(128);
    assertThat(bytes.getInt(8)).isEqualTo(1);
    assertThat(bytes.getInt(12)).isZero();
    assertThat(bytes.getInt(16)).isEqualTo(80);
    assertThat(bytes.get(20)).isEqualTo((byte) 5);
    assertThat(bytes.get(21)).isEqualTo((byte) 4);
    assertThat(has(bytes.array(), ONE)).isTrue();
    assertThat(has(bytes.array(), ONE + "2")).isFalse();
  }

  @Test
  void foldingKeepsEachUrl() {
    for (int bits : new int[] {1, 5, 7, 32}) {
      DigestFilter large = DigestFilter.empty(100_000, bits);
      DigestFilter small = DigestFilter.empty(1000, bits);
      for (int i = 0; i < 1000; i++) {
        large.add(Objects.requireNonNull(CacheKeys.of("http://h/" + i)));
        small.add(Objects.requireNonNull(CacheKeys.of("http://h/" + i)));
      }
      DigestFilter folded = large.folded();
      assertThat(folded.capacity()).as("bits %d", bits).isLessThanOrEqualTo(2048);
      for (int i = 0; i < 1000; i++) {
        assertThat(has(folded, "http://h/" + i)).isTrue();
      }
      if (folded.capacity() == small.capacity()) {
        assertThat(folded.bytes()).isEqualTo(small.bytes());
      }
      boolean nearlyFull = bits == 1;
      assertThat(read(folded.bytes(), MAX) == null).isEqualTo(nearlyFull);
    }
  }

  /** The figure of the directive's text. */
  @Test
  void fewOtherUrlsSeemToBeThere() {
    DigestFilter filter = DigestFilter.empty(1 << 14, 5);
    for (int i = 0; i < 1 << 14; i++) {
      filter.add(Objects.requireNonNull(CacheKeys.of("http://h/" + i)));
    }
    int wrong = 0;
    for (int i = 0; i < 10_000; i++) {
      wrong += has(filter, "http://other/" + i) ? 1 : 0;
    }
    assertThat(wrong).isBetween(700, 1100);
    assertThat(filter.count()).isCloseTo(1 << 14, within(400));
  }

  @Test
  void refusesDamagedDigests() {
    byte[] good = squids(1, 2, 3);
    assertThat(read(good, MAX)).isNotNull();
    assertThat(read(good, good.length - 1)).as("too large").isNull();
    for (int length = 0; length < good.length; length++) {
      assertThat(read(Arrays.copyOf(good, length), MAX)).isNull();
    }
    assertThat(read(Arrays.copyOf(good, good.length + 1), MAX)).isNull();
    int[][] changes = {{1, 2}, {3, 6}, {4, 0x7f}, {4, 0x80}, {8, 0x80}, {19, 33}, {20, 0}, {21, 3}};
    for (int[] change : changes) {
      byte[] bad = good.clone();
      bad[change[0]] = (byte) change[1];
      assertThat(read(bad, MAX)).as("byte %d", change[0]).isNull();
    }
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bad = good.clone();
      for (int changes2 = random.nextInt(4); changes2 >= 0; changes2--) {
        bad[random.nextInt(24)] = (byte) random.nextInt();
      }
      DigestFilter read = read(bad, MAX, bad.length);
      assertThat(read == null || !has(read, ONE)).as("seed %d", seed).isTrue();
    }
  }

  @Test
  void refusesADigestWithNearlyAllBits() {
    int[] most = IntStream.range(0, 230).toArray();
    assertThat(read(squids(most), MAX)).as("89.8 %% of 256").isNotNull();
    int[] more = IntStream.range(0, 231).toArray();
    assertThat(read(squids(more), MAX)).as("90.2 %%").isNull();
  }
}
