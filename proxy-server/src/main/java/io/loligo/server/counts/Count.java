package io.loligo.server.counts;

/** One count of each of several things: a constant of an enum. Immutable. */
public interface Count {
  /** Its declaration. */
  CountText told();

  /** Its name for operators, in lower case, with the unit. */
  default String key() {
    return told().isTime() ? told().name() + "_seconds" : told().name();
  }

  /** The same where the value is shown as a whole number: times are in nanoseconds. */
  default String exactKey() {
    return told().isTime() ? told().name() + "_nanos" : told().name();
  }

  /** Whether it also falls. */
  default boolean isGauge() {
    return told().isGauge();
  }

  /** For the operator. */
  default String text() {
    return told().text();
  }

  /** What one of it is in the unit of {@link #key}. */
  default double unit() {
    return told().isTime() ? 1e-9 : 1;
  }
}
