package io.loligo.store.disk.medium;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.disk.DiskFixture;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DiskWorkersTest {
  /** The awaited work needs the core more than the next look does. */
  private static final long BETWEEN_LOOKS_NANOS = 100_000;

  private static final long PATIENCE_SECONDS = 20;

  private DiskWorkers workers;
  private final AtomicLong clock = new AtomicLong();

  @AfterEach
  void close() {
    assertThat(workers.close(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))).isTrue();
  }

  /** All of them sleep. */
  private static void awaitSleep(String name, int count) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith(name))
            .filter(thread -> thread.getState() == Thread.State.WAITING)
            .count()
        < count) {
      assertThat(System.nanoTime() - deadline).isNegative();
      LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
    }
  }

  @Test
  void readsWithoutEndLeaveRoomForWrites() {
    workers = new DiskWorkers("endless", 2, 1 << 20, DiskWatch.NOBODY, System::nanoTime);
    AtomicBoolean written = new AtomicBoolean();
    AtomicInteger reads = new AtomicInteger();
    CompletableFuture<Integer> readsBefore = new CompletableFuture<>();
    Runnable read =
        new Runnable() {
          @Override
          public void run() {
            // the other thread never writes, and may be the only one that runs for a while
            boolean mayWrite = Thread.currentThread().getName().endsWith("-1");
            int done = mayWrite ? reads.incrementAndGet() : reads.get();
            if (!written.get() && done < 100_000) {
              workers.urgent(this);
            } else {
              readsBefore.complete(done);
            }
          }
        };
    for (int i = 0; i < 64; i++) {
      workers.urgent(read);
    }
    assertThat(workers.write(() -> written.set(true), 100, false)).isTrue();
    assertThat(DiskFixture.get(readsBefore)).isLessThan(100_000);
  }

  @Test
  void readsGoOnWhenWritesHaveEnded() throws Exception {
    workers = new DiskWorkers("ended", 2, 1 << 20, DiskWatch.NOBODY, System::nanoTime);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    Runnable held =
        () -> {
          await(release, PATIENCE_SECONDS);
          done.incrementAndGet();
        };
    assertThat(workers.urgent(held)).isTrue();
    assertThat(workers.write(held, 100, false)).isTrue();
    assertThat(workers.endWrites(1)).isFalse();
    release.countDown();
    assertThat(workers.endWrites(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))).isTrue();
    assertThat(done).hasValue(2);
    assertThat(workers.write(held, 100, true)).isFalse();
    assertThat(workers.urgent(held)).isFalse();
    assertThat(workers.isClosed()).isFalse();
    CountDownLatch read = new CountDownLatch(1);
    assertThat(workers.read(read::countDown, ImmediateEventExecutor.INSTANCE)).isTrue();
    assertThat(read.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  /** As by an event loop that was preempted after it had found the threads running. */
  @Test
  void aTaskThatIsAddedAfterTheLastThreadEndedIsRefused() {
    Thread adding = Thread.currentThread();
    workers =
        new DiskWorkers(
            "late",
            2,
            1 << 20,
            DiskWatch.NOBODY,
            () -> {
              if (Thread.currentThread() == adding) {
                close(); // between the check and the queue
              }
              return 0;
            });
    assertThat(workers.write(() -> {}, 100, false)).isFalse();
    assertThat(workers.waitingWriteBytes()).isZero();
    assertThat(workers.queueRead(() -> {})).isFalse();
    assertThat(workers.read(() -> {}, ImmediateEventExecutor.INSTANCE)).isFalse();
    assertThat(workers.urgent(() -> {})).isFalse();
    assertThat(workers.waitingReads()).isZero();
  }

  @Test
  void threadsThatEndLateDoTheirTasksAndTell() {
    workers = new DiskWorkers("busy", 2, 1 << 20, DiskWatch.NOBODY, System::nanoTime);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    CompletableFuture<Integer> doneAtTheEnd = new CompletableFuture<>();
    Runnable held =
        () -> {
          await(release, PATIENCE_SECONDS);
          done.incrementAndGet();
        };
    for (int i = 0; i < 4; i++) {
      workers.urgent(held);
      workers.write(held, 100, true);
    }
    assertThat(workers.close(1)).isFalse();
    workers.whenEnded(() -> doneAtTheEnd.complete(done.get()));
    assertThat(doneAtTheEnd).isNotDone();
    release.countDown();
    assertThat(DiskFixture.get(doneAtTheEnd)).isEqualTo(8);
  }

  @Test
  void tellsHowLongResponsesWaitToBeWritten() {
    List<Long> waits = new CopyOnWriteArrayList<>();
    DiskWatch watch =
        new DiskWatch() {
          @Override
          public void waited(long nanos) {
            waits.add(nanos);
          }

          @Override
          public void began(DiskOperation operation) {}

          @Override
          public void ended(DiskOperation operation, long nanos, long bytes) {}

          @Override
          public void stored(long bytes, long nanos, long blocks, long blockNanos) {}
        };
    workers = new DiskWorkers("waits", 2, 1 << 20, watch, clock::get);
    CompletableFuture<Void> first = new CompletableFuture<>();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    // the only thread that writes is at a write
    workers.write(
        () -> {
          begun.complete(null);
          DiskFixture.get(first);
        },
        100,
        true);
    DiskFixture.get(begun);
    workers.write(() -> {}, 100, true);
    workers.write(() -> done.complete(null), 0, true); // it writes what others wait for
    clock.addAndGet(7_000);
    first.complete(null);
    DiskFixture.get(done);
    assertThat(waits).containsExactly(0L, 7_000L);
  }

  @Test
  void aThreadThatBeganAWriteIsNotExpectedToReadSoon() throws InterruptedException {
    workers = new DiskWorkers("three", 3, 1 << 20, DiskWatch.NOBODY, clock::get);
    for (int round = 0; round < 10; round++) {
      awaitSleep("three", 3);
      assertThat(readsBesideAWrite()).as("round %s", round).isTrue();
    }
  }

  /** Whether a read that is asked for by a write is done before that ends. */
  private boolean readsBesideAWrite() throws InterruptedException {
    CountDownLatch slowReadBegins = new CountDownLatch(1);
    CountDownLatch slowReadEnds = new CountDownLatch(1);
    CountDownLatch read = new CountDownLatch(1);
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    Runnable asked = read::countDown;
    // the first thread is at a read that takes long
    workers.urgent(
        () -> {
          slowReadBegins.countDown();
          await(slowReadEnds, PATIENCE_SECONDS);
        });
    assertThat(slowReadBegins.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    readQuickly(2); // by the second, which will write
    workers.write(
        () -> {
          workers.urgent(asked);
          done.complete(await(read, 1));
          slowReadEnds.countDown();
        },
        100,
        true);
    boolean meanwhile = DiskFixture.get(done);
    readQuickly(3); // so that the next round's count as quick, too
    return meanwhile;
  }

  /** When so many sleep, and they do again. */
  private void readQuickly(int sleeping) {
    awaitSleep("three", sleeping);
    CompletableFuture<Void> quick = new CompletableFuture<>();
    workers.urgent(() -> quick.complete(null));
    DiskFixture.get(quick);
    awaitSleep("three", sleeping);
  }

  private static boolean await(CountDownLatch latch, long seconds) {
    try {
      return latch.await(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
