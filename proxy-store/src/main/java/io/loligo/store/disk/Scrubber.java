package io.loligo.store.disk;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * Reads what is stored, a little at a time and over and over, so that damage is found before a
 * client asks. Confined to one task at a time.
 */
final class Scrubber {
  /** Octets read in a step, about. */
  static final int STEP_BYTES = 4 << 20;

  /** Slots looked at in a step, at most. */
  private static final int STEP_SLOTS = 16_384;

  private int slot;
  private long block;

  /**
   * Verifies the next few objects, each once; drops what is not what was written, or cannot be
   * read.
   */
  void step(DirectoryContext directory) throws IOException {
    long left = STEP_BYTES;
    int slots = Math.min(STEP_SLOTS, directory.catalogue().capacity());
    for (int i = 0; i < slots && left > 0; i++) {
      Stored stored = directory.catalogue().pinSlot(slot);
      if (stored == null) {
        next(directory);
        continue;
      }
      try {
        left -= verify(directory, stored, left);
      } catch (IOException | RuntimeException e) {
        next(directory); // there is more than the one that cannot be read
        throw e;
      } finally {
        directory.catalogue().unpin(stored);
      }
    }
  }

  private void next(DirectoryContext directory) {
    block = 0;
    slot++;
    if (slot >= directory.catalogue().capacity()) {
      slot = 0;
    }
  }

  /** Reads at least a block, at most about {@code budget}; how much of it is used up. */
  private long verify(DirectoryContext directory, Stored stored, long budget) throws IOException {
    ByteBuf first = directory.blocks().tryReadFirst(stored.place(), stored.length());
    directory.counters().scrubbed.increment();
    long read = stored.length();
    boolean good;
    try {
      good = first != null && stored.isSame(first);
      if (good && stored.pieces().length > 0) {
        Layout layout = Layout.of(first, directory.geometry());
        long blocks = layout.blockAt(layout.contentLength() - 1) + 1;
        while (good && block < blocks && read < budget) {
          good = further(directory, stored, layout, Block.id(first));
          read += Block.MAX_BYTES;
          block++;
        }
        if (good && block < blocks) {
          return read; // the rest in the next step
        }
      }
    } finally {
      if (first != null) {
        first.release();
      }
    }
    if (!good && directory.drop(stored)) {
      directory.counters().damaged.increment();
    }
    next(directory);
    return good ? read : budget; // what cannot be read may have taken long
  }

  private boolean further(DirectoryContext directory, Stored stored, Layout layout, long id)
      throws IOException {
    directory.counters().scrubbed.increment();
    ByteBuf further =
        directory
            .blocks()
            .tryReadFurther(
                layout.placeOf(block, stored.pieces()),
                layout.contentOfBlock(block),
                id,
                (int) block + 1);
    if (further == null) {
      return false;
    }
    further.release();
    return true;
  }
}
