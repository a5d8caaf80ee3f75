package io.loligo.server.whatif;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import io.loligo.store.admission.MemoryPolicy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The memory tier: Caffeine with weights, as in the store. Not thread-safe.
 *
 * <p>Beside a disk, {@link MemoryPolicy} decides which responses it takes and keeps. A request that
 * is held and not a hit of the model is a hit of its disk. A response is on disk a second after it
 * arrived.
 */
final class MemoryModel implements TierModel {
  /** Heap of an entry: nodes of Caffeine and of its map, the sketch, and the response. */
  private static final int BYTES_PER_ENTRY = 130;

  private final Cache<Response, Response> cache;
  private final Policy.Eviction<Response, Response> eviction;
  private final @Nullable DiskHits disk;
  private final boolean keepsArriving;
  private final int mostEntries;

  /** Responses that are not on disk yet. */
  private final Queue<Response> arriving = new ArrayDeque<>();

  /** Finds responses; a request that stores nothing allocates nothing. */
  private final Response probe = new Response(0, 0);

  /** A response, and its key: equal to those of the same hash. */
  private static final class Response {
    long hash;
    final int bytes;
    boolean asked;

    Response(long hash, int bytes) {
      this.hash = hash;
      this.bytes = bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Response response && response.hash == hash;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(hash);
    }
  }

  /**
   * An empty model.
   *
   * @param sizeBytes of the tier, for all keys
   * @param share of the keys that it will see
   * @param disk null: there is none
   * @param onSecondRequest whether that takes a response only when it arrives for the second time:
   *     then memory keeps those that arrive
   * @param mostEntries that the caller lets it grow to
   */
  MemoryModel(
      MemorySize memory,
      long sizeBytes,
      double share,
      @Nullable DiskHits disk,
      boolean onSecondRequest,
      int mostEntries) {
    long roomBytes = (long) (memory.roomBytes().applyAsLong(sizeBytes) * share);
    cache =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(Math.max(1, roomBytes))
            .weigher((Response key, Response response) -> response.bytes)
            .build();
    eviction = cache.policy().eviction().orElseThrow();
    this.disk = disk;
    this.keepsArriving = onSecondRequest;
    this.mostEntries = mostEntries;
  }

  /** Most bytes that a model with so many entries takes. */
  static int bytes(int mostEntries) {
    return mostEntries * BYTES_PER_ENTRY + RecentDiskHits.BYTES + (8 << 10);
  }

  @Override
  public boolean request(long hash, int size, boolean usable, boolean held) {
    Response present = cache.getIfPresent(probe(hash));
    if (present != null && size == TOO_LARGE) {
      cache.invalidate(probe);
    } else if (present != null && usable) {
      present.asked = true;
      return true;
    }
    if (held && disk != null) {
      onDisk(hash, size, disk.hit(hash));
    } else if (size >= 0) {
      arrive(new Response(hash, size));
    }
    return false;
  }

  private Response probe(long hash) {
    probe.hash = hash;
    return probe;
  }

  /** Copies a response from disk if the policy does. */
  private void onDisk(long hash, int size, int hits) {
    if (size >= 0 // an answer without content copies nothing
        && MemoryPolicy.promote(size, hits, usedBytes(), limitBytes(), limitBytes()).inMemory()) {
      Response response = new Response(hash, size);
      cache.put(response, response);
    }
  }

  private void arrive(Response response) {
    cache.put(response, response);
    if (disk != null && !keepsArriving) {
      arriving.add(response);
      disk.arrived(response.hash);
    }
  }

  /** Whether it has answered with the response under {@code hash} since that is there. */
  boolean serves(long hash) {
    Response response = cache.policy().getIfPresentQuietly(probe(hash));
    return response != null && response.asked;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a later response with the same key arrives by itself
  public void second() {
    for (Response response = arriving.poll(); response != null; response = arriving.poll()) {
      boolean present = cache.policy().getIfPresentQuietly(response) == response;
      if (present && !MemoryPolicy.written(response.asked, usedBytes(), limitBytes()).inMemory()) {
        cache.invalidate(response);
      }
    }
  }

  private long usedBytes() {
    return eviction.weightedSize().orElseThrow();
  }

  private long limitBytes() {
    return eviction.getMaximum();
  }

  @Override
  public int entries() {
    return (int) cache.estimatedSize();
  }

  @Override
  public int mostEntries() {
    return mostEntries;
  }

  @Override
  public void copyTo(TierModel other, LongPredicate stay) {
    MemoryModel copy = (MemoryModel) other;
    for (Response response : eviction.coldest(Integer.MAX_VALUE).values()) {
      if (stay.test(response.hash)) {
        copy.cache.put(response, response);
      }
    }
    for (Response response : arriving) {
      if (stay.test(response.hash)) {
        copy.arriving.add(response);
      }
    }
  }
}
