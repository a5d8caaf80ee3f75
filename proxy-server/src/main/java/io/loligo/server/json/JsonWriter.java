package io.loligo.server.json;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON text (RFC 8259). It adds commas and colons; the caller closes what it opens.
 * Confined to one thread.
 */
public final class JsonWriter {
  private static final int NANO_DECIMALS = 9;

  private final StringBuilder text = new StringBuilder(256);
  private final String comma;
  private final String colon;

  /** Whether a value precedes the next one, in the same object or array. */
  private boolean follows;

  private JsonWriter(String comma, String colon) {
    this.comma = comma;
    this.colon = colon;
  }

  /** A writer that adds a blank after commas and colons. */
  public static JsonWriter spaced() {
    return new JsonWriter(", ", ": ");
  }

  /** A writer without white space. */
  public static JsonWriter compact() {
    return new JsonWriter(",", ":");
  }

  public JsonWriter beginObject() {
    return begin('{');
  }

  public JsonWriter endObject() {
    return end('}');
  }

  public JsonWriter beginArray() {
    return begin('[');
  }

  public JsonWriter endArray() {
    return end(']');
  }

  /** Begins a line: the next value or member is there, indented. */
  public JsonWriter row() {
    text.append(follows ? ",\n  " : "\n  ");
    follows = false;
    return this;
  }

  /** Begins a line for the bracket that ends the rows. */
  public JsonWriter endRows() {
    text.append('\n');
    return this;
  }

  /** The name of a member; its value is next. */
  public JsonWriter name(String name) {
    separate();
    quote(name);
    text.append(colon);
    follows = false;
    return this;
  }

  /** A string, or null. */
  public JsonWriter value(@Nullable String value) {
    separate();
    if (value == null) {
      text.append("null");
    } else {
      quote(value);
    }
    return this;
  }

  public JsonWriter value(long value) {
    separate();
    text.append(value);
    return this;
  }

  /** A time of this many nanoseconds, in seconds, exact. */
  public JsonWriter seconds(long nanos) {
    separate();
    text.append(BigDecimal.valueOf(nanos, NANO_DECIMALS).stripTrailingZeros().toPlainString());
    return this;
  }

  /** A number, with three decimals at most; one that is not finite is null. */
  public JsonWriter value(double value) {
    if (!Double.isFinite(value)) {
      return value(null);
    }
    long whole = (long) value;
    long thousandths = Math.round((value - whole) * 1000);
    if (thousandths == 0 || Math.abs(value) >= 1L << 52) {
      return value(whole);
    }
    separate();
    text.append(
        BigDecimal.valueOf(whole * 1000 + thousandths, 3).stripTrailingZeros().toPlainString());
    return this;
  }

  public JsonWriter value(boolean value) {
    separate();
    text.append(value);
    return this;
  }

  /** A member with a string, or null. */
  public JsonWriter member(String name, @Nullable String value) {
    return name(name).value(value);
  }

  public JsonWriter member(String name, long value) {
    return name(name).value(value);
  }

  public JsonWriter member(String name, boolean value) {
    return name(name).value(value);
  }

  /** A new string: the text so far. */
  @Override
  public String toString() {
    return text.toString();
  }

  private JsonWriter begin(char bracket) {
    separate();
    text.append(bracket);
    follows = false;
    return this;
  }

  private JsonWriter end(char bracket) {
    text.append(bracket);
    follows = true;
    return this;
  }

  private void separate() {
    if (follows) {
      text.append(comma);
    }
    follows = true;
  }

  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ') {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}
