package io.loligo.store.memory;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakTracker;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * What few packed entries have, and everything of an entry that is not packed. Thread-safe as the
 * entry is.
 */
final class EntryDetails {
  static final AtomicReferenceFieldUpdater<EntryDetails, SpreadCount> SPREAD =
      AtomicReferenceFieldUpdater.newUpdater(EntryDetails.class, SpreadCount.class, "spread");

  /** The properties as they are since the entry was published; null: as packed. */
  volatile @Nullable StoredMeta meta;

  /** The selecting fields; null if the response does not vary. */
  final @Nullable VarySelection vary;

  volatile @Nullable SpreadCount spread;
  volatile @Nullable String contentType;
  volatile @Nullable ResourceLeakTracker<Entry> leak;

  // Of an entry that is not packed

  final @Nullable CacheKey key;
  final @Nullable ByteBuf first;
  final @Nullable FurtherContent rest;
  final int fieldsLength;
  final int firstLength;
  final int charge;
  volatile long diskId;
  volatile long judgedAt;
  long @Nullable [] groups;
  int hiddenLength = -1;

  /** Of a packed entry. */
  EntryDetails(@Nullable VarySelection vary) {
    this.vary = vary;
    key = null;
    first = null;
    rest = null;
    fieldsLength = 0;
    firstLength = 0;
    charge = 0;
  }

  /** Of an entry that is not packed. Takes {@code first} and {@code rest}. */
  EntryDetails(
      CacheKey key,
      StoredMeta meta,
      ByteBuf first,
      int charge,
      int fieldsLength,
      int firstLength,
      @Nullable FurtherContent rest) {
    this.meta = meta;
    this.vary = meta.vary();
    this.key = key;
    this.first = first;
    this.rest = rest;
    this.fieldsLength = fieldsLength;
    this.firstLength = firstLength;
    this.charge = charge;
  }
}
