package io.loligo.store;

import io.loligo.store.disk.DiskTier;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryTier;
import java.util.Iterator;

/**
 * Writes to disk what memory was given while no directory was there to take it: each time one was
 * opened all of memory is looked through, a stretch with each step, as long as the disk has time
 * for it. Confined to who steps, one at a time; {@link #begin} from any thread.
 */
final class CatchUp {
  /** Keys looked at in one step: {@value}. */
  static final int STEP_KEYS = 4096;

  private final MemoryTier memory;
  private final DiskTier disk;
  private final boolean askedFor;
  private volatile boolean due;
  private Iterator<Object> left;

  /**
   * @param askedFor whether it goes on for ever, with what the disk refused and memory was asked
   *     for since
   */
  CatchUp(MemoryTier memory, DiskTier disk, boolean askedFor) {
    this.memory = memory;
    this.disk = disk;
    this.askedFor = askedFor;
  }

  /** A directory was opened. */
  void begin() {
    due = true;
  }

  void step() {
    if (due) {
      due = false;
      left = memory.keys();
    }
    for (int i = 0; i < STEP_KEYS && left != null && disk.isCalm(); i++) {
      if (left.hasNext()) {
        write(left.next());
      } else {
        left = null;
        if (askedFor) {
          due = true;
        }
      }
    }
  }

  private void write(Object key) {
    for (Entry entry : memory.retainAll(key)) {
      if (entry.diskId() == 0 && isWanted(entry) && entry.meta().part() == null) {
        disk.writeLate(entry);
      }
      entry.release();
    }
  }

  private boolean isWanted(Entry entry) {
    return !entry.isOfferedToDisk() || (askedFor && memory.serves(entry.key()));
  }
}
