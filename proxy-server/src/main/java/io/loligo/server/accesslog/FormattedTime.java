package io.loligo.server.accesslog;

import io.loligo.server.record.ExchangeRecord;

/**
 * The time of day, formatted once a second. Thread-safe: any event loop; loops that race format it
 * once more with the same result.
 */
final class FormattedTime implements LogCode.Source {
  private final TimePattern pattern;
  private Stamp last = new Stamp(Long.MIN_VALUE, "");

  FormattedTime(TimePattern pattern) {
    this.pattern = pattern;
  }

  private record Stamp(long second, String text) {}

  @Override
  public void write(ExchangeRecord record, LogLine line) {
    long second = Math.floorDiv(record.endMillis, 1000L);
    Stamp stamp = last;
    if (stamp.second != second) {
      stamp = new Stamp(second, pattern.format(second));
      last = stamp;
    }
    line.append(stamp.text);
  }
}
