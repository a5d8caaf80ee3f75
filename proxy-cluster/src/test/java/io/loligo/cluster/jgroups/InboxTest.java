package io.loligo.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.jgroups.Inbox.Fate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboxTest {
  private final List<String> told = new ArrayList<>();
  private final Inbox inbox = new Inbox(() -> told.add("full"), () -> told.add("free"));

  private int fill(int length) {
    int count = 0;
    while (inbox.add(length) == Fate.WAITS) {
      count++;
    }
    return count;
  }

  @Test
  void smallMessagesAreBoundedInNumber() {
    assertThat(fill(0)).isEqualTo(Inbox.MAX_BYTES / Inbox.MESSAGE_BYTES);
  }

  @Test
  void largeMessagesAreBoundedInBytes() {
    assertThat(fill(1 << 20)).isEqualTo(7);
  }

  @Test
  void aSingleLargeMessageIsTaken() {
    assertThat(inbox.add((int) Inbox.MAX_BYTES)).isEqualTo(Fate.WAITS);
    assertThat(inbox.add(0)).isEqualTo(Fate.FIRST_DROPPED);
  }

  /** Else a later message would come without those before it. */
  @Test
  void dropsUntilNothingWaits() {
    int waiting = fill(1 << 20);
    assertThat(inbox.add(0)).isEqualTo(Fate.DROPPED);
    for (int i = 0; i < waiting; i++) {
      inbox.done(1 << 20);
      assertThat(inbox.add(0)).as("the step of the drop waits").isEqualTo(Fate.DROPPED);
    }
    assertThat(told).isEmpty();
    inbox.full();
    assertThat(told).containsExactly("full", "free");
    assertThat(inbox.isEmpty()).isTrue();
    assertThat(inbox.add(0)).isEqualTo(Fate.WAITS);
  }

  @Test
  void withoutADropNothingIsTold() {
    assertThat(inbox.add(5)).isEqualTo(Fate.WAITS);
    assertThat(inbox.isEmpty()).isFalse();
    inbox.done(5);
    assertThat(told).isEmpty();
  }
}
