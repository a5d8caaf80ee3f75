package io.loligo.core.caching;

/** The 128-bit hash of a key. */
final class KeyHash {
  private KeyHash() {}

  static long high(byte[] text, int length) {
    return mix(text, length, 0x9e3779b97f4a7c15L);
  }

  static long low(byte[] text, int length) {
    return mix(text, length, 0xc2b2ae3d27d4eb4fL);
  }

  private static long mix(byte[] text, int length, long seed) {
    long h = seed;
    for (int i = 0; i < length; i++) {
      h = (h ^ text[i]) * 0x100000001b3L;
      h ^= h >>> 29;
    }
    return h;
  }
}
