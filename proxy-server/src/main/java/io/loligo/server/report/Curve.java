package io.loligo.server.report;

/**
 * A class of accesses in a graph.
 *
 * @param color which of the page's colors
 * @param dashed whether it is of the peak hour, beside one of the whole log
 * @param y a number for each x of the graph; NaN: none
 */
record Curve(String name, Color color, boolean dashed, double[] y) {
  /** The colors of the page by what they stand for. */
  enum Color {
    ALL,
    HITS,
    MISSES,
    THIRD,
    FOURTH,
    FIFTH,
    SIXTH
  }

  boolean isEmpty() {
    for (double one : y) {
      if (!Double.isNaN(one)) {
        return false;
      }
    }
    return true;
  }
}
