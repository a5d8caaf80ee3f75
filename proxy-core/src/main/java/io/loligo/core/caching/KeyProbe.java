package io.loligo.core.caching;

import java.util.Arrays;

/**
 * A reusable key to look up with: equal to a {@link CacheKey} of the same octets, without
 * allocation. Confined to one event loop; never stored in a map.
 */
public final class KeyProbe {
  private byte[] text = new byte[512];
  private int length;
  private long high;
  private long low;

  /** Forgets the key; octets are appended from now on. */
  public KeyProbe clear() {
    length = 0;
    return this;
  }

  /** Appends one octet. */
  public KeyProbe append(byte octet) {
    if (length == text.length) {
      text = Arrays.copyOf(text, length * 2);
    }
    text[length++] = octet;
    return this;
  }

  /** Appends {@code bytes[start, end)} as they are. */
  public KeyProbe append(byte[] bytes, int start, int end) {
    int more = end - start;
    if (length + more > text.length) {
      text = Arrays.copyOf(text, Math.max(length + more, text.length * 2));
    }
    System.arraycopy(bytes, start, text, length, more);
    length += more;
    return this;
  }

  /** Completes the key: computes its hash. To be called before any look-up. */
  public KeyProbe seal() {
    high = KeyHash.high(text, length);
    low = KeyHash.low(text, length);
    return this;
  }

  /** An immutable key of its own with the same octets. */
  public CacheKey toKey() {
    return new CacheKey(Arrays.copyOf(text, length), high, low);
  }

  public long high() {
    return high;
  }

  public long low() {
    return low;
  }

  boolean matches(CacheKey key) {
    return high == key.high()
        && low == key.low()
        && Arrays.equals(text, 0, length, key.text(), 0, key.length());
  }

  @Override
  public int hashCode() {
    return (int) high;
  }

  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof CacheKey key && matches(key));
  }
}
