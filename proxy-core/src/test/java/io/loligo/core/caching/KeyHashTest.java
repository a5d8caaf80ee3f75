package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("SipHash-2-4 with 128 bits")
class KeyHashTest {
  private static final long K0 = 0x0706050403020100L;
  private static final long K1 = 0x0f0e0d0c0b0a0908L;

  @ParameterizedTest
  @CsvSource({
    "0, a3817f04ba25a8e66df67214c7550293",
    "1, da87c1d86b99af44347659119b22fc45",
    "2, 8177228da4a45dc7fca38bdef60affe4",
    "3, 9c70b60c5267a94e5f33b6b02985ed51",
    "4, f88164c12d9c8faf7d0f6e7c7bcd5579",
    "5, 1368875980776f8854527a07690e9627",
    "6, 14eeca338b208613485ea0308fd7a15e",
    "7, a1f1ebbed8dbc153c0b84aa61ff08239",
    "8, 3b62a9ba6258f5610f83e264f31497b4",
    "9, 264499060ad9baabc47f8b02bb6d71ed",
    "15, 5493e99933b0a8117e08ec0f97cfc3d9",
    "16, 6ee2a4ca67b054bbfd3315bf85230577"
  })
  void givesTheReferenceVectors(int length, String expected) {
    byte[] input = new byte[length + 8];
    for (int i = 0; i < input.length; i++) {
      input[i] = (byte) i;
    }
    KeyHash hash = new KeyHash(K0, K1).update(input, length);
    byte[] output = new byte[16];
    ByteBuffer.wrap(output).order(ByteOrder.LITTLE_ENDIAN).putLong(hash.high()).putLong(hash.low());
    assertThat(HexFormat.of().formatHex(output)).isEqualTo(expected);
  }

  @Test
  void everyByteOfEveryLengthCounts() {
    Set<Long> seen = new HashSet<>();
    KeyHash hash = new KeyHash();
    int inputs = 0;
    for (int length = 0; length < 40; length++) {
      byte[] input = new byte[length];
      seen.add(hash.update(input, length).high());
      inputs++;
      for (int i = 0; i < length; i++) {
        input[i] = 1;
        seen.add(hash.update(input, length).high());
        input[i] = 0;
        inputs++;
      }
    }
    assertThat(seen).hasSize(inputs);
  }

  @Test
  void probeAndKeyOfTheSameBytesAreEqualBothWays() {
    KeyProbe probe = new KeyProbe().clear().append("http://a/").seal();
    CacheKey key = CacheKeys.of("http://a/");
    assertThat((Object) probe).isEqualTo(key);
    assertThat((Object) key).isEqualTo(probe);
    assertThat(probe.hashCode()).isEqualTo(key.hashCode());
    assertThat(probe.toKey()).isEqualTo(key);
  }

  @Test
  void keysThatDifferInAnyByteAreNotEqual() {
    assertThat(CacheKeys.of("http://a/x")).isNotEqualTo(CacheKeys.of("http://a/y"));
  }

  @Test
  void probeGrowsWithLongKeys() {
    String url = "http://a/" + "x".repeat(5000);
    KeyProbe probe = new KeyProbe().clear().append(url).seal();
    assertThat(probe.toKey().toString()).isEqualTo(url);
    assertThat(probe.toKey().length()).isEqualTo(url.length());
  }
}
