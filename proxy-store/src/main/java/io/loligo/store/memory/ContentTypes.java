package io.loligo.store.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Values of Content-Type, of which there are few, so that entries share one string each, and a
 * packed entry has its number. Numbered values stay; an origin that invents many leaves those of
 * others without a number. Thread-safe: any thread.
 */
final class ContentTypes {
  private static final int PLACES = 256;
  private static final int TRIES = 8;
  private static final AtomicReferenceArray<String> KNOWN = new AtomicReferenceArray<>(PLACES);

  private ContentTypes() {}

  /** The number of {@code value}, from 1 on; 0: it gets none. */
  static int number(String value) {
    int hash = value.hashCode();
    for (int i = 0; i < TRIES; i++) {
      int place = (hash ^ hash >>> 16) + i & PLACES - 1;
      String known = KNOWN.get(place);
      if (known == null && place != 0) {
        known = KNOWN.compareAndExchange(place, null, value);
        known = known == null ? value : known;
      }
      if (value.equals(known)) {
        return place;
      }
    }
    return 0;
  }

  /** The value of {@code number}, which {@link #number} gave. */
  static @Nullable String of(int number) {
    return KNOWN.get(number);
  }

  /** A string equal to {@code value}, the same instance as before if it has a number. */
  static String shared(String value) {
    String known = of(number(value));
    return known == null ? value : known;
  }
}
