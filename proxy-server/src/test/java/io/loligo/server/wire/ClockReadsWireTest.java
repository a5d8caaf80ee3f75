package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How often the event loop reads the clocks for a hit: each look costs some 20 ns. */
class ClockReadsWireTest extends WireTest {
  private static final int HITS = 50;

  /** Counts the looks of event loops. Thread-safe. */
  private static final class CountedTime extends PassingTime {
    private final AtomicInteger nanosReads = new AtomicInteger();
    private final AtomicInteger millisReads = new AtomicInteger();

    private static boolean isOnLoop() {
      return Thread.currentThread().getName().startsWith("loligo-loop");
    }

    @Override
    public long nanos() {
      if (isOnLoop()) {
        nanosReads.incrementAndGet();
      }
      return super.nanos();
    }

    @Override
    public long millis() {
      if (isOnLoop()) {
        millisReads.incrementAndGet();
      }
      return super.millis();
    }
  }

  @Test
  void memoryHitReadsTheMonotonicClockFourTimesAndTheWallClockOnce() throws Exception {
    CountedTime time = new CountedTime();
    startProxy(time, "http_access allow all");
    origin.onOk("/a", "content", "Cache-Control: max-age=1000");
    RawClient client = closing(client());
    client.get(origin.url("/a")).response();
    client.get(origin.url("/a")).response();
    int nanosBefore = time.nanosReads.get();
    int millisBefore = time.millisReads.get();
    for (int i = 0; i < HITS; i++) {
      client.get(origin.url("/a")).response();
    }
    awaitLoop(); // the record of the last hit is complete: one exchange more, with its connection
    int nanosReads = time.nanosReads.get() - nanosBefore;
    int millisReads = time.millisReads.get() - millisBefore;
    assertThat(nanosReads / HITS).as("looks at the monotonic clock").isEqualTo(4);
    assertThat(millisReads / HITS).as("looks at the wall clock").isEqualTo(1);
  }
}
