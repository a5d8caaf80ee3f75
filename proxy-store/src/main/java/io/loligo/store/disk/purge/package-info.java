/**
 * The file of purges of a directory. Only the directory uses it; it uses the format, the medium and
 * the purges of the store. Thread-safe. Its calls block: they belong to disk threads.
 */
@NullMarked
package io.loligo.store.disk.purge;

import org.jspecify.annotations.NullMarked;
