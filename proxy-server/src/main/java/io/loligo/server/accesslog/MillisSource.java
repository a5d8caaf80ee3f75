package io.loligo.server.accesslog;

import io.loligo.server.record.ExchangeRecord;

/**
 * Milliseconds with decimals ({@code %.2tr}): the decimals are zeros, because the clock has
 * milliseconds only. Squid prints zeros, too.
 */
record MillisSource(LogCode.Source millis, int decimals) implements LogCode.Source {
  @Override
  public void write(ExchangeRecord record, LogLine line) {
    int start = line.length();
    millis.write(record, line);
    if (line.length() > start) {
      line.append('.');
      line.appendNumber(0, Math.max(1, decimals));
    }
  }
}
