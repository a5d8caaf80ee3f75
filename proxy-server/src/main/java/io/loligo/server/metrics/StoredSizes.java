package io.loligo.server.metrics;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The sizes of the responses that were written to disk, and for sizes of up to {@value #GROUPS} KB
 * the times that took, in groups of 1 KB. Thread-safe: any thread. A group takes 12 KB of heap from
 * its first response on.
 */
public final class StoredSizes {
  /** Groups of sizes. */
  public static final int GROUPS = 64;

  /** Bytes of a group. */
  public static final int GROUP_BYTES = 1024;

  private final SharedHistogram sizes = new SharedHistogram();
  private final AtomicReferenceArray<@Nullable SharedHistogram> times =
      new AtomicReferenceArray<>(GROUPS);

  void record(long bytes, long nanos) {
    sizes.record(bytes, 1);
    long group = bytes <= 0 ? 0 : (bytes - 1) / GROUP_BYTES;
    if (group < GROUPS) {
      times((int) group).record(nanos, 1);
    }
  }

  private SharedHistogram times(int group) {
    SharedHistogram there = times.get(group);
    if (there == null) {
      times.compareAndSet(group, null, new SharedHistogram());
      there = times.get(group);
    }
    if (there == null) {
      throw new IllegalStateException("no times of group " + group);
    }
    return there;
  }

  /** Adds the sizes to {@code snapshot}, whose nanoseconds are then bytes. */
  public void addSizesTo(LatencySnapshot snapshot) {
    sizes.addTo(snapshot);
  }

  /** Adds the times of a group, from 0 on, to {@code snapshot}. */
  public void addTimesTo(LatencySnapshot snapshot, int group) {
    SharedHistogram there = times.get(group);
    if (there != null) {
      there.addTo(snapshot);
    }
  }
}
