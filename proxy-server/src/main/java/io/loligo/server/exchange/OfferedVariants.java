package io.loligo.server.exchange;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.OfferedTags;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.store.Store;
import io.loligo.store.memory.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * Stored variants whose tags a fetch offers to the origin, as far as they are in memory. Owns a
 * reference to each until {@link #release}. Confined to the event loop of the fetch.
 */
final class OfferedVariants {
  private final OfferedTags tags = new OfferedTags();
  private final List<Entry> entries = new ArrayList<>();

  private OfferedVariants() {}

  /** Those that may do for {@code request}; null where there are none. */
  static OfferedVariants of(Store store, CacheKey key, Fields request) {
    OfferedVariants offered = new OfferedVariants();
    for (Entry entry : store.variants(key)) {
      Fields fields = StoredFields.index(ReplyFields.stored(entry));
      if (offered.tags.add(entry.meta(), fields, request)) {
        offered.entries.add(entry);
      } else {
        entry.release();
      }
    }
    return offered.entries.isEmpty() ? null : offered;
  }

  /** What is asked. */
  Conditions conditions() {
    return Conditions.offering(tags);
  }

  /** The one that a 304 names, borrowed; null where it names none. */
  Entry named(ResponseHead notModified) {
    int number = tags.named(notModified);
    return number < 0 ? null : entries.get(number);
  }

  void release() {
    entries.forEach(Entry::release);
    entries.clear();
  }
}
