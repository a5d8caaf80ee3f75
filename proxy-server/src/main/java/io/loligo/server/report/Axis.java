package io.loligo.server.report;

/**
 * An axis of a graph. Immutable.
 *
 * @param label what it shows, with the unit
 */
record Axis(String label, Scale scale) {
  /** How numbers become positions. */
  enum Scale {
    /** Seconds since 1970. */
    TIME,
    /** From 0; in powers of ten if the curves are far from each other. */
    NUMBER,
    /** From 0 to 100. */
    PERCENT,
    /** Logarithmic, in powers of ten. */
    LOG,
    /** Bytes, logarithmic. */
    LOG_BYTES,
    /** Bytes, from 0. */
    BYTES
  }

  static final Axis TIME = new Axis("time of day", Scale.TIME);
  static final Axis SIZE = new Axis("response size, logarithmic", Scale.LOG_BYTES);
  static final Axis MEDIAN_MS = new Axis("median, ms", Scale.NUMBER);
  static final Axis DURATION_MS = new Axis("ms, logarithmic", Scale.LOG);

  static Axis percent(String label) {
    return new Axis(label, Scale.PERCENT);
  }

  static Axis number(String label) {
    return new Axis(label, Scale.NUMBER);
  }
}
