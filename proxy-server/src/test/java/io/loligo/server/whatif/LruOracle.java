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

  void request(int object, long size) {
    requests++;
    bytes += size;
    boolean held = sizes[object] >= 0;
    if (held) {
      remove(object);
    }
    if (size > Math.min(largestObject, capacityBytes)) {
      return;
    }
    if (held) {
      hits++;
      hitBytes += size;
    }
    older[object] = older[ends];
    newer[older[ends]] = object;
    newer[object] = ends;
    older[ends] = object;
    sizes[object] = size;
    this.held += size;
    while (this.held > capacityBytes) {
      remove(newer[ends]);
    }
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
