package io.loligo.core.message;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Field lines being composed: {@code Name: value CRLF} bytes in a growing array, the form of heads
 * inside the process and in the store. Confined to one thread; reusable.
 */
public final class FieldLines {
  private byte[] bytes;
  private int length;

  /** An empty buffer with room for {@code capacity} bytes before it grows. */
  public FieldLines(int capacity) {
    bytes = new byte[capacity];
  }

  /** Forgets all lines. */
  public FieldLines clear() {
    length = 0;
    return this;
  }

  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /** Adds {@code name: value CRLF}; both ISO-8859-1. */
  public FieldLines add(String name, String value) {
    return append(name).append(": ").append(value).endLine();
  }

  /** Adds field {@code i} of {@code fields} unchanged. */
  public FieldLines add(Fields fields, int i) {
    append(fields.bytes(), fields.nameStart(i), fields.nameStart(i) + fields.nameLength(i));
    append(": ");
    append(fields.bytes(), fields.valueStart(i), fields.valueEnd(i));
    return endLine();
  }

  /** Appends text, one byte per char. */
  @SuppressWarnings("deprecation") // String.getBytes(int, int, byte[], int): Latin-1, no allocation
  public FieldLines append(String latin1) {
    int more = latin1.length();
    reserve(more);
    latin1.getBytes(0, more, bytes, length);
    length += more;
    return this;
  }

  /** Appends {@code source[start, end)}. */
  public FieldLines append(byte[] source, int start, int end) {
    int more = end - start;
    reserve(more);
    System.arraycopy(source, start, bytes, length, more);
    length += more;
    return this;
  }

  /** Appends {@code more} bytes of {@code source}, borrowed, from {@code index} on. */
  public FieldLines append(ByteBuf source, int index, int more) {
    reserve(more);
    source.getBytes(index, bytes, length, more);
    length += more;
    return this;
  }

  /**
   * Puts {@code more} bytes of {@code source}, borrowed, from {@code index} on before all lines.
   */
  public FieldLines prepend(ByteBuf source, int index, int more) {
    reserve(more);
    System.arraycopy(bytes, 0, bytes, more, length);
    source.getBytes(index, bytes, 0, more);
    length += more;
    return this;
  }

  /** Appends one byte. */
  public FieldLines append(char b) {
    reserve(1);
    bytes[length++] = (byte) b;
    return this;
  }

  /** Appends a decimal number. */
  public FieldLines append(long number) {
    reserve(20);
    long rest = number;
    if (rest < 0) {
      append(Long.toString(rest));
      return this;
    }
    int digits = 1;
    for (long power = 10; digits < 19 && rest >= power; power *= 10) {
      digits++;
    }
    for (int at = length + digits - 1; at >= length; at--) {
      bytes[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
    return this;
  }

  /** Appends CRLF. */
  public FieldLines endLine() {
    reserve(2);
    bytes[length++] = '\r';
    bytes[length++] = '\n';
    return this;
  }

  /** Copies all bytes to the end of {@code out}, borrowed. */
  public void writeTo(ByteBuf out) {
    out.writeBytes(bytes, 0, length);
  }

  /** A new array of exactly these bytes. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
    }
  }
}
