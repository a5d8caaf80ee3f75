package io.loligo.core.caching;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reusable key for look-ups: equal to a {@link CacheKey} of the same bytes, without allocation.
 * Confined to one event loop; never stored in a map.
 */
public final class KeyProbe implements HashedKey {
  private final KeyHash hash = new KeyHash();
  private byte[] text = new byte[512];
  private int length;

  /** Forgets the key; bytes are appended from now on. */
  public KeyProbe clear() {
    length = 0;
    return this;
  }

  /** Appends one byte. */
  public KeyProbe append(byte b) {
    reserve(1);
    text[length++] = b;
    return this;
  }

  /** Appends {@code bytes[start, end)} unchanged. */
  public KeyProbe append(byte[] bytes, int start, int end) {
    int more = end - start;
    reserve(more);
    System.arraycopy(bytes, start, text, length, more);
    length += more;
    return this;
  }

  /** Appends text, one byte per char. */
  @SuppressWarnings("deprecation") // String.getBytes(int, int, byte[], int): Latin-1, no allocation
  public KeyProbe append(String latin1) {
    int more = latin1.length();
    reserve(more);
    latin1.getBytes(0, more, text, length);
    length += more;
    return this;
  }

  /** Completes the key: computes its hash. Call it before any look-up. */
  public KeyProbe seal() {
    hash.update(text, length);
    return this;
  }

  /** An immutable key of its own with the same bytes. */
  public CacheKey toKey() {
    return new CacheKey(Arrays.copyOf(text, length), hash.high(), hash.low());
  }

  @Override
  public long high() {
    return hash.high();
  }

  @Override
  public long low() {
    return hash.low();
  }

  /** A hash of the URL without its query, the same for all keys that begin with it. */
  public int pathHash() {
    return KeyHash.ofPath(text, length);
  }

  /** The bytes so far, {@link #length} of them, not to be changed. */
  byte[] text() {
    return text;
  }

  int length() {
    return length;
  }

  /** Whether its bytes are those of {@code key}. */
  public boolean matches(CacheKey key) {
    return hash.high() == key.high()
        && hash.low() == key.low()
        && Arrays.equals(text, 0, length, key.text(), 0, key.length());
  }

  /** Whether its bytes are the {@code length} bytes of {@code in} at {@code index}. */
  public boolean isAt(ByteBuf in, int index, int length) {
    if (length != this.length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (in.getByte(index + i) != text[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    return (int) hash.high();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof CacheKey key && matches(key));
  }

  private void reserve(int more) {
    if (length + more > text.length) {
      text = Arrays.copyOf(text, Math.max(length + more, text.length * 2));
    }
  }
}
