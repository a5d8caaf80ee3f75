/**
 * A map of heads in memory outside of the heap, and the allocation of files. The medium and the
 * reads use it; it uses no other part of the disk tier. Thread-safe.
 */
@NullMarked
package io.loligo.store.disk.record;

import org.jspecify.annotations.NullMarked;
