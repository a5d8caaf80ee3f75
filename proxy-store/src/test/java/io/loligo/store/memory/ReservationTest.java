package io.loligo.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ReservationTest {
  private static final int FLOOR = 10;

  private final MemoryLedger ledger = new MemoryLedger(800);
  private final Reservation first = Reservation.open(ledger, FLOOR);

  @Test
  void growsIntoAllButTheLastEighthWhichIsForNewUsers() {
    assertThat(first.grow(701)).isFalse();
    assertThat(first.grow(700)).isTrue();
    assertThat(Reservation.open(ledger, 100)).isNotNull();
    assertThat(Reservation.open(ledger, 1)).isNull();
    first.force(5);
    assertThat(ledger.used()).isEqualTo(805);
    first.close();
    assertThat(ledger.used()).isEqualTo(100);
  }

  @Test
  void keepsItsReservationUntilItIsComplete() {
    assertThat(first.raiseFloor(701)).isFalse();
    assertThat(first.raiseFloor(300)).isTrue();
    assertThat(first.grow(500)).isTrue();
    first.shrink(500);
    assertThat(ledger.used()).isEqualTo(300);
    assertThat(first.raiseFloor(FLOOR)).as("less than it has").isTrue();
    assertThat(first.grow(250)).isTrue();
    assertThat(ledger.used()).isEqualTo(300);
    first.dropFloor();
    assertThat(ledger.used()).isEqualTo(250);
    first.close();
    assertThat(ledger.used()).isZero();
  }

  @Test
  void isScarceWhereLessThanAQuarterIsLeft() {
    assertThat(first.grow(600)).isTrue();
    assertThat(first.isScarce()).isFalse();
    assertThat(first.grow(1)).isTrue();
    assertThat(first.isScarce()).isTrue();
  }
}
