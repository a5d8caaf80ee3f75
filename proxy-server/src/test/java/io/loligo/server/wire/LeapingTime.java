package io.loligo.server.wire;

import java.util.concurrent.TimeUnit;

/** The same for durations: what is kept for a while ages with the clock. */
final class LeapingTime extends PassingTime {
  @Override
  public long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(millis());
  }
}
