package io.loligo.store.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The directories in use, in the order of their lines. A reload adds and removes some: the list is
 * replaced as a whole, so a caller that goes through it works on one list. Thread-safe: any thread
 * reads; one at a time changes it.
 */
final class Directories {
  private volatile List<DiskDirectory> all;

  /** Those that were removed and still have their lock. */
  private final Set<DiskDirectory> ending = ConcurrentHashMap.newKeySet();

  Directories(List<DiskDirectory> all) {
    this.all = List.copyOf(all);
  }

  /** The present ones. Immutable. */
  List<DiskDirectory> all() {
    return all;
  }

  /** Adds {@code directory} as the last one. */
  synchronized void add(DiskDirectory directory) {
    List<DiskDirectory> more = new ArrayList<>(all);
    more.add(directory);
    all = List.copyOf(more);
  }

  /** Removes {@code directory}: calls in progress may still use it. */
  synchronized void remove(DiskDirectory directory) {
    all = all.stream().filter(one -> one != directory).toList();
    ending.add(directory);
    directory.whenReleased(() -> ending.remove(directory));
  }

  /** Whether a removed one still has the lock of {@code path}: its disk is slow. */
  boolean isEnding(String path) {
    return ending.stream().anyMatch(one -> !one.isReleased() && one.config().path().equals(path));
  }

  /** Puts them into the order of {@code paths}. */
  synchronized void order(List<String> paths) {
    List<DiskDirectory> ordered = new ArrayList<>(all);
    ordered.sort(
        (one, other) ->
            Integer.compare(
                paths.indexOf(one.config().path()), paths.indexOf(other.config().path())));
    all = List.copyOf(ordered);
  }
}
