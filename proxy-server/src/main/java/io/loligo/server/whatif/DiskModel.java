package io.loligo.server.whatif;

import io.loligo.store.admission.DirectoryModel;

/** Memory of its present size, and a directory behind it. Not thread-safe. */
final class DiskModel implements TierModel {
  /**
   * Entries in memory for each on disk, if both were of the same size: those in memory are smaller,
   * because it takes no large ones.
   */
  private static final double MORE_IN_MEMORY = 3;

  private static final int LEAST_ENTRIES = 16;

  private final MemorySize inMemory;
  private final MemoryModel memory;
  private final DirectoryModel directory;
  private final int mostOnDisk;

  /**
   * An empty model.
   *
   * @param sizeBytes of the directory, for all keys
   * @param heapBytes that it takes at most
   */
  DiskModel(long sizeBytes, MemorySize inMemory, DiskSize disk, int heapBytes) {
    this.inMemory = inMemory;
    long memoryBytes = inMemory.sizeBytes().getAsLong();
    double ratio = Math.min(1, MORE_IN_MEMORY * memoryBytes / sizeBytes);
    int mostInMemory = mostInMemory(heapBytes, ratio);
    mostOnDisk = mostOnDisk(heapBytes - MemoryModel.bytes(mostInMemory));
    boolean onSecondRequest = disk.onSecondRequest().getAsBoolean();
    directory =
        new DirectoryModel(
            sizeBytes,
            disk.meanObjectBytes().getAsLong()
                * 2
                / 3, // a directory has half as many records again
            onSecondRequest,
            this::servesFromMemory,
            mostOnDisk);
    memory = new MemoryModel(inMemory, memoryBytes, directory::hit, onSecondRequest, mostInMemory);
  }

  /** Entries in memory that leave room for as many on disk as {@code ratio} says. */
  private static int mostInMemory(int heapBytes, double ratio) {
    int most = LEAST_ENTRIES;
    while (bytes(most + LEAST_ENTRIES, ratio) <= heapBytes) {
      most += LEAST_ENTRIES;
    }
    return most;
  }

  private static int bytes(int inMemory, double ratio) {
    return MemoryModel.bytes(inMemory) + DirectoryModel.bytes((int) (inMemory / ratio));
  }

  private static int mostOnDisk(int heapBytes) {
    int most = LEAST_ENTRIES;
    while (DirectoryModel.bytes(most + LEAST_ENTRIES) <= heapBytes) {
      most += LEAST_ENTRIES;
    }
    return most;
  }

  private boolean servesFromMemory(int id) {
    return memory.serves(id);
  }

  @Override
  public boolean request(long hash, int size, boolean usable, boolean held) {
    int id = KeyRank.id(hash);
    boolean onDisk = directory.holds(id);
    boolean inMemory = memory.request(hash, sizeInMemory(size), usable, usable && onDisk);
    if (size == TOO_LARGE) {
      directory.remove(id);
    } else if (inMemory || (usable && onDisk)) {
      return true;
    } else if (size != UNKNOWN) {
      directory.put(id, KeyRank.of(hash), size);
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

  int entriesInMemory() {
    return memory.entries();
  }

  int entriesOnDisk() {
    return directory.entries();
  }

  @Override
  public double fullness() {
    return Math.max(memory.fullness(), (double) directory.entries() / mostOnDisk);
  }

  @Override
  public void sink(int rankLimit) {
    memory.sink(rankLimit);
    directory.keep(rankLimit, KeyRank.share(rankLimit));
  }
}
