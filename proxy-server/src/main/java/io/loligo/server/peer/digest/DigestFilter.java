package io.loligo.server.peer.digest;

import io.loligo.core.caching.CacheKey;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A Bloom filter of URLs with its description, in the form in which Squid exchanges it. Not
 * thread-safe; one that does not change any more may be read by any thread.
 *
 * <p>A URL is present if four bits are set, which the MD5 of the method and the URL names. Filters
 * made here have a power of two as capacity, so that {@link #folded} halves them exactly: a bit of
 * the half is set if one of its two bits is.
 */
public final class DigestFilter {
  /** The most URLs that a filter made here is for. */
  public static final int MAX_CAPACITY = 1 << 23;

  /** The most bits for each URL. */
  public static final int MAX_BITS_PER_ENTRY = 32;

  private static final int MIN_CAPACITY = 64;
  static final int HEADER_BYTES = 128;
  private static final int VERSION = 5;
  private static final int OLDEST_VERSION = 3;
  private static final int HASHES = 4;

  private static final int CAPACITY_AT = 4;
  private static final int COUNT_AT = 8;
  private static final int MASK_BYTES_AT = 16;
  private static final int BITS_PER_ENTRY_AT = 20;
  private static final int HASHES_AT = 21;

  private final int capacity;
  private final int bitsPerEntry;
  private final byte[] mask;
  private final UrlHash hash = new UrlHash();

  private DigestFilter(int capacity, int bitsPerEntry, byte[] mask) {
    this.capacity = capacity;
    this.bitsPerEntry = bitsPerEntry;
    this.mask = mask;
  }

  /**
   * An empty filter for {@code urls}.
   *
   * @param bitsPerEntry 1 to {@value #MAX_BITS_PER_ENTRY}
   */
  public static DigestFilter empty(long urls, int bitsPerEntry) {
    int capacity = MIN_CAPACITY;
    while (capacity < urls && capacity < MAX_CAPACITY) {
      capacity *= 2;
    }
    return new DigestFilter(capacity, bitsPerEntry, new byte[maskBytes(capacity, bitsPerEntry)]);
  }

  private static int maskBytes(int capacity, int bitsPerEntry) {
    return Math.toIntExact(((long) capacity * bitsPerEntry + 7) / 8);
  }

  /**
   * The filter without a URL that {@code header} describes; null if that is damaged, of another
   * version, or of a digest of more than {@code maxBytes}.
   */
  static @Nullable DigestFilter described(byte[] header, int maxBytes) {
    ByteBuffer in = ByteBuffer.wrap(header);
    int version = in.getShort(0);
    int oldest = in.getShort(2);
    long capacity = in.getInt(CAPACITY_AT);
    int count = in.getInt(COUNT_AT);
    int maskBytes = in.getInt(MASK_BYTES_AT);
    int bits = in.get(BITS_PER_ENTRY_AT);
    boolean sound =
        version >= OLDEST_VERSION
            && oldest <= VERSION
            && capacity > 0
            && count >= 0
            && bits > 0
            && in.get(HASHES_AT) == HASHES
            && maskBytes <= maxBytes - HEADER_BYTES
            && maskBytes == (capacity * bits + 7) / 8;
    return sound ? new DigestFilter((int) capacity, bits, new byte[maskBytes]) : null;
  }

  /** Adds the URL of {@code key}, which is that of a GET. */
  public void add(CacheKey key) {
    hash.of(key.toString());
    for (int i = 0; i < HASHES; i++) {
      long bit = bit(hash, i);
      mask[(int) (bit >> 3)] |= (byte) (1 << (bit & 7));
    }
  }

  /** Whether a response to GET for the URL of {@code url} may be stored there. */
  public boolean mayHold(UrlHash url) {
    for (int i = 0; i < HASHES; i++) {
      long bit = bit(url, i);
      if ((mask[(int) (bit >> 3)] & (1 << (bit & 7))) == 0) {
        return false;
      }
    }
    return true;
  }

  private long bit(UrlHash url, int number) {
    return url.word(number) % (mask.length * 8L);
  }

  /** Adds everything that {@code other}, made here for as many URLs, has. */
  public void addAll(DigestFilter other) {
    if (other.mask.length != mask.length) {
      throw new IllegalArgumentException(
          "mask: " + other.mask.length + " bytes (expected: " + mask.length + ")");
    }
    for (int i = 0; i < mask.length; i++) {
      mask[i] |= other.mask[i];
    }
  }

  /** The smallest filter of the same URLs, of those made here, that is for all of them. */
  public DigestFilter folded() {
    DigestFilter smallest = this;
    while (smallest.capacity > MIN_CAPACITY && smallest.count() <= smallest.capacity / 2) {
      smallest = smallest.half();
    }
    return smallest;
  }

  private DigestFilter half() {
    byte[] half = new byte[mask.length / 2];
    for (int i = 0; i < half.length; i++) {
      half[i] = (byte) (mask[i] | mask[half.length + i]);
    }
    return new DigestFilter(capacity / 2, bitsPerEntry, half);
  }

  /** Approximate number of URLs, from the number of bits that are set. */
  public int count() {
    long set = 0;
    for (byte bits : mask) {
      set += Integer.bitCount(bits & 0xff);
    }
    double all = mask.length * 8.0;
    double share = Math.min((double) set, all - 1) / all;
    return (int) Math.round(-Math.log(1 - share) * all / HASHES);
  }

  /** The URLs that it is for. */
  public int capacity() {
    return capacity;
  }

  /** Its bits, from the lowest of each byte on. */
  byte[] mask() {
    return mask;
  }

  /** Bytes of the mask. */
  public int maskBytes() {
    return mask.length;
  }

  /** The digest as it is sent. */
  public byte[] bytes() {
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + mask.length);
    out.putShort(0, (short) VERSION).putShort(2, (short) OLDEST_VERSION);
    out.putInt(CAPACITY_AT, capacity).putInt(COUNT_AT, count());
    out.putInt(MASK_BYTES_AT, mask.length);
    out.put(BITS_PER_ENTRY_AT, (byte) bitsPerEntry).put(HASHES_AT, (byte) HASHES);
    out.position(HEADER_BYTES);
    out.put(mask);
    return out.array();
  }
}
