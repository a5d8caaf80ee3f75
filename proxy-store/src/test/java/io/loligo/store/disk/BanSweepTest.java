package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.UrlPattern;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long it takes until everything was compared with a pattern. */
final class BanSweepTest {
  private static final int OBJECTS = 60;

  /** Objects that are compared in a step. */
  private static final int STEP = 10;

  @TempDir Path temp;

  private static Ban ban(String regex) {
    return new Ban(Long.MAX_VALUE >> 16, UrlPattern.of("sweep", regex));
  }

  /** Steps until all was compared with {@code ban}. */
  private static int steps(DiskTier tier, ManualMedium medium, Ban ban) {
    int steps = 0;
    while (tier.isSweeping(ban)) {
      step(tier, medium);
      assertThat(steps++).isLessThan(100);
    }
    return steps;
  }

  private static void step(DiskTier tier, ManualMedium medium) {
    tier.tick();
    medium.run();
  }

  @Test
  void goesOnForItsTimeAndAPatternThatComesJoins() throws IOException {
    ProxyConfig.Disk here = disk(dir(temp.resolve("cache"), 16 << 20));
    try (DiskFixture fixture = new DiskFixture(here)) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.put("http://sweep/" + i, octets(1000));
      }
    }
    ManualMedium medium = new ManualMedium();
    AtomicLong nanos = new AtomicLong();
    medium.clock = () -> nanos.addAndGet(BanSweep.STEP_NANOS / STEP);
    try (DiskTier tier =
        DiskTier.claim(
            here,
            PooledByteBufAllocator.DEFAULT,
            new MemoryLedger(1 << 20),
            SupersedingTest.NOBODY,
            medium)) {
      tier.open();
      medium.run();
      Ban first = ban("/1$");
      Ban second = ban("/2$");
      tier.ban(first, done -> {});
      medium.run();
      for (int i = 0; i < 3; i++) {
        step(tier, medium);
      }
      assertThat(tier.isSweeping(first)).isTrue();
      tier.ban(second, done -> {});
      medium.run();
      int more = steps(tier, medium, first);
      assertThat(more + 3).isBetween(OBJECTS / STEP, OBJECTS / STEP + 4);
      assertThat(steps(tier, medium, second)).isLessThan(OBJECTS / STEP - 1);
      assertThat(tier.mayHold(key("http://sweep/1"))).isFalse();
      assertThat(tier.mayHold(key("http://sweep/2"))).isFalse();
      assertThat(tier.stats().get(0).objects()).isEqualTo(OBJECTS - 2);
    }
  }
}
