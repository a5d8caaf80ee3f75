package io.loligo.store.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The directories in use, in the order of their lines. A reload adds and removes some: the list is
 * replaced as a whole, so a caller that goes through it works on one list. A directory that is
 * being closed to be opened again is paused: it only hears of removals. Thread-safe: any thread
 * reads; one at a time changes it.
 */
final class Directories {
  private volatile List<DiskDirectory> all;
  private volatile List<DiskDirectory> hearing;

  /** Those that were removed and still have their lock. */
  private final Set<DiskDirectory> ending = ConcurrentHashMap.newKeySet();

  Directories(List<DiskDirectory> all) {
    this.all = List.copyOf(all);
    this.hearing = this.all;
  }

  /** The present ones. Immutable. */
  List<DiskDirectory> all() {
    return all;
  }

  /** The present ones and the paused ones. Immutable. */
  List<DiskDirectory> hearing() {
    return hearing;
  }

  /**
   * Adds {@code directory} as the last one.
   *
   * @param former paused, which it replaces; null: none
   */
  synchronized void add(DiskDirectory directory, @Nullable DiskDirectory former) {
    hearing = with(without(hearing, former), directory);
    all = with(all, directory);
  }

  /** Removes {@code directory}: calls in progress may still use it. */
  synchronized void remove(DiskDirectory directory) {
    all = without(all, directory);
    hearing = without(hearing, directory);
    ending.add(directory);
    directory.whenReleased(() -> ending.remove(directory));
  }

  /** Whether a removed one still has the lock of {@code path}: its disk is slow. */
  boolean isEnding(String path) {
    return ending.stream().anyMatch(one -> !one.isReleased() && one.config().path().equals(path));
  }

  /** Pauses {@code directory}: calls in progress may still use it. */
  synchronized void pause(DiskDirectory directory) {
    all = without(all, directory);
  }

  boolean isPaused(DiskDirectory directory) {
    return hearing.contains(directory) && !all.contains(directory);
  }

  private static List<DiskDirectory> with(List<DiskDirectory> some, DiskDirectory another) {
    List<DiskDirectory> more = new ArrayList<>(some);
    more.add(another);
    return List.copyOf(more);
  }

  private static List<DiskDirectory> without(
      List<DiskDirectory> some, @Nullable DiskDirectory other) {
    return some.stream().filter(one -> one != other).toList();
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
