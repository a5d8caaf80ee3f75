package io.loligo.server.whatif;

/** The disk behind a memory, as its policy sees it. Not thread-safe. */
interface DiskHits {
  /** Counts a hit on disk. Returns the number for this response, at least 1, as far as known. */
  int hit(int id);

  /** The response is new: it has had no hits on disk. */
  default void arrived(int id) {}
}
