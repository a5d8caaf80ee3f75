package io.loligo.server.accesslog;

import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of whole lines, from the log writer to a thread that may block. Thread-safe:
 * guarded by {@code this}, never held over I/O.
 *
 * <p>Lines that were taken stay until they are {@link #written}, so that they can be written again
 * after a failure.
 */
final class LineQueue {
  /** Room that only commands may use, in bytes. */
  static final int RESERVE_BYTES = 256;

  private final byte[] bytes;
  private int head;
  private int length;
  private int taken;
  private long lost;
  private boolean closed;

  /** A queue of {@code capacityBytes}, which must be more than {@link #RESERVE_BYTES}. */
  LineQueue(int capacityBytes) {
    bytes = new byte[capacityBytes];
  }

  /**
   * Adds a line in three parts, borrowed, the last of which has its end. Without room it is lost.
   * Never waits.
   */
  synchronized boolean line(
      byte[] prefix, byte[] source, int start, int size, int secondStart, int secondSize) {
    if (closed
        || (long) length + prefix.length + size + secondSize > bytes.length - RESERVE_BYTES) {
      lost++;
      return false;
    }
    add(prefix, 0, prefix.length);
    add(source, start, size);
    add(source, secondStart, secondSize);
    notifyAll();
    return true;
  }

  /**
   * Adds {@code command}, which has its end and is no line; false: there is no room even for it.
   */
  synchronized boolean command(byte[] command) {
    if (closed || length + command.length > bytes.length) {
      return false;
    }
    add(command, 0, command.length);
    notifyAll();
    return true;
  }

  private void add(byte[] source, int start, int size) {
    int at = (head + length) % bytes.length;
    int first = Math.min(size, bytes.length - at);
    System.arraycopy(source, start, bytes, at, first);
    System.arraycopy(source, start + first, bytes, 0, size - first);
    length += size;
  }

  /**
   * Waits for lines, and copies whole ones: at most {@code most} bytes, or one line. They stay in
   * the queue until {@link #written}. Null: it is closed and empty.
   */
  synchronized byte @Nullable [] take(int most) throws InterruptedException {
    while (length == 0) {
      if (closed) {
        return null;
      }
      wait();
    }
    int end = Math.min(most, length);
    while (end > 0 && at(end - 1) != '\n') {
      end--;
    }
    if (end == 0) {
      end = Math.min(most, length);
      while (at(end - 1) != '\n') {
        end++;
      }
    }
    byte[] chunk = new byte[end];
    int first = Math.min(end, bytes.length - head);
    System.arraycopy(bytes, head, chunk, 0, first);
    System.arraycopy(bytes, 0, chunk, first, end - first);
    taken = end;
    return chunk;
  }

  private byte at(int index) {
    return bytes[(head + index) % bytes.length];
  }

  /** What was taken last has been written. Returns whether nothing is left. */
  synchronized boolean written() {
    head = (head + taken) % bytes.length;
    length -= taken;
    taken = 0;
    return length == 0;
  }

  /** Takes nothing more. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** Waits for {@code millis}, or until it is closed. */
  synchronized void pause(long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    for (long left = millis; left > 0 && !closed; left = (end - System.nanoTime()) / 1_000_000) {
      wait(left);
    }
  }

  /** Counts the lines that are left as lost, and forgets them. */
  synchronized void abandon() {
    for (int i = 0; i < length; i++) {
      lost += at(i) == '\n' ? 1 : 0;
    }
    length = 0;
    taken = 0;
  }

  /** Whether it takes nothing more. */
  synchronized boolean isClosed() {
    return closed;
  }

  /** Lines without room, and abandoned ones. */
  synchronized long lost() {
    return lost;
  }
}
