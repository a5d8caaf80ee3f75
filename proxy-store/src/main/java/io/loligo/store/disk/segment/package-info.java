/**
 * The segments of a directory: which are free, open or full, their buffers, and the blocks in them.
 * Index, space, start, read and write use it; it uses the format, the medium and the journal.
 * Thread-safe. Other packages read a {@link Segment}; only {@link Segments} changes it, under its
 * lock.
 */
@NullMarked
package io.loligo.store.disk.segment;

import org.jspecify.annotations.NullMarked;
