package io.loligo.server.accesslog;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A bounded queue of lines in one array of octets, from one event loop to the log writer.
 * Threading: {@link #offer} by the producer only, {@link #drain} by the consumer only; no locks,
 * nothing is allocated.
 *
 * <p>A record is four octets (length, and in the top eight bits the output's number), four of its
 * time, the line, and up to seven octets of padding, so a header never wraps; a line may. {@code
 * head} and {@code tail} count octets since the beginning and only grow: the producer publishes a
 * record by a release of {@code tail}, the consumer frees it by a release of {@code head}.
 *
 * <p>Times are microseconds in 32 bits, compared by subtraction: enough to merge the rings of
 * several loops, whose lines wait for milliseconds.
 */
final class LineRing {
  /** Outputs a ring can tell apart. */
  static final int MAX_OUTPUTS = 256;

  private static final int HEADER_BYTES = 8;
  private static final int TIME_AT = 4;
  private static final int NANOS_PER_MICRO = 1000;
  private static final int OUTPUT_SHIFT = 24;
  private static final int LENGTH_MASK = (1 << OUTPUT_SHIFT) - 1;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle HEAD;
  private static final VarHandle TAIL;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(LineRing.class, "head", long.class);
      TAIL = lookup.findVarHandle(LineRing.class, "tail", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Takes lines out of a ring. */
  interface Consumer {
    /** Borrows a line, its end included; the second part is empty unless the line wrapped. */
    void line(int output, byte[] bytes, int start, int length, int secondStart, int secondLength);
  }

  private final byte[] bytes;
  private final int mask;

  @SuppressWarnings("UnusedVariable") // by VarHandle
  private volatile long head;

  @SuppressWarnings("UnusedVariable") // by VarHandle
  private volatile long tail;

  /** The consumer's last sight of {@code tail}. */
  private long knownTail;

  /** The producer's last sight of {@code head}. */
  private long knownHead;

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

  /** The longest line taken. */
  int maxLineBytes() {
    return Math.min(bytes.length / 4, LENGTH_MASK);
  }

  /** Whether more than half of it is used; any thread, as of a moment ago. */
  boolean overHalf() {
    return usedBytes() > bytes.length / 2;
  }

  /** Octets in use; any thread, as of a moment ago. */
  long usedBytes() {
    return (long) TAIL.getAcquire(this) - (long) HEAD.getAcquire(this);
  }

  /**
   * The producer's: puts {@code line[0, length)} in, or returns false for want of room.
   *
   * @param timeNanos when what it tells happened, by the monotonic clock
   */
  boolean offer(int output, byte[] line, int length, long timeNanos) {
    long at = (long) TAIL.get(this);
    int size = HEADER_BYTES + padded(length);
    if (at + size - knownHead > bytes.length) {
      knownHead = (long) HEAD.getAcquire(this);
      if (at + size - knownHead > bytes.length) {
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
    TAIL.setRelease(this, at + size);
    return true;
  }

  /**
   * The consumer's: hands over every line that is in {@code rings} now, in the order of their times
   * as far as rings are concerned; within a ring the order of offers stays. Returns how many.
   */
  static int drain(LineRing[] rings, Consumer consumer) {
    for (LineRing ring : rings) {
      ring.knownTail = (long) TAIL.getAcquire(ring);
    }
    int lines = 0;
    for (LineRing ring = earliest(rings); ring != null; ring = earliest(rings)) {
      ring.takeFirst(consumer);
      lines++;
    }
    return lines;
  }

  private static LineRing earliest(LineRing[] rings) {
    LineRing earliest = null;
    int time = 0;
    for (LineRing ring : rings) {
      long at = (long) HEAD.get(ring);
      if (at == ring.knownTail) {
        continue;
      }
      int its = (int) INT.get(ring.bytes, ((int) at & ring.mask) + TIME_AT);
      if (earliest == null || its - time < 0) {
        earliest = ring;
        time = its;
      }
    }
    return earliest;
  }

  private void takeFirst(Consumer consumer) {
    long at = (long) HEAD.get(this);
    int index = (int) at & mask;
    int header = (int) INT.get(bytes, index);
    int length = header & LENGTH_MASK;
    int start = index + HEADER_BYTES & mask;
    int first = Math.min(length, bytes.length - start);
    consumer.line(header >>> OUTPUT_SHIFT, bytes, start, first, 0, length - first);
    HEAD.setRelease(this, at + HEADER_BYTES + padded(length));
  }

  private static int padded(int length) {
    return length + HEADER_BYTES - 1 & -HEADER_BYTES;
  }
}
