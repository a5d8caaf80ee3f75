package io.loligo.server.accesslog;

import io.loligo.server.record.ExchangeRecord;
import java.util.concurrent.atomic.AtomicLong;

/** Numbers the lines of a log from 0 ({@code %sn}). Thread-safe: any event loop. */
final class SequenceSource implements LogCode.Source {
  private final AtomicLong next = new AtomicLong();

  @Override
  public void write(ExchangeRecord record, LogLine line) {
    line.appendNumber(next.getAndIncrement());
  }
}
