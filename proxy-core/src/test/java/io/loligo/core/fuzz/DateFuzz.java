package io.loligo.core.fuzz;

import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.FieldLines;

/** Any date that is read is written as one that is read as the same. */
final class DateFuzz {
  private static final long NOW = 1_795_239_303_000L;

  /** 31 Dec 9999 23:59:59: a leap second behind it has no other way to be written. */
  private static final long LAST = 253_402_300_799_000L;

  private DateFuzz() {}

  static void test(byte[] bytes) {
    long millis = HttpDate.parse(bytes, 0, bytes.length, NOW);
    if (millis == HttpDate.INVALID) {
      return;
    }
    FuzzValues.require(millis % 1000 == 0, "seconds");
    FieldLines written = HttpDate.append(new FieldLines(64), millis);
    FuzzValues.require(written.length() == HttpDate.LENGTH, "length");
    long again = HttpDate.parse(written.bytes(), 0, written.length(), NOW);
    FuzzValues.require(again == Math.min(LAST, millis), "again");
  }
}
