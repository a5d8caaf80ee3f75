package io.loligo.server.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Numbers that one event loop writes and any thread reads: never torn, visible in time, without a
 * fence on the writing side.
 */
public final class LongCells {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] cells;

  /** {@code count} numbers, all 0. */
  public LongCells(int count) {
    cells = new long[count];
  }

  int count() {
    return cells.length;
  }

  /** For the owner. */
  public void add(int index, long more) {
    CELL.setOpaque(cells, index, cells[index] + more);
  }

  /** For the owner. */
  void max(int index, long candidate) {
    if (candidate > cells[index]) {
      CELL.setOpaque(cells, index, candidate);
    }
  }

  /** For any thread. */
  public long get(int index) {
    return (long) CELL.getOpaque(cells, index);
  }
}
