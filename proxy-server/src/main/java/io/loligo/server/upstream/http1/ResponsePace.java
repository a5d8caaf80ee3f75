package io.loligo.server.upstream.http1;

import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.loligo.server.upstream.pool.ConnectionSettings;
import org.jspecify.annotations.Nullable;

/**
 * The pace that a peer owes while a response that has begun is awaited. Without a wait it keeps no
 * state. Confined to the connection's event loop.
 */
final class ResponsePace {
  private final LoopTimer timer;

  /** Null: no wait was needed. */
  private @Nullable Pace pace;

  ResponsePace(LoopTimer timer) {
    this.timer = timer;
  }

  /** The peer owes bytes from now on. Returns its pace; null: there is no minimum. */
  @Nullable Pace owed(ConnectionSettings settings) {
    if (settings.minBytesPerSecond == 0) {
      notOwed();
      return null;
    }
    if (pace == null) {
      pace = new Pace(settings.minBytesPerSecond, settings.rateWindowMillis);
    }
    pace.owed(timer.tick());
    return pace;
  }

  /** The peer owes nothing at present. */
  void notOwed() {
    if (pace != null) {
      pace.notOwed(timer.tick());
    }
  }

  /** {@code bytes} arrived. */
  void moved(int bytes) {
    if (pace != null) {
      pace.moved(timer.tick(), bytes);
    }
  }

  /** Whether the peer is too slow. */
  boolean isLate() {
    return pace != null && pace.late(timer.tick());
  }

  /** The response is over. */
  void forget() {
    pace = null;
  }
}
