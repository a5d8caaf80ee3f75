package io.loligo.cluster.share;

import java.util.UUID;

/** Spreads 64 bits over 64 bits, the same on all nodes and in all versions. */
final class Mix {
  private Mix() {}

  /** A bijection in which each bit of the input changes half of the output (Stafford's 13th). */
  static long of(long bits) {
    long z = bits + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  static long of(UUID id) {
    return of(of(id.getMostSignificantBits()) ^ id.getLeastSignificantBits());
  }
}
