package io.loligo.server.whatif;

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
     * An empty model, for all keys.
     *
     * @param sizeBytes of the tier
     * @param heapBytes that the model takes at most
     */
    TierModel make(long sizeBytes, int heapBytes);
  }

  /**
   * Takes one request, later than all before.
   *
   * @param hash hash of the key, all bits uniform except for those that choose the keys
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

  /** The fullness of its arrays, from 0 to 1. It must be below 1 before a request. */
  double fullness();

  /**
   * Only keys below a limit are known from now on, which is not above the one before. Its size is
   * smaller in that proportion.
   *
   * @param rankLimit see {@link KeyRank}
   */
  void sink(int rankLimit);
}
