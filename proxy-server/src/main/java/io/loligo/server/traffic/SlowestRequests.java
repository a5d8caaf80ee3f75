package io.loligo.server.traffic;

import io.loligo.server.record.ExchangeRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The slowest of many requests. Not thread-safe. A request that is none costs one comparison. */
final class SlowestRequests {
  /** Requests that are kept. */
  static final int KEPT = 32;

  private final List<SlowRequest> kept = new ArrayList<>(KEPT);

  /** Nanoseconds above which a request is among the slowest. */
  private long threshold;

  void clear() {
    kept.clear();
    threshold = 0;
  }

  /**
   * Takes a request.
   *
   * @param record borrowed
   * @param user null: none
   * @param nanos its time
   */
  void offer(ExchangeRecord record, @Nullable String user, long nanos) {
    if (nanos <= threshold) {
      return;
    }
    SlowRequest slow = SlowRequest.of(record, user, nanos);
    if (kept.size() < KEPT) {
      kept.add(slow);
    } else {
      kept.set(fastest(), slow);
    }
    if (kept.size() == KEPT) {
      threshold = kept.get(fastest()).nanos();
    }
  }

  private int fastest() {
    int fastest = 0;
    for (int i = 1; i < kept.size(); i++) {
      if (kept.get(i).nanos() < kept.get(fastest).nanos()) {
        fastest = i;
      }
    }
    return fastest;
  }

  /** A copy, in no order. */
  List<SlowRequest> all() {
    return List.copyOf(kept);
  }
}
