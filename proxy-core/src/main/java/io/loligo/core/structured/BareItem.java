package io.loligo.core.structured;

/**
 * A value without parameters (RFC 9651 section 3.3). Immutable.
 *
 * @param type decides the class of {@code value}
 * @param value see {@link Type}
 */
public record BareItem(Type type, Object value) {
  /** Types of values, and their Java classes. */
  public enum Type {
    /** {@link Long}, of 15 digits at most. */
    INTEGER,
    /** {@link java.math.BigDecimal}, at most three digits after the point. */
    DECIMAL,
    /** {@link String} of ASCII. */
    STRING,
    /** {@link String}. */
    TOKEN,
    /** {@code byte[]}, not to be changed. */
    BYTES,
    /** {@link Boolean}. */
    BOOLEAN,
    /** {@link Long}: seconds since the epoch. */
    DATE,
    /** {@link String} of any characters. */
    DISPLAY_STRING
  }

  static final BareItem TRUE = new BareItem(Type.BOOLEAN, true);

  /** Whether it is of this type. */
  public boolean is(Type other) {
    return type == other;
  }

  /** The number of an INTEGER or DATE. */
  public long number() {
    return (Long) value;
  }

  /** The text of a STRING, TOKEN or DISPLAY_STRING. */
  public String text() {
    return (String) value;
  }
}
