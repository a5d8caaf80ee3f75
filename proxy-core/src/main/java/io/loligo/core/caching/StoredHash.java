package io.loligo.core.caching;

import org.jspecify.annotations.Nullable;

/**
 * The 128 bits under which a response is stored on disk: SipHash under a secret that is stored with
 * it, so that it outlives the process. The first half depends on the key alone and finds all
 * variants and parts. The second half depends also on the selecting fields; the low 32 bits of that
 * half depend also on the first byte of a part. So all parts of a variant share {@link #variant}
 * with its whole. Confined to one thread; reusable.
 */
public final class StoredHash {
  private static final long OF_PART = 0xffff_ffffL;

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

  /** Hashes {@code key} and the selecting fields {@code vary}, null if there are none. */
  public StoredHash of(CacheKey key, @Nullable VarySelection vary) {
    hash.update(key.text(), key.length());
    high = hash.high();
    low = hash.low();
    if (vary != null) {
      byte[] fields = vary.toBytes();
      hash.update(fields, fields.length);
      low ^= hash.high();
    }
    return this;
  }

  /** Hashes {@code key}, the selecting fields and the place of the part that {@code meta} has. */
  public StoredHash ofStored(CacheKey key, StoredMeta meta) {
    of(key, meta.vary());
    ContentPart part = meta.part();
    if (part != null) {
      byte[] place = new byte[1 + Long.BYTES];
      for (int i = 1; i < place.length; i++) {
        place[i] = (byte) (part.first() >>> (Byte.SIZE * (i - 1)));
      }
      hash.update(place, place.length);
      low ^= hash.high() & OF_PART;
    }
    return this;
  }

  /** The bits of the half {@code low} that the parts of a variant share with its whole. */
  public static long variant(long low) {
    return low & ~OF_PART;
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
