package io.loligo.server.whatif;

import io.loligo.store.admission.DirectoryModel;
import java.util.function.LongPredicate;

/** Memory of its present size, and a directory behind it. Not thread-safe. */
final class DiskModel implements TierModel {
  /** An entry in memory takes as much heap as so many in the directory. */
  static final int MEMORY_ENTRY = 5;

  private final MemorySize inMemory;
  private final MemoryModel memory;
  private final DirectoryModel directory;
  private final int mostEntries;

  /**
   * An empty model.
   *
   * @param sizeBytes of the directory, for all keys
   * @param share of the keys that it will see
   * @param mostEntries that the caller lets it grow to
   */
  DiskModel(long sizeBytes, MemorySize inMemory, DiskSize disk, double share, int mostEntries) {
    this.mostEntries = mostEntries;
    this.inMemory = inMemory;
    directory =
        new DirectoryModel(
            sizeBytes,
            disk.meanObjectBytes().getAsLong()
                * 2
                / 3, // a directory has half as many records again
            disk.onSecondRequest().getAsBoolean(),
            this::servesFromMemory,
            mostEntries,
            share);
    long memoryBytes = inMemory.sizeBytes().getAsLong();
    memory =
        new MemoryModel(
            inMemory,
            memoryBytes,
            share,
            directory::hit,
            disk.onSecondRequest().getAsBoolean(),
            mostEntries);
  }

  private boolean servesFromMemory(long hash) {
    return memory.serves(hash);
  }

  /** Most bytes that a model with so many entries takes. */
  static int bytes(int mostEntries) {
    return mostEntries * DirectoryModel.BYTES_PER_ENTRY + (8 << 10);
  }

  @Override
  public boolean request(long hash, int size, boolean usable, boolean held) {
    boolean onDisk = directory.holds(hash);
    boolean inMemory = memory.request(hash, sizeInMemory(size), usable, usable && onDisk);
    if (size == TOO_LARGE) {
      directory.remove(hash);
    } else if (inMemory || (usable && onDisk)) {
      return true;
    } else if (size != UNKNOWN) {
      directory.put(hash, size);
    }
    return false;
  }

  private int sizeInMemory(int size) {
    if (size < 0) {
      return size;
    }
    return size > inMemory.largestObject().getAsLong()
        ? TOO_LARGE
        : inMemory.storedBytes().applyAsInt(size);
  }

  @Override
  public void second() {
    memory.second();
  }

  @Override
  public int entries() {
    return directory.entries() + MEMORY_ENTRY * memory.entries();
  }

  @Override
  public int mostEntries() {
    return mostEntries;
  }

  @Override
  public void copyTo(TierModel other, LongPredicate stay) {
    DiskModel copy = (DiskModel) other;
    memory.copyTo(copy.memory, stay);
    directory.copyTo(copy.directory, stay);
  }
}
