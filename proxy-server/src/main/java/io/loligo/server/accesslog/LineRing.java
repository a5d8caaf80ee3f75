package io.loligo.server.accesslog;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A bounded queue of lines in one array of bytes, from one event loop to the log writer. Threading:
 * each method names its side; no locks, nothing is allocated.
 *
 * <p>A record is four bytes (length, and in the top eight bits the output's number), four of its
 * time, the line, and up to seven bytes of padding, so a header never wraps; a line may. Two
 * positions count bytes since the beginning and only grow: the producer publishes a record by a
 * release of the tail, the consumer frees records by a release of the head.
 *
 * <p>The two sides write no cache line in common. The consumer frees records when it has taken all
 * or one part in {@value #FREE_SHARE} of the ring; the producer reads the head only when its known
 * room is used up.
 *
 * <p>Times are microseconds in 32 bits, compared by subtraction: enough to {@linkplain LineMerge
 * merge} the rings of several loops, whose lines wait for milliseconds.
 */
final class LineRing {
  /** Outputs that a ring can distinguish. */
  static final int MAX_OUTPUTS = 256;

  private static final int FREE_SHARE = 8;
  private static final int HEADER_BYTES = 8;
  private static final int TIME_AT = 4;
  private static final int NANOS_PER_MICRO = 1000;
  private static final int OUTPUT_SHIFT = 24;
  private static final int LENGTH_MASK = (1 << OUTPUT_SHIFT) - 1;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle POSITION = MethodHandles.arrayElementVarHandle(long[].class);

  /** Positions in two cache lines, as processors fetch lines in pairs. */
  private static final int LINES = 16;

  private static final int TAIL = LINES;

  /** The last head that the producer has read. */
  private static final int KNOWN_HEAD = TAIL + 1;

  private static final int HEAD = 2 * LINES;

  /** The last tail that the consumer has read. */
  private static final int KNOWN_TAIL = HEAD + 1;

  /** Bytes taken by the consumer, which may be more than it has freed. */
  private static final int TAKEN = HEAD + 2;

  /** Takes lines out of a ring. */
  interface Consumer {
    /** Borrows a line, its end included; the second part is empty unless the line wrapped. */
    void line(int output, byte[] bytes, int start, int length, int secondStart, int secondLength);
  }

  private final byte[] bytes;
  private final int mask;
  private final long[] positions = new long[4 * LINES];

  /**
   * @param capacityBytes a power of two
   */
  LineRing(int capacityBytes) {
    if (Integer.bitCount(capacityBytes) != 1 || capacityBytes < 64) {
      throw new IllegalArgumentException(
          "capacityBytes: " + capacityBytes + " (expected: a power of two of at least 64)");
    }
    bytes = new byte[capacityBytes];
    mask = capacityBytes - 1;
  }

  /** The longest line that fits. */
  int maxLineBytes() {
    return Math.min(bytes.length / 4, LENGTH_MASK);
  }

  /** Whether more than half of it is used; any thread, as of a moment ago. */
  boolean overHalf() {
    return usedBytes() > bytes.length / 2;
  }

  /** Bytes in use; any thread, as of a moment ago. */
  long usedBytes() {
    return position(TAIL) - position(HEAD);
  }

  private long position(int which) {
    return (long) POSITION.getAcquire(positions, which);
  }

  /** For the producer: whether more than half of it is used. */
  boolean offeredOverHalf() {
    int half = bytes.length / 2;
    if (positions[TAIL] - positions[KNOWN_HEAD] <= half) {
      return false;
    }
    positions[KNOWN_HEAD] = position(HEAD);
    return positions[TAIL] - positions[KNOWN_HEAD] > half;
  }

  /**
   * For the producer: adds {@code line[0, length)}, or returns false for lack of room.
   *
   * @param timeNanos the time of the event, by the monotonic clock
   */
  boolean offer(int output, byte[] line, int length, long timeNanos) {
    long at = positions[TAIL];
    int size = HEADER_BYTES + padded(length);
    if (at + size - positions[KNOWN_HEAD] > bytes.length) {
      positions[KNOWN_HEAD] = position(HEAD);
      if (at + size - positions[KNOWN_HEAD] > bytes.length) {
        return false;
      }
    }
    int index = (int) at & mask;
    INT.set(bytes, index, output << OUTPUT_SHIFT | length);
    INT.set(bytes, index + TIME_AT, (int) (timeNanos / NANOS_PER_MICRO));
    int start = index + HEADER_BYTES & mask;
    int first = Math.min(length, bytes.length - start);
    System.arraycopy(line, 0, bytes, start, first);
    System.arraycopy(line, first, bytes, 0, length - first);
    POSITION.setRelease(positions, TAIL, at + size);
    return true;
  }

  /** For the consumer: reads how many lines there are now; returns whether there are any. */
  boolean look() {
    positions[KNOWN_TAIL] = position(TAIL);
    return hasSeen();
  }

  /** For the consumer: whether it has seen lines that it has not taken. */
  boolean hasSeen() {
    return positions[TAKEN] != positions[KNOWN_TAIL];
  }

  /** For the consumer: time of the first line. Legal if it {@link #hasSeen} one. */
  int firstTime() {
    return (int) INT.get(bytes, ((int) positions[TAKEN] & mask) + TIME_AT);
  }

  /** For the consumer: takes the first line. Legal if it {@link #hasSeen} one. */
  void takeFirst(Consumer consumer) {
    long at = positions[TAKEN];
    int index = (int) at & mask;
    int header = (int) INT.get(bytes, index);
    int length = header & LENGTH_MASK;
    int start = index + HEADER_BYTES & mask;
    int first = Math.min(length, bytes.length - start);
    consumer.line(header >>> OUTPUT_SHIFT, bytes, start, first, 0, length - first);
    long taken = at + HEADER_BYTES + padded(length);
    positions[TAKEN] = taken;
    if (!hasSeen() || taken - positions[HEAD] >= bytes.length / FREE_SHARE) {
      POSITION.setRelease(positions, HEAD, taken);
    }
  }

  private static int padded(int length) {
    return length + HEADER_BYTES - 1 & -HEADER_BYTES;
  }
}
