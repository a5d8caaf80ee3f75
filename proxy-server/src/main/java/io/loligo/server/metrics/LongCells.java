package io.loligo.server.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Numbers one event loop writes and any thread reads: never torn, in time seen, without a fence on
 * the writing side.
 */
final class LongCells {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] cells;

  LongCells(int count) {
    cells = new long[count];
  }

  int count() {
    return cells.length;
  }

  /** The owner's. */
  void add(int index, long more) {
    CELL.setOpaque(cells, index, cells[index] + more);
  }

  /** The owner's. */
  void max(int index, long candidate) {
    if (candidate > cells[index]) {
      CELL.setOpaque(cells, index, candidate);
    }
  }

  /** Any thread's. */
  long get(int index) {
    return (long) CELL.getOpaque(cells, index);
  }
}
