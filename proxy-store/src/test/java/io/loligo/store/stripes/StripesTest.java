package io.loligo.store.stripes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("races")
final class StripesTest {
  private static final Executor NEW_THREAD = task -> new Thread(task).start();

  @Test
  void aThreadThatEnteredHasItsNumber() {
    Stripes stripes = new Stripes(300);
    for (int number : new int[] {0, 7, 299}) {
      assertThat(inNewThread(stripes, number)).isEqualTo(number);
    }
    assertThat(stripes.count()).isEqualTo(303);
  }

  private static int inNewThread(Stripes stripes, int number) {
    return CompletableFuture.supplyAsync(
            () -> {
              stripes.enter(number);
              return stripes.own();
            },
            NEW_THREAD)
        .join();
  }

  @Test
  void eachLoopHasANumber() throws Exception {
    DefaultEventExecutorGroup loops = new DefaultEventExecutorGroup(3);
    try {
      Stripes stripes = new Stripes(4);
      stripes.enterAll(loops);
      List<Integer> numbers = new ArrayList<>();
      for (EventExecutor loop : loops) {
        numbers.add(loop.submit(stripes::own).get());
      }
      assertThat(numbers).containsExactly(0, 1, 2);
    } finally {
      loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).get();
    }
  }

  @Test
  void othersShareTheLastNumbers() {
    Stripes stripes = new Stripes(2);
    for (int i = 0; i < 10; i++) {
      int own = CompletableFuture.supplyAsync(stripes::own, NEW_THREAD).join();
      assertThat(own).isBetween(2, 4);
    }
  }

  @Test
  void oneIsForAll() {
    assertThat(Stripes.ONE.count()).isEqualTo(1);
    assertThat(Stripes.ONE.own()).isZero();
  }

  @Test
  void refusesANumberThatIsNotThere() {
    assertThatThrownBy(() -> new Stripes(2).enter(2)).hasMessageContaining("number: 2");
    assertThatThrownBy(() -> new Stripes(2).enter(-1)).hasMessageContaining("number: -1");
  }
}
