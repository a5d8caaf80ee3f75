package io.loligo.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class PacedExecutorTest {
  private final ArrayDeque<Runnable> wakes = new ArrayDeque<>();
  private final PacedExecutor executor = new PacedExecutor(wakes::add);
  private final List<String> ran = new ArrayList<>();

  @Test
  void wakesOnceForManyTasks() {
    executor.execute(() -> ran.add("a"));
    executor.execute(() -> ran.add("b"));
    assertThat(wakes).hasSize(1);
    wakes.poll().run();
    assertThat(ran).containsExactly("a", "b");
    assertThat(wakes).isEmpty();
  }

  @Test
  void runsTheTasksOfTasksTheNextTime() {
    executor.execute(() -> executor.execute(() -> ran.add("inner")));
    wakes.poll().run();
    assertThat(ran).isEmpty();
    wakes.poll().run();
    assertThat(ran).containsExactly("inner");
  }

  @Test
  void goesOnAfterATaskThatFails() {
    executor.execute(
        () -> {
          throw new IllegalStateException("on purpose");
        });
    executor.execute(() -> ran.add("after"));
    wakes.poll().run();
    assertThat(ran).containsExactly("after");
  }

  @Test
  void runsTheTasksOfTasksAtOnceWhereThereIsNoNextTime() {
    AtomicBoolean refusing = new AtomicBoolean();
    PacedExecutor ending =
        new PacedExecutor(
            task -> {
              if (refusing.get()) {
                throw new RejectedExecutionException("shut down");
              }
              wakes.add(task);
            });
    ending.execute(() -> ending.execute(() -> ran.add("inner")));
    refusing.set(true);
    wakes.poll().run();
    assertThat(ran).containsExactly("inner");
  }

  @Test
  void saysThatItIsRefusedAndForgetsTheTask() {
    AtomicBoolean refusing = new AtomicBoolean(true);
    PacedExecutor moody =
        new PacedExecutor(
            task -> {
              if (refusing.get()) {
                throw new RejectedExecutionException("shut down");
              }
              wakes.add(task);
            });
    assertThatThrownBy(() -> moody.execute(() -> ran.add("refused")))
        .isInstanceOf(RejectedExecutionException.class);
    refusing.set(false);
    moody.execute(() -> ran.add("taken"));
    wakes.poll().run();
    assertThat(ran).containsExactly("taken");
  }
}
