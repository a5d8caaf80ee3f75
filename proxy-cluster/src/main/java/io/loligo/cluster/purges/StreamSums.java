package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;

/**
 * Sums of hashes over streams and how far they are, in {@value #PARTS} parts by the stream. Two
 * nodes with the same sum of a part are equally far in all its streams. The same on all nodes and
 * in all versions. Confined to the steps.
 */
final class StreamSums {
  static final int PARTS = 64;

  private final long[] sums = new long[PARTS];

  /** The part of {@code stream}, from 0. */
  static int part(NodeRun stream) {
    return (int) (hash(stream) & (PARTS - 1));
  }

  /** Adds {@code stream}, once. */
  void add(NodeRun stream, long applied) {
    long hash = hash(stream);
    sums[(int) (hash & (PARTS - 1))] += mix(hash ^ mix(applied));
  }

  /** Those of all parts. */
  long[] sums() {
    return sums;
  }

  /** The parts of which the sum differs, as bits. */
  long differing(long[] others) {
    long parts = 0;
    for (int i = 0; i < PARTS; i++) {
      parts |= sums[i] == others[i] ? 0 : 1L << i;
    }
    return parts;
  }

  private static long hash(NodeRun stream) {
    long node = mix(stream.node().getMostSignificantBits());
    return mix(mix(node ^ stream.node().getLeastSignificantBits()) ^ stream.run());
  }

  /** A bijection in which each bit of the input changes half of the output (Stafford's 13th). */
  private static long mix(long bits) {
    long z = bits + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
