package io.loligo.server.whatif;

import java.util.function.LongPredicate;

/** A cache without content, with the policy of a tier, for a share of the keys. Not thread-safe. */
interface TierModel {
  /** The request does not tell the size of the response. */
  int UNKNOWN = -1;

  /** The response is larger than the tier stores. */
  int TOO_LARGE = -2;

  /** Makes models of one tier. */
  @FunctionalInterface
  interface Maker {
    /**
     * An empty model.
     *
     * @param sizeBytes of the tier, for all keys
     * @param share of the keys that it will see, above 0; 1: all
     * @param mostEntries see {@link #mostEntries}
     */
    TierModel make(long sizeBytes, double share, int mostEntries);
  }

  /**
   * Takes one request, later than all before.
   *
   * @param hash hash of the key, all bits uniform
   * @param size bytes that the response takes in the tier, {@link #UNKNOWN} or {@link #TOO_LARGE}.
   *     A response of unknown size is not stored
   * @param usable whether a cache that has the response can answer with it; otherwise the request
   *     only replaces it
   * @param held whether the proxy answered with the response, from any tier; so it was usable
   * @return whether it is a hit
   */
  boolean request(long hash, int size, boolean usable, boolean held);

  /** A second has passed. */
  default void second() {}

  /** Number of entries; they determine its memory. */
  int entries();

  /** Most entries that it may have. */
  int mostEntries();

  /** Gives the responses whose hashes {@code stay} to {@code other}, of the same kind and empty. */
  void copyTo(TierModel other, LongPredicate stay);
}
