package io.loligo.server.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

class FlushTurnTest {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private int flushes;
  private Runnable within = () -> {};
  private boolean closed;
  private final FlushTurn turn = new FlushTurn(tasks::add, new Counting(), () -> closed);

  private final class Counting extends FrameOutput<Object> {
    Counting() {
      super(null, null, 0);
    }

    @Override
    public void flush() {
      flushes++;
      within.run();
    }

    @Override
    public boolean widen(Object stream, int bytes) {
      throw new AssertionError();
    }

    @Override
    protected void pump() {}

    @Override
    protected boolean hasReady() {
      return false;
    }
  }

  @Test
  void framesOfOneReadLeaveAtItsEnd() {
    turn.gather();
    turn.soon();
    turn.mark();
    turn.afterTasks();
    assertThat(flushes).isZero();
    assertThat(tasks).isEmpty();
    turn.gathered();
    assertThat(turn.isDue()).isTrue();
    turn.now();
    assertThat(flushes).isEqualTo(1);
    assertThat(turn.isDue()).isFalse();
  }

  @Test
  void framesOfSeveralTasksLeaveInOneFlush() {
    turn.afterTasks();
    turn.afterTasks();
    assertThat(tasks).hasSize(1);
    assertThat(flushes).isZero();
    tasks.remove().run();
    assertThat(flushes).isEqualTo(1);
    turn.afterTasks();
    turn.soon();
    tasks.remove().run();
    assertThat(flushes).as("nothing was left").isEqualTo(2);
  }

  @Test
  void framesThatAFlushCausesLeaveInIt() {
    within =
        () -> {
          assertThat(turn.isGathering()).isTrue();
          if (flushes < 3) {
            turn.soon();
          }
        };
    turn.soon();
    assertThat(flushes).isEqualTo(3);
    assertThat(turn.isGathering()).isFalse();
  }

  @Test
  void nothingLeavesAClosedConnection() {
    turn.afterTasks();
    closed = true;
    tasks.remove().run();
    assertThat(flushes).isZero();
    within = turn::mark;
    turn.now();
    assertThat(flushes).isEqualTo(1);
  }

  @Test
  void aFailedFlushIsFollowedByOthers() {
    within =
        () -> {
          throw new IllegalStateException("no memory");
        };
    assertThatThrownBy(turn::soon).isInstanceOf(IllegalStateException.class);
    within = () -> {};
    turn.soon();
    assertThat(flushes).isEqualTo(2);
  }
}
