package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredHash;
import io.loligo.core.caching.VarySelection;
import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.read.Loader;
import io.loligo.store.disk.space.Space;
import io.loligo.store.disk.write.Writer;
import org.jspecify.annotations.Nullable;

/**
 * A directory that is open: its parts, and the objects that read and write responses there.
 * Immutable; the next opening makes another one.
 */
record OpenDirectory(DirectoryContext context, Loader loader, Writer writer) {
  Catalogue catalogue() {
    return context.catalogue();
  }

  Journal journal() {
    return context.journal();
  }

  Space space() {
    return context.space();
  }

  /** First half of the hash of {@code key}; all variants under the key share it. */
  long high(CacheKey key) {
    return context.secret().hash().of(key, null).high();
  }

  /**
   * Drops the variant with the selection {@code vary} under {@code key}; null: all. Returns their
   * number; -1 if that failed.
   */
  int drop(CacheKey key, @Nullable VarySelection vary, boolean durably) {
    try {
      StoredHash hash = context.secret().hash().of(key, vary);
      return vary == null
          ? catalogue().dropAll(hash.high(), durably)
          : catalogue().dropVariant(hash.high(), hash.low());
    } catch (RuntimeException | Error e) {
      broken(e);
      return -1;
    }
  }

  /** The disk has failed. */
  void broken(Throwable why) {
    context.broken().accept(why);
  }

  /** No space could be made: the disk has failed, unless memory was short. */
  void brokenUnlessShort(Throwable why) {
    if (why instanceof OutOfMemoryError noMemory) {
      memoryShort(noMemory, "making space on disk");
    } else {
      broken(why);
    }
  }

  /** Memory ran out for {@code what}, which has ended. */
  void memoryShort(OutOfMemoryError why, String what) {
    context.transit().shortage().met(why, what);
  }

  /** One unreadable place is damage; several in a row are a disk failure. */
  void failedToRead(Throwable why) {
    context.counters().damaged.increment();
    context.failures().failed(why);
  }
}
