package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class HotKeysTest {
  @Test
  void theTenthRequestMakesAKeyHot() {
    HotKeys keys = new HotKeys(10, 0);
    for (int i = 1; i < 10; i++) {
      assertThat(keys.request(7, i)).isFalse();
    }
    assertThat(keys.request(7, 10)).isTrue();
    assertThat(keys.request(8, 10)).isFalse();
  }

  @Test
  void aKeyCoolsDown() {
    HotKeys keys = new HotKeys(10, 0);
    for (int i = 0; i < 20; i++) {
      keys.request(7, 0);
    }
    assertThat(keys.request(7, HotKeys.PERIOD_NANOS)).isTrue();
    assertThat(keys.request(7, 2 * HotKeys.PERIOD_NANOS)).isFalse();
  }

  @Test
  void aKeyWithManyRequestsStaysCountable() {
    HotKeys keys = new HotKeys(1_000, 0);
    for (int i = 0; i < 1_000; i++) {
      keys.request(7, 0);
    }
    assertThat(keys.request(7, 0)).isTrue();
    assertThat(keys.request(7, 100 * HotKeys.PERIOD_NANOS)).isFalse();
  }

  /** As {@link ClusterSizesTest} computes it. */
  @Test
  void aKeyOfTenRequestsASecondLeavesTheNodeEightTimesInElevenSeconds() {
    HotKeys keys = new HotKeys(10, 0);
    long copyUntil = -1;
    int left = 0;
    for (long now = 0; now < 1_100_000_000_000L; now += 100_000_000L) {
      if (now > copyUntil) {
        left++;
        copyUntil = keys.request(7, now) ? now + HotKeys.LONGEST_MILLIS * 1_000_000 : -1;
      }
    }
    assertThat(left).isBetween(740, 860);
  }

  @Test
  void keysOfOneRequestDoNotLookHot() {
    HotKeys keys = new HotKeys(10, 0);
    Random random = new Random(1);
    int hot = 0;
    for (int i = 0; i < 100_000; i++) {
      hot += keys.request(random.nextLong(), i * 100_000L) ? 1 : 0;
    }
    assertThat(hot).isLessThan(40);
  }
}
