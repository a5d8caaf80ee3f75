package io.loligo.core.caching;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The key under which responses to one effective URI are stored: {@code
 * scheme://host[:port]/path[?query]}. Scheme and host are in lower case, a default port is left
 * out, and an empty path is {@code /}. Nothing else is normalised: URLs that the origin may
 * distinguish must not share a key, because that allows cache poisoning.
 *
 * <p>Other keys are a URL, with or without its query, followed by a blank, which no URL contains,
 * and a suffix; see {@link io.loligo.core.message.RequestTarget#keyedBy}.
 *
 * <p>A 128-bit hash chooses the slot; the full key is compared on every hit. Immutable.
 */
public final class CacheKey implements HashedKey {
  private final byte[] text;
  private final long high;
  private final long low;

  CacheKey(byte[] text, long high, long low) {
    this.text = text;
    this.high = high;
    this.low = low;
  }

  @Override
  public long high() {
    return high;
  }

  @Override
  public long low() {
    return low;
  }

  /** Bytes of the key. */
  public int length() {
    return text.length;
  }

  /** A hash of the URL without its query, the same for all keys that begin with it. */
  public int pathHash() {
    return KeyHash.ofPath(text, text.length);
  }

  /**
   * Whether it is the key of a URL followed by more, which ends with a digest of {@value
   * ContentDigest#DIGITS} digits.
   */
  public boolean isAlternative() {
    int blank = text.length - ContentDigest.DIGITS - 1;
    return blank > 0 && text[blank] == ' ';
  }

  /** The URL without its query, as text. */
  String path() {
    return new String(text, 0, KeyHash.pathEnd(text, text.length), StandardCharsets.ISO_8859_1);
  }

  /** Whether {@code other} is of the same scheme, host and port. No allocation. */
  public boolean isOfOriginOf(CacheKey other) {
    int end = other.authorityEnd();
    return text.length > end && text[end] == '/' && Arrays.equals(text, 0, end, other.text, 0, end);
  }

  private int authorityEnd() {
    int slashes = 0;
    for (int i = 0; i < text.length; i++) {
      slashes += text[i] == '/' ? 1 : 0;
      if (slashes == 3) {
        return i;
      }
    }
    return text.length;
  }

  /** The bytes themselves, not to be changed. */
  byte[] text() {
    return text;
  }

  @Override
  public int hashCode() {
    return (int) high;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (this == other) {
      return true;
    }
    if (other instanceof CacheKey key) {
      return high == key.high && low == key.low && Arrays.equals(text, key.text);
    }
    return other instanceof KeyProbe probe && probe.matches(this);
  }

  @Override
  public String toString() {
    return new String(text, StandardCharsets.ISO_8859_1);
  }
}
