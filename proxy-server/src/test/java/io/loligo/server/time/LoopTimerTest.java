package io.loligo.server.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class LoopTimerTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopTimer timer = new LoopTimer(channel.eventLoop());
  private final List<String> expired = new ArrayList<>();

  private final class Named extends LoopTimer.Timeout {
    private final String name;
    private Runnable then = () -> {};

    Named(String name) {
      this.name = name;
    }

    @Override
    protected void expired() {
      expired.add(name);
      then.run();
    }
  }

  LoopTimerTest() {
    channel.freezeTime();
  }

  private void pass(long millis) {
    for (long left = millis; left > 0; left -= 100) {
      channel.advanceTimeBy(Math.min(100, left), TimeUnit.MILLISECONDS);
      channel.runPendingTasks();
    }
  }

  @Test
  void firesNeitherEarlyNorMoreThanTwoTicksLate() {
    timer.arm(new Named("a"), 1_000);
    pass(1_000);
    assertThat(expired).isEmpty();
    pass(200);
    assertThat(expired).containsExactly("a");
  }

  @Test
  void isBehindWhereThreeTicksInARowAreLate() {
    timer.arm(new Named("a"), 60_000);
    for (int i = 0; i < 2; i++) {
      channel.advanceTimeBy(2_100, TimeUnit.MILLISECONDS);
      channel.runPendingTasks();
    }
    assertThat(timer.lagMillis()).as("after two pauses").isZero();
    channel.advanceTimeBy(1_600, TimeUnit.MILLISECONDS);
    channel.runPendingTasks();
    assertThat(timer.lagMillis()).isEqualTo(1_500);
    pass(100);
    assertThat(timer.lagMillis()).isZero();
  }

  @Test
  void firesOnce() {
    timer.arm(new Named("a"), 100);
    pass(120_000);
    assertThat(expired).containsExactly("a");
  }

  @Test
  void armingAgainPutsOff() {
    Named a = new Named("a");
    timer.arm(a, 1_000);
    pass(900);
    timer.arm(a, 1_000);
    pass(900);
    assertThat(expired).isEmpty();
    pass(300);
    assertThat(expired).containsExactly("a");
  }

  @Test
  void armingForEarlierIsEarlier() {
    Named a = new Named("a");
    timer.arm(a, 120_000);
    timer.arm(a, 500);
    pass(700);
    assertThat(expired).containsExactly("a");
  }

  @Test
  void cancelledDoesNotFire() {
    Named a = new Named("a");
    timer.arm(a, 1_000);
    timer.cancel(a);
    pass(5_000);
    assertThat(expired).isEmpty();
    assertThat(a.armed()).isFalse();
  }

  @Test
  void zeroDisarms() {
    Named a = new Named("a");
    timer.arm(a, 1_000);
    timer.arm(a, 0);
    pass(5_000);
    assertThat(expired).isEmpty();
  }

  @Test
  void longerThanTheWheelIsKept() {
    timer.arm(new Named("a"), 86_400_000L);
    pass(86_400_000L);
    assertThat(expired).isEmpty();
    pass(200);
    assertThat(expired).containsExactly("a");
  }

  @Test
  void forgottenIsReferredToNoMore() {
    Named a = new Named("a");
    Named b = new Named("b");
    Named c = new Named("c");
    timer.arm(a, 60_000);
    timer.arm(b, 60_000);
    timer.arm(c, 60_000);
    timer.forget(b);
    timer.forget(a);
    assertThat(timer.linked()).isEqualTo(1);
    pass(60_200);
    assertThat(expired).containsExactly("c");
  }

  @Test
  void oneThatExpiresMayCancelAnotherOfTheSameTick() {
    Named a = new Named("a");
    Named b = new Named("b");
    a.then = () -> timer.cancel(b);
    b.then = () -> timer.cancel(a);
    timer.arm(a, 300);
    timer.arm(b, 300);
    pass(1_000);
    assertThat(expired).hasSize(1);
  }

  @Test
  void goesOnAfterOneFailed() {
    Named a = new Named("a");
    a.then =
        () -> {
          throw new IllegalStateException("expected by this test");
        };
    timer.arm(a, 300);
    timer.arm(new Named("b"), 600);
    pass(1_000);
    assertThat(expired).containsExactly("a", "b");
  }

  @Test
  void suspensionCountsAsOneTick() {
    Named idle = new Named("idle");
    timer.arm(idle, 5_000);
    pass(1_000);
    // SIGSTOP for ten minutes: the clock jumps, the loop ran nothing
    channel.advanceTimeBy(10, TimeUnit.MINUTES);
    channel.runPendingTasks();
    assertThat(expired).isEmpty();
    pass(3_800);
    assertThat(expired).isEmpty();
    pass(400);
    assertThat(expired).containsExactly("idle");
  }

  @Test
  void restsWhileNothingIsArmed() {
    timer.arm(new Named("a"), 100);
    pass(1_000);
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
  }

  @Property(tries = 200)
  void agreesWithAPlainModel(
      @ForAll @Size(max = 60) List<@IntRange(min = -1, max = 999) Integer> ops) {
    LoopTimerTest fresh = new LoopTimerTest();
    Named[] timeouts = {fresh.new Named("0"), fresh.new Named("1"), fresh.new Named("2")};
    long[] due = {-1, -1, -1};
    long now = 0;
    for (int op : ops) {
      int which = Math.floorMod(op, 3);
      if (op < 0) {
        fresh.timer.cancel(timeouts[0]);
        due[0] = -1;
      } else if (op % 4 == 3) {
        fresh.timer.forget(timeouts[which]);
        due[which] = -1;
      } else {
        long millis = 100L * (op + 1);
        fresh.timer.arm(timeouts[which], millis);
        due[which] = now + millis;
      }
      fresh.pass(700);
      now += 700;
      for (int i = 0; i < 3; i++) {
        boolean fired = fresh.expired.contains(String.valueOf(i));
        if (due[i] < 0 || due[i] >= now) {
          assertThat(fired).as("%d at %d due %d", i, now, due[i]).isFalse();
        } else if (due[i] + 200 <= now) {
          assertThat(fired).as("%d at %d due %d", i, now, due[i]).isTrue();
          fresh.expired.remove(String.valueOf(i));
          due[i] = -1;
        } else if (fired) {
          fresh.expired.remove(String.valueOf(i));
          due[i] = -1;
        }
      }
    }
  }
}
