package io.loligo.core.fuzz;

import io.loligo.core.caching.Heads;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.range.ByteRange;
import io.loligo.core.range.RangeSelection;
import java.util.List;

/** Any value of Range selects bytes that are there, each once, in a bounded number of parts. */
final class RangeFuzz {
  private static final long[] LENGTHS = {0, 1, 10, 1000, 1L << 40, Long.MAX_VALUE};

  private RangeFuzz() {}

  static void test(byte[] bytes) {
    String value = FuzzValues.line(bytes);
    for (long length : LENGTHS) {
      StoredMeta stored =
          StoredMeta.builder(200)
              .lifetimeSeconds(1)
              .staleIfErrorSeconds(0)
              .contentLength(length)
              .build();
      check(RangeSelection.of(Heads.fields("Range: " + value), stored, length), length);
      check(RangeSelection.of(Heads.fields("Range: bytes=" + value), stored, length), length);
    }
  }

  private static void check(RangeSelection selection, long length) {
    List<ByteRange> ranges = selection.ranges();
    switch (selection.outcome()) {
      case SINGLE -> FuzzValues.require(ranges.size() == 1, "one");
      case MULTI ->
          FuzzValues.require(
              ranges.size() > 1 && ranges.size() <= RangeSelection.MAX_PARTS, "several");
      default -> FuzzValues.require(ranges.isEmpty(), "none");
    }
    for (int i = 0; i < ranges.size(); i++) {
      ByteRange one = ranges.get(i);
      FuzzValues.require(
          one.first() >= 0 && one.first() <= one.last() && one.last() < length, "inside");
      for (ByteRange other : ranges.subList(0, i)) {
        FuzzValues.require(one.first() > other.last() || one.last() < other.first(), "apart");
      }
    }
  }
}
