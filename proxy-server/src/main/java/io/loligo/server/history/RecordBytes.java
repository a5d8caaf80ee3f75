package io.loligo.server.history;

import java.util.Arrays;

/**
 * The bytes of one record: numbers in groups of seven bits, the lowest first; arrays as their used
 * length, then the numbers, and for zeros a zero and how many more follow. Confined to one thread.
 */
final class RecordBytes {
  private static final int LEAST = 4096;

  private byte[] bytes = new byte[LEAST];
  private int length;
  private int position;

  /** Forgets everything; {@code write} begins. */
  void clear() {
    length = 0;
    position = 0;
  }

  /** Room for {@code count} bytes, which the caller fills; {@code read} begins with the first. */
  byte[] room(int count) {
    clear();
    if (bytes.length < count) {
      bytes = new byte[count];
    }
    length = count;
    return bytes;
  }

  /** The bytes, of which {@link #length} count. */
  byte[] array() {
    return bytes;
  }

  int length() {
    return length;
  }

  /** Appends a number, not negative. */
  void write(long number) {
    if (bytes.length - length < 10) {
      bytes = Arrays.copyOf(bytes, bytes.length * 2);
    }
    long rest = number;
    while (rest >= 0x80) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
  }

  /** Appends an array of numbers that are not negative. */
  void write(long[] numbers) {
    int used = numbers.length;
    while (used > 0 && numbers[used - 1] == 0) {
      used--;
    }
    write(used);
    int next = 0;
    while (next < used) {
      long number = numbers[next++];
      write(number);
      if (number == 0) {
        int end = next;
        while (numbers[end] == 0) {
          end++;
        }
        write(end - next);
        next = end;
      }
    }
  }

  /**
   * The next number.
   *
   * @throws DamagedRecordException if there is none
   */
  long read() throws DamagedRecordException {
    long number = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (position >= length) {
        throw new DamagedRecordException("a record ends within a number");
      }
      byte part = bytes[position++];
      number |= (part & 0x7fL) << shift;
      if (part >= 0) {
        return number;
      }
    }
    throw new DamagedRecordException("a number has more than 63 bits");
  }

  /**
   * The next array, at the beginning of {@code numbers}; the rest of it stays as it was.
   *
   * @return how many of them it sets
   * @throws DamagedRecordException if the bytes are none, or one that is longer
   */
  int read(long[] numbers) throws DamagedRecordException {
    long used = read();
    if (used > numbers.length) {
      throw new DamagedRecordException(
          "length: " + used + " (expected: at most " + numbers.length + ")");
    }
    int next = 0;
    while (next < used) {
      long number = read();
      numbers[next++] = number;
      if (number == 0) {
        long more = read();
        if (more >= used - next) {
          throw new DamagedRecordException("zeros beyond the length of an array");
        }
        Arrays.fill(numbers, next, next + (int) more, 0);
        next += (int) more;
      }
    }
    return next;
  }

  /** Whether all bytes are read. */
  boolean isRead() {
    return position == length;
  }
}
