package io.loligo.server.login;

import io.loligo.server.time.TimeSource;
import java.util.concurrent.TimeUnit;

/** Stands still. */
final class StoppedTime implements TimeSource {
  long seconds = 1_000_000;

  @Override
  public long nanos() {
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  @Override
  public long millis() {
    return TimeUnit.SECONDS.toMillis(seconds);
  }
}
