package io.loligo.store.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.admission.MemoryPolicy.Copy;
import io.loligo.store.admission.MemoryPolicy.Reason;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class MemoryPolicyTest {
  private static final long LIMIT = 64 << 20;

  @Test
  void memoryDropsUnrequestedResponsesThatTheDiskHas() {
    assertThat(MemoryPolicy.written(false, LIMIT, LIMIT))
        .isEqualTo(new Copy(false, Reason.ON_DISK));
    assertThat(MemoryPolicy.written(true, LIMIT, LIMIT)).isEqualTo(new Copy(true, Reason.RETURNS));
    assertThat(MemoryPolicy.written(false, LIMIT / 2, LIMIT))
        .isEqualTo(new Copy(true, Reason.ROOM));
  }

  @Test
  void theSecondDiskHitPromotes() {
    assertThat(MemoryPolicy.promote(10_000, 1, LIMIT, LIMIT, 512 << 10))
        .isEqualTo(new Copy(false, Reason.ONCE));
    assertThat(MemoryPolicy.promote(10_000, 2, LIMIT, LIMIT, 512 << 10))
        .isEqualTo(new Copy(true, Reason.RETURNS));
  }

  @Test
  void freeMemoryTakesTheFirstDiskHit() {
    assertThat(MemoryPolicy.promote(10_000, 1, LIMIT / 2, LIMIT, 512 << 10))
        .isEqualTo(new Copy(true, Reason.ROOM));
  }

  @Test
  void aTooLargeResponseIsNeverPromoted() {
    assertThat(MemoryPolicy.promote((512 << 10) + 1, 255, 0, LIMIT, 512 << 10))
        .isEqualTo(new Copy(false, Reason.LARGE));
  }

  @Property(tries = 500)
  void neverPromotesAResponseThatMemoryRefuses(
      @ForAll @LongRange(min = 0) long bytes,
      @ForAll @IntRange(max = 255) int hits,
      @ForAll @LongRange(min = 0) long used,
      @ForAll @LongRange(min = 0) long limit,
      @ForAll @LongRange(min = 0) long most) {
    Copy copy = MemoryPolicy.promote(bytes, hits, used, limit, most);

    assertThat(copy.inMemory() && bytes > Math.min(limit, most)).isFalse();
  }
}
