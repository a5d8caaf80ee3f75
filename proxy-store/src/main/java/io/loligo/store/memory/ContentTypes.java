package io.loligo.store.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Values of Content-Type, of which there are few, so that entries share one string each. An origin
 * that invents many only evicts those of others. Thread-safe: any thread.
 */
final class ContentTypes {
  private static final int PLACES = 256;
  private static final AtomicReferenceArray<String> KNOWN = new AtomicReferenceArray<>(PLACES);

  private ContentTypes() {}

  /** A string equal to {@code value}, the same instance as before if it is remembered. */
  static String shared(String value) {
    int hash = value.hashCode();
    int place = (hash ^ hash >>> 16) & PLACES - 1;
    String known = KNOWN.get(place);
    if (value.equals(known)) {
      return known;
    }
    KNOWN.set(place, value);
    return value;
  }
}
