package io.loligo.store.disk.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ConfirmationsTest {
  private final List<Integer> told = new ArrayList<>();
  private final AtomicInteger forces = new AtomicInteger();
  private Confirmations confirmations;

  @Test
  void thoseThatComeMeanwhileWaitTogetherForTheNext() {
    confirmations =
        new Confirmations(
            () -> {
              assertThat(told).hasSize(forces.get());
              if (forces.getAndIncrement() == 0) {
                for (int i = 0; i < 5; i++) {
                  confirmations.add(i, told::add);
                }
              }
            },
            failure -> {});
    confirmations.add(7, told::add);
    assertThat(told).containsExactly(7, 0, 1, 2, 3, 4);
    assertThat(forces).hasValue(2);
  }

  @Test
  void saysThatItFailed() {
    List<Throwable> failures = new ArrayList<>();
    confirmations =
        new Confirmations(
            () -> {
              throw new IOException("no");
            },
            failures::add);
    confirmations.add(7, told::add);
    assertThat(told).containsExactly(-1);
    assertThat(failures).hasSize(1);
  }
}
