package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.read.Loader;
import io.loligo.store.disk.space.Space;
import io.loligo.store.disk.write.Writer;

/**
 * A directory that is open: what it consists of, and what reads and writes responses there.
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

  /** First half of the hash of {@code key}: all variants under it have that. */
  long high(CacheKey key) {
    return context.secret().hash().of(key, null).high();
  }

  /** The disk does not do what it must. */
  void broken(Throwable why) {
    context.broken().accept(why);
  }
}
