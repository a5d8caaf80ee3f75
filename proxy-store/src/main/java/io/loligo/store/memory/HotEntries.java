package io.loligo.store.memory;

import io.loligo.store.stripes.Stripes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Stored entries whose count event loops contend for. They stay spread while that lasts, at most
 * {@value #MOST} of them. Thread-safe: any thread.
 *
 * <p>A spread entry is not freed, so each one has to be gathered after it left the map. The removal
 * listener of the map does this. If the removal came before the entry was spread, {@link #spread}
 * does it.
 */
final class HotEntries {
  static final int MOST = 256;

  /** An entry with fewer hits from one tick to the next is gathered. */
  static final int FEWEST_HITS = 100;

  private final Stripes stripes;

  private final Set<Entry> entries = ConcurrentHashMap.newKeySet();

  HotEntries(Stripes stripes) {
    this.stripes = stripes;
  }

  /**
   * Spreads {@code entry}, borrowed, if there are not too many.
   *
   * @param isStored called afterwards
   */
  void spread(Entry entry, Predicate<Entry> isStored) {
    if (stripes.count() == 1 || entries.size() >= MOST) {
      entry.forgetCollisions();
    } else if (entry.spread(stripes)) {
      entries.add(entry);
      if (!isStored.test(entry)) {
        left(entry);
      }
    }
  }

  /** {@code entry} left the map, or has another place there. */
  void left(Entry entry) {
    entry.gather();
    if (!entries.isEmpty()) {
      entries.remove(entry);
    }
  }

  /** Gathers those that are no longer hot. Call every second, on the maintenance thread. */
  void tick() {
    for (Entry entry : entries) {
      if (entry.recentHits() < FEWEST_HITS || !entry.isSpread()) {
        left(entry);
      }
    }
  }
}
