package io.loligo.store.memory;

import io.loligo.core.caching.StoredMeta;

/**
 * A stored response as rules judge it: one that is served, or one that is only inspected. An
 * implementation states its threading.
 */
public sealed interface StoredResponse permits Entry, Glimpse {
  /** The input of decisions. */
  StoredMeta meta();

  /** All stored field lines and the empty line. Not to be changed. */
  byte[] storedLines();

  /** The field lines that clients get, and the empty line. Not to be changed. */
  byte[] visibleLines();
}
