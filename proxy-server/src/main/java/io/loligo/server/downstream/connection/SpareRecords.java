package io.loligo.server.downstream.connection;

import io.loligo.server.record.ExchangeRecord;
import java.util.ArrayDeque;

/** Records that the exchanges of one event loop use again. Confined to that loop. */
public final class SpareRecords {
  private static final int MAX_SPARE = 256;

  private final ArrayDeque<ExchangeRecord> records = new ArrayDeque<>();
  private final long idPrefix;

  private long taken;

  /** None yet. {@code idPrefix} is the first part of the ids of its records. */
  SpareRecords(long idPrefix) {
    this.idPrefix = idPrefix;
  }

  /** A cleared record with the next number. */
  public ExchangeRecord take() {
    ExchangeRecord spare = records.pollLast();
    ExchangeRecord record = spare == null ? new ExchangeRecord() : spare;
    record.number = ++taken;
    record.idPrefix = idPrefix;
    return record;
  }

  /** Clears a record and gives it back. */
  public void give(ExchangeRecord spare) {
    spare.clear();
    if (records.size() < MAX_SPARE) {
      records.addLast(spare);
    }
  }
}
