package io.loligo.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutboxTest {
  private static final int LARGE = GroupFrame.MAX_CONTENT;

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final List<byte[]> sent = new ArrayList<>();
  private int freed;
  private final Outbox box = new Outbox(tasks::add, sent::add, () -> freed++);

  private static GroupFrame frame(int bytes) {
    return new GroupFrame(GroupFrame.MESSAGE, new byte[bytes]);
  }

  @Test
  void whatWaitsIsSentTogetherByOneThread() {
    for (int i = 0; i < 3; i++) {
      assertThat(box.add(new GroupFrame(GroupFrame.MESSAGE, new byte[] {(byte) i}))).isTrue();
    }
    assertThat(tasks).hasSize(1);
    tasks.remove().run();
    assertThat(sent).hasSize(1);
    assertThat(GroupFrames.read(sent.get(0)))
        .extracting(one -> (int) one.content()[0])
        .containsExactly(0, 1, 2);
    box.add(frame(1));
    assertThat(tasks).as("a thread again").hasSize(1);
  }

  @Test
  void aMessageIsNotLongerThanASingleFrameNeeds() {
    box.add(frame(40_000));
    box.add(frame(40_000));
    box.add(frame(LARGE));
    tasks.remove().run();
    assertThat(sent).hasSize(3);
  }

  @Test
  void tooMuchIsDroppedAndTheBoxIsFreeAgainWhenAllIsSent() {
    int room = (int) (Outbox.MAX_BYTES / (LARGE + GroupFrame.HEAD_BYTES));
    for (int i = 0; i < room; i++) {
      assertThat(box.add(frame(LARGE))).isTrue();
    }
    assertThat(box.add(frame(LARGE))).isFalse();
    assertThat(box.add(frame(1))).as("there is room again").isTrue();
    assertThat(freed).isZero();
    tasks.remove().run();
    assertThat(sent).hasSize(1);
    assertThat(freed).isEqualTo(1);
  }

  /** Otherwise the member would get nothing any more, and not be left out either. */
  @Test
  void withoutAThreadFramesWaitForTheNextOne() {
    ArrayDeque<Error> failures = new ArrayDeque<>(List.of(new OutOfMemoryError("no thread")));
    Outbox waiting =
        new Outbox(
            task -> {
              Error failure = failures.poll();
              if (failure != null) {
                throw failure;
              }
              tasks.add(task);
            },
            sent::add,
            () -> {});
    assertThat(waiting.add(frame(1))).isTrue();
    assertThat(tasks).isEmpty();
    waiting.add(frame(2));
    tasks.remove().run();
    assertThat(GroupFrames.read(sent.get(0))).hasSize(2);
  }

  @Test
  void aFailureToSendDoesNotEndTheSending() {
    ArrayDeque<Error> failures = new ArrayDeque<>(List.of(new OutOfMemoryError("heap")));
    Outbox failing =
        new Outbox(
            tasks::add,
            message -> {
              Error failure = failures.poll();
              if (failure != null) {
                throw failure;
              }
              sent.add(message);
            },
            () -> freed++);
    failing.add(frame(LARGE));
    failing.add(frame(LARGE));
    tasks.remove().run();
    assertThat(sent).as("the second one").hasSize(1);
    failing.add(frame(1));
    assertThat(tasks).as("a thread again").hasSize(1);
  }

  @Test
  void aClosedOneSendsNothing() {
    box.add(frame(1));
    box.close();
    assertThat(box.add(frame(1))).isTrue();
    tasks.remove().run();
    assertThat(sent).isEmpty();
  }
}
