package io.loligo.server.counts;

/**
 * The declaration of a {@link Count}. Immutable.
 *
 * @param name for operators, in lower case, without the unit of a time
 * @param isGauge whether it also falls
 * @param isTime whether it is a sum of nanoseconds
 * @param text for the operator
 */
public record CountText(String name, boolean isGauge, boolean isTime, String text) {
  /** A number that only rises. */
  public static CountText counter(String name, String text) {
    return new CountText(name, false, false, text);
  }

  /** A number that also falls. */
  public static CountText gauge(String name, String text) {
    return new CountText(name, true, false, text);
  }

  /** A sum of nanoseconds. */
  public static CountText time(String name, String text) {
    return new CountText(name, false, true, text);
  }
}
