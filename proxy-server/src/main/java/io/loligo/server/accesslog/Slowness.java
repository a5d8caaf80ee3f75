package io.loligo.server.accesslog;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Stage;
import java.util.Set;

/**
 * Which exchanges a {@code loligo_slow_log} line is about. Immutable.
 *
 * @param nanos the least time, from the head of the request to the last byte
 * @param classes their classes
 */
record Slowness(long nanos, Set<HitClass> classes) {
  /** Whether {@code record}, a finished one, is slow. */
  boolean has(ExchangeRecord record) {
    return record.stage(Stage.TOTAL) >= nanos && classes.contains(record.hitClass);
  }
}
