package io.loligo.core.caching;

/**
 * The 128 bits under which a response rests on disk: SipHash under a secret that is kept beside it,
 * so that it outlives the process. The first half depends on the key alone and finds all variants;
 * the second half also on the selecting fields. Confined to one thread; reusable.
 */
public final class StoredHash {
  private final KeyHash hash;
  private long high;
  private long low;

  /** A hash under the secret {@code (secret0, secret1)}. */
  public StoredHash(long secret0, long secret1) {
    this.hash = new KeyHash(secret0, secret1);
  }

  /** Hashes {@code key} alone. */
  public StoredHash of(KeyProbe key) {
    hash.update(key.text(), key.length());
    high = hash.high();
    low = hash.low();
    return this;
  }

  /** Hashes {@code key} and the selecting fields {@code vary}, null where there are none. */
  public StoredHash of(CacheKey key, VarySelection vary) {
    hash.update(key.text(), key.length());
    high = hash.high();
    low = hash.low();
    if (vary != null) {
      byte[] fields = vary.toOctets();
      hash.update(fields, fields.length);
      low ^= hash.high();
    }
    return this;
  }

  /** The half that all variants share. */
  public long high() {
    return high;
  }

  /** The half of the variant. */
  public long low() {
    return low;
  }
}
