package io.loligo.server.trace;

import io.loligo.server.record.ExchangeRecord;

/**
 * The spans of an exchange. Their ids follow from the id of the exchange, whose prefix is random,
 * so that a span needs no field in the record.
 */
enum Span {
  EXCHANGE,
  FETCH,
  DISK;

  private static final long STEP = 0x9e3779b97f4a7c15L;

  /** The id of this span; never 0. */
  long id(ExchangeRecord record) {
    return mixed(record.idPrefix + STEP * (record.number * values().length + ordinal()));
  }

  /** Another number for each number; never 0. */
  static long mixed(long number) {
    long mixed = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    mixed ^= mixed >>> 31;
    return mixed == 0 ? 1 : mixed;
  }
}
