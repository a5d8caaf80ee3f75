package io.loligo.server.peer.digest;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.StoredWatch;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Gathers the URLs of stored responses for the own digest. Thread-safe; guarded by {@code this}.
 *
 * <p>The index of a disk has hashes of URLs, and a digest needs the URLs. They pass when a response
 * is written, and when the verification of a {@code cache_dir} reads it again. So a filter gathers
 * what was told since all directories were last read, and the one before it holds what was told in
 * the round before. Responses in memory are told again for each digest. A response that left a disk
 * may stay in the digest for two rounds.
 */
public final class DigestCollection implements StoredWatch {
  /** Begins a key that is a name of store_id_program and no URL. */
  private static final String NAMED = "store-id:";

  private static final String OWN = "http://loligo.invalid/";

  private final LongSupplier millis;
  private final long capacity;
  private final int bitsPerEntry;
  private final long freshSeconds;
  private final int directories;
  private final Set<String> read = new HashSet<>();
  private DigestFilter before;
  private DigestFilter since;

  /**
   * Begins without any.
   *
   * @param millis the clock of stored responses
   * @param capacity URLs that it is for
   * @param freshSeconds a response counts if it stays fresh for this time
   * @param directories the number of those on disk
   */
  public DigestCollection(
      LongSupplier millis, long capacity, int bitsPerEntry, long freshSeconds, int directories) {
    this.millis = millis;
    this.capacity = capacity;
    this.bitsPerEntry = bitsPerEntry;
    this.freshSeconds = freshSeconds;
    this.directories = directories;
    this.before = empty();
    this.since = empty();
  }

  private DigestFilter empty() {
    return DigestFilter.empty(capacity, bitsPerEntry);
  }

  @Override
  public void found(CacheKey key, StoredMeta meta) {
    if (counts(key, meta)) {
      synchronized (this) {
        since.add(key);
      }
    }
  }

  private boolean counts(CacheKey key, StoredMeta meta) {
    if (meta.part() != null || meta.has(StoredMeta.NEGATIVE) || key.isAlternative()) {
      return false;
    }
    long age = meta.ageSeconds(millis.getAsLong());
    if (!meta.isFreshAt(age + freshSeconds)) {
      return false;
    }
    String url = key.toString();
    return url.indexOf(' ') < 0 && !url.startsWith(NAMED) && !url.startsWith(OWN);
  }

  @Override
  public synchronized void wentRound(String directory) {
    read.add(directory);
    if (read.size() >= directories) {
      read.clear();
      before = since;
      since = empty();
    }
  }

  /**
   * The digest of everything told so far and of the responses that {@code memory} tells. Not on an
   * event loop.
   */
  public DigestFilter digest(Memory memory) {
    DigestFilter all = empty();
    memory.tell(
        new StoredWatch() {
          @Override
          public void found(CacheKey key, StoredMeta meta) {
            if (counts(key, meta)) {
              all.add(key);
            }
          }

          @Override
          public void wentRound(String directory) {}
        });
    synchronized (this) {
      all.addAll(before);
      all.addAll(since);
    }
    return all.folded();
  }

  /** Tells of the responses in memory. */
  public interface Memory {
    /** Tells all, on the calling thread. */
    void tell(StoredWatch watch);
  }
}
