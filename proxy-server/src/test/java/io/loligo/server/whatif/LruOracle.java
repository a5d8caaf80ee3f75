package io.loligo.server.whatif;

import java.util.Arrays;

/** A whole LRU cache of objects numbered from 0: what the curve estimates. */
final class LruOracle {
  private final long capacityBytes;
  private final long largestObject;
  private final int[] older;
  private final int[] newer;
  private final long[] sizes;
  private final int ends;
  private long held;
  private long hits;
  private long hitBytes;
  private long requests;
  private long bytes;

  LruOracle(int objects, long capacityBytes, long largestObject) {
    this.capacityBytes = capacityBytes;
    this.largestObject = largestObject;
    older = new int[objects + 1];
    newer = new int[objects + 1];
    sizes = new long[objects];
    Arrays.fill(sizes, -1);
    ends = objects;
    older[ends] = ends;
    newer[ends] = ends;
  }

  /** A request for a whole response. */
  void request(int object, long size) {
    request(object, size, size, true);
  }

  /**
   * A request; returns whether it is a hit.
   *
   * @param sent bytes to the client
   * @param size bytes in the cache; -1: those it has, and it is not stored if it has none
   * @param usable whether the stored response can answer
   */
  boolean request(int object, long sent, long size, boolean usable) {
    requests++;
    bytes += sent;
    long before = sizes[object];
    if (before >= 0) {
      remove(object);
    }
    long now = size < 0 ? before : size;
    if (now < 0 || now > Math.min(largestObject, capacityBytes)) {
      return false;
    }
    boolean hit = before >= 0 && usable;
    if (hit) {
      hits++;
      hitBytes += sent;
    }
    older[object] = older[ends];
    newer[older[ends]] = object;
    newer[object] = ends;
    older[ends] = object;
    sizes[object] = now;
    held += now;
    while (held > capacityBytes) {
      remove(newer[ends]);
    }
    return hit;
  }

  HitRatio ratio() {
    return new HitRatio((double) hits / requests, (double) hitBytes / bytes);
  }

  private void remove(int object) {
    newer[older[object]] = newer[object];
    older[newer[object]] = older[object];
    held -= sizes[object];
    sizes[object] = -1;
  }
}
