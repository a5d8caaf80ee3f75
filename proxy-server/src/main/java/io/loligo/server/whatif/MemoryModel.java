package io.loligo.server.whatif;

import io.loligo.store.admission.MemoryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The memory tier, with the policy of the store. Not thread-safe.
 *
 * <p>Beside a disk, {@link MemoryPolicy} decides which responses it takes and keeps. A request that
 * is held and not a hit of the model is a hit of its disk. A response is on disk a second after it
 * arrived.
 */
final class MemoryModel implements TierModel {
  private static final int LEAST_ENTRIES = 64;

  private final WindowTinyLfu responses;
  private final @Nullable DiskHits disk;
  private final boolean keepsArriving;

  /** For each entry, its number among those that are not on disk yet, or 0. */
  private final char[] arrivals;

  private int arrived;
  private final int mostEntries;
  private double share = 1;

  /**
   * An empty model.
   *
   * @param sizeBytes of the tier, for all keys
   * @param disk null: there is none
   * @param onSecondRequest whether that takes a response only when it arrives for the second time:
   *     then memory keeps those that arrive
   * @param mostEntries for which it has room
   */
  MemoryModel(
      MemorySize memory,
      long sizeBytes,
      @Nullable DiskHits disk,
      boolean onSecondRequest,
      int mostEntries) {
    responses = new WindowTinyLfu(memory.roomBytes().applyAsLong(sizeBytes), mostEntries);
    this.disk = disk;
    this.keepsArriving = onSecondRequest;
    this.mostEntries = mostEntries;
    arrivals = new char[mostEntries];
  }

  /** Entries for which there is room in so many bytes. */
  static int mostEntries(int heapBytes) {
    int most = LEAST_ENTRIES;
    while (bytes(most + LEAST_ENTRIES) <= heapBytes) {
      most += LEAST_ENTRIES;
    }
    return most;
  }

  /** Bytes of its arrays. */
  static int bytes(int mostEntries) {
    return WindowTinyLfu.bytes(mostEntries) + mostEntries * Character.BYTES;
  }

  @Override
  public boolean request(long hash, int size, boolean usable, boolean held) {
    int id = KeyRank.id(hash);
    int present = responses.find(id);
    if (present != WindowTinyLfu.NONE) {
      responses.request(present);
    }
    if (present != WindowTinyLfu.NONE && size == TOO_LARGE) {
      responses.remove(present);
    } else if (present != WindowTinyLfu.NONE && usable) {
      responses.mark(present);
      return true;
    }
    if (held && disk != null) {
      onDisk(hash, size, disk.hit(id));
    } else if (size >= 0) {
      arrive(hash, size);
    }
    return false;
  }

  /** Copies a response from disk if the policy does. */
  private void onDisk(long hash, int size, int hits) {
    long limit = responses.maximum();
    if (size >= 0 // an answer without content copies nothing
        && MemoryPolicy.promote(size, hits, responses.used(), limit, limit).inMemory()) {
      put(hash, size, 0);
    }
  }

  private void put(long hash, int size, int arrival) {
    int entry = responses.put(KeyRank.id(hash), KeyRank.of(hash), size);
    if (entry != WindowTinyLfu.NONE) {
      arrivals[entry] = (char) arrival;
    }
  }

  private void arrive(long hash, int size) {
    if (disk == null || keepsArriving) {
      put(hash, size, 0);
    } else {
      arrived = Math.min(arrived + 1, Character.MAX_VALUE);
      put(hash, size, arrived);
      disk.arrived(KeyRank.id(hash));
    }
  }

  /** Whether it has answered with the response under {@code id} since that is there. */
  boolean serves(int id) {
    int entry = responses.find(id);
    return entry != WindowTinyLfu.NONE && responses.isMarked(entry);
  }

  /** The disk has the responses that arrived since the last second; some leave, in that order. */
  @Override
  public void second() {
    if (arrived == 0) {
      return;
    }
    long[] inOrder =
        responses
            .entriesWhere(entry -> arrivals[entry] > 0)
            .mapToLong(entry -> ((long) arrivals[entry] << Integer.SIZE) | entry)
            .sorted()
            .toArray();
    for (long arrival : inOrder) {
      written((int) arrival);
    }
    arrived = 0;
  }

  private void written(int entry) {
    arrivals[entry] = 0;
    boolean asked = responses.isMarked(entry);
    if (!MemoryPolicy.written(asked, responses.used(), responses.maximum()).inMemory()) {
      responses.remove(entry);
    }
  }

  int entries() {
    return responses.entries();
  }

  @Override
  public double fullness() {
    return (double) entries() / mostEntries;
  }

  @Override
  public void sink(int rankLimit) {
    double before = share;
    share = KeyRank.share(rankLimit);
    responses.keep(rankLimit, share / before);
  }
}
