package io.loligo.core.caching;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * SipHash-2-4 with 128 bits of output (Aumasson and Bernstein): keyed, so that nobody outside can
 * choose URLs that share a slot. One pass over the bytes gives both halves. Confined to one thread;
 * reusable.
 *
 * <p>The secret is drawn once per process: hashes have no meaning outside of it. Code that keeps
 * hashes longer, such as a tier on disk, computes its own hash of {@link CacheKey}'s bytes.
 */
public final class KeyHash {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long SECRET_0;
  private static final long SECRET_1;

  static {
    SecureRandom random = new SecureRandom();
    SECRET_0 = random.nextLong();
    SECRET_1 = random.nextLong();
  }

  private final long k0;
  private final long k1;
  private long v0;
  private long v1;
  private long v2;
  private long v3;
  private long high;
  private long low;

  /** A hash under the secret of this process. */
  KeyHash() {
    this(SECRET_0, SECRET_1);
  }

  /** A hash under the secret {@code (k0, k1)}. */
  public KeyHash(long k0, long k1) {
    this.k0 = k0;
    this.k1 = k1;
  }

  /** Hashes {@code text[0, length)}; {@link #high} and {@link #low} then hold the result. */
  public KeyHash update(byte[] text, int length) {
    v0 = k0 ^ 0x736f6d6570736575L;
    v1 = k1 ^ 0x646f72616e646f6dL ^ 0xee;
    v2 = k0 ^ 0x6c7967656e657261L;
    v3 = k1 ^ 0x7465646279746573L;
    int words = length & ~7;
    for (int at = 0; at < words; at += 8) {
      compress((long) WORD.get(text, at));
    }
    compress(lastWord(text, words, length));
    v2 ^= 0xee;
    rounds(4);
    high = v0 ^ v1 ^ v2 ^ v3;
    v1 ^= 0xdd;
    rounds(4);
    low = v0 ^ v1 ^ v2 ^ v3;
    return this;
  }

  /** A small hash of {@code text[0, length)} up to a question mark or blank. */
  static int ofPath(byte[] text, int length) {
    int hash = 0;
    int end = pathEnd(text, length);
    for (int i = 0; i < end; i++) {
      hash = hash * 31 + text[i];
    }
    return hash ^ hash >>> 16;
  }

  /** Where a question mark or blank stands in {@code text[0, length)}, or its end. */
  static int pathEnd(byte[] text, int length) {
    int end = 0;
    while (end < length && text[end] != '?' && text[end] != ' ') {
      end++;
    }
    return end;
  }

  /** The first half. */
  public long high() {
    return high;
  }

  long low() {
    return low;
  }

  private static long lastWord(byte[] text, int from, int length) {
    long word = (long) length << 56;
    for (int at = from, shift = 0; at < length; at++, shift += 8) {
      word |= (text[at] & 0xffL) << shift;
    }
    return word;
  }

  private void compress(long word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }

  private void rounds(int count) {
    long a = v0;
    long b = v1;
    long c = v2;
    long d = v3;
    for (int i = 0; i < count; i++) {
      a += b;
      b = Long.rotateLeft(b, 13) ^ a;
      a = Long.rotateLeft(a, 32);
      c += d;
      d = Long.rotateLeft(d, 16) ^ c;
      a += d;
      d = Long.rotateLeft(d, 21) ^ a;
      c += b;
      b = Long.rotateLeft(b, 17) ^ c;
      c = Long.rotateLeft(c, 32);
    }
    v0 = a;
    v1 = b;
    v2 = c;
    v3 = d;
  }
}
