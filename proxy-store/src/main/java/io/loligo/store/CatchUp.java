package io.loligo.store;

import io.loligo.core.caching.HashedKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryTier;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries to disk that memory stored while no directory could take them. Each time a
 * directory is opened, all of memory is looked through, one stretch per step, while the disk has
 * time for it. If a response is written on its second request, it goes on for ever, with entries
 * that the disk refused and that memory was asked for since. Confined to the caller of the steps,
 * one at a time; any thread may call {@link #begin}.
 */
final class CatchUp {
  /** Keys looked at in one step: {@value}. */
  static final int STEP_KEYS = 4096;

  private final MemoryTier memory;
  private final DiskTier disk;
  private volatile boolean due;
  private @Nullable Iterator<? extends HashedKey> left;

  CatchUp(MemoryTier memory, DiskTier disk) {
    this.memory = memory;
    this.disk = disk;
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
        if (disk.isOnSecondRequest()) {
          due = true;
        }
      }
    }
  }

  private void write(HashedKey key) {
    for (Entry entry : memory.retainAll(key)) {
      if (entry.diskId() == 0 && isWanted(entry) && entry.meta().part() == null) {
        disk.writeLate(entry);
      }
      entry.release();
    }
  }

  private boolean isWanted(Entry entry) {
    return !entry.meta().has(StoredMeta.COPY)
        && (!entry.isOfferedToDisk() || (disk.isOnSecondRequest() && memory.serves(entry.key())));
  }
}
