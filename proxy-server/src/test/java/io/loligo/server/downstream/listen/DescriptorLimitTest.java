package io.loligo.server.downstream.listen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DescriptorLimitTest {
  private static final int LIMIT = 400;
  private static final int RESERVED = LIMIT / 8;
  private static final int FILES = 100;

  private final Later executor = new Later();
  private long connections;
  private String listening = "";
  private final DescriptorLimit limit =
      new DescriptorLimit(
          LIMIT,
          () -> connections,
          () -> FILES + connections,
          () -> listening += "-",
          () -> listening += "+",
          executor);

  /** Runs tasks on command; scheduled tasks are due at the next round. */
  private static final class Later extends ScheduledThreadPoolExecutor {
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    Later() {
      super(1);
      shutdownNow();
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      tasks.add(task);
      return null;
    }

    void round() {
      for (int due = tasks.size(); due > 0; due--) {
        tasks.remove().run();
      }
    }
  }

  private void open(long count) {
    limit.measure();
    connections = count;
  }

  @Test
  void acceptsWhileMoreThanTheReservedOnesAreFree() {
    open(LIMIT - FILES - RESERVED - 1);
    assertThat(limit.mayOpen()).isTrue();
    executor.round();
    assertThat(listening).isEmpty();
    assertThat(limit.used()).isEqualTo(LIMIT - RESERVED - 1);
  }

  @Test
  void pausesOnceWhereOnlyTheReservedOnesAreFree() {
    open(LIMIT - FILES - RESERVED);
    assertThat(limit.mayOpen()).as("came before listening paused").isTrue();
    assertThat(limit.mayOpen()).isTrue();
    executor.round();
    executor.round();
    assertThat(listening).isEqualTo("-");
    assertThat(limit.pauses()).isEqualTo(1);
  }

  @Test
  void takesNotMoreThanHalfOfTheReservedOnes() {
    open(LIMIT - FILES - RESERVED / 2);
    assertThat(limit.mayOpen()).isFalse();
  }

  @Test
  void resumesWhenSomeCameFree() {
    open(LIMIT - FILES - RESERVED);
    limit.mayOpen();
    executor.round();
    connections -= 1;
    executor.round();
    assertThat(listening).isEqualTo("-");
    connections -= 10;
    executor.round();
    assertThat(listening).isEqualTo("-+");
    executor.round();
    assertThat(listening).isEqualTo("-+");
  }

  @Test
  void filesThatAreOpenedLaterCount() {
    connections = LIMIT - FILES - RESERVED;
    assertThat(limit.mayOpen()).isTrue();
    executor.round();
    assertThat(listening).isEmpty();
    limit.measure();
    limit.mayOpen();
    executor.round();
    assertThat(listening).isEqualTo("-");
  }
}
