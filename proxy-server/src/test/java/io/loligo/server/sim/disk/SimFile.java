package io.loligo.server.sim.disk;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * The bytes of a file in memory, in pages: written bytes are in the system's pages at once, and on
 * the disk after a force. Confined to the world's thread.
 */
final class SimFile {
  static final int PAGE_BYTES = 4096;

  private final Map<Integer, byte[]> pages = new HashMap<>();

  /** Pages that differ from the disk, with the content of the disk; null: nothing. */
  private final Map<Integer, byte[]> before = new HashMap<>();

  private final Set<Integer> begun = new HashSet<>();
  private long size;
  private long writtenMillis;

  /** Empty. */
  SimFile(long millis) {
    writtenMillis = millis;
  }

  long size() {
    return size;
  }

  void size(long bytes) {
    if (bytes < size) {
      pages.keySet().removeIf(page -> (long) page * PAGE_BYTES >= bytes);
      int within = (int) (bytes % PAGE_BYTES);
      byte[] last = pages.get((int) (bytes / PAGE_BYTES));
      if (last != null) {
        Arrays.fill(last, within, PAGE_BYTES, (byte) 0);
      }
    }
    size = bytes;
  }

  /** When it was written last. */
  long writtenMillis() {
    return writtenMillis;
  }

  /** Copies bytes to {@code into}; how many there were. */
  int read(long position, byte[] into, int offset, int length) {
    int count = (int) Math.max(0, Math.min(length, size - position));
    for (int done = 0; done < count; ) {
      long at = position + done;
      int within = (int) (at % PAGE_BYTES);
      int part = Math.min(count - done, PAGE_BYTES - within);
      byte[] page = pages.get((int) (at / PAGE_BYTES));
      if (page == null) {
        Arrays.fill(into, offset + done, offset + done + part, (byte) 0);
      } else {
        System.arraycopy(page, within, into, offset + done, part);
      }
      done += part;
    }
    return count;
  }

  void write(long position, byte[] from, int offset, int length, long millis) {
    for (int done = 0; done < length; ) {
      long at = position + done;
      int number = (int) (at / PAGE_BYTES);
      int within = (int) (at % PAGE_BYTES);
      int part = Math.min(length - done, PAGE_BYTES - within);
      byte[] page = pages.computeIfAbsent(number, ignored -> new byte[PAGE_BYTES]);
      if (begun.add(number)) {
        before.put(number, page.clone());
      }
      System.arraycopy(from, offset + done, page, within, part);
      done += part;
    }
    size = Math.max(size, position + length);
    writtenMillis = millis;
  }

  /** Written bytes are on the disk now. */
  void force() {
    begun.clear();
    before.clear();
  }

  /** The same file for another life. */
  SimFile copy() {
    SimFile copy = new SimFile(writtenMillis);
    pages.forEach((number, page) -> copy.pages.put(number, page.clone()));
    copy.size = size;
    return copy;
  }

  /**
   * The content of a disk after a power failure: a page that was not forced has been written, or
   * not.
   */
  SimFile cut(BooleanSupplier isLost) {
    SimFile left = copy();
    for (int number : new TreeSet<>(before.keySet())) {
      if (isLost.getAsBoolean()) {
        left.pages.put(number, before.get(number).clone());
      }
    }
    return left;
  }

  /** Changes a bit of the {@code nth} page in use, if there are any. */
  void damage(int nth, int position, int bit) {
    if (!pages.isEmpty()) {
      TreeSet<Integer> used = new TreeSet<>(pages.keySet());
      int number = used.stream().skip(nth % used.size()).findFirst().orElseThrow();
      pages.get(number)[position % PAGE_BYTES] ^= (byte) (1 << bit);
    }
  }
}
