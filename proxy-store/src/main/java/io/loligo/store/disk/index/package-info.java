/**
 * The responses of a directory, in memory: the index, and the pieces of large responses. Space,
 * start, read, write and patrol use it; it uses the format, the journal and the segments.
 * Thread-safe: any thread. The locks are short, and none is held over I/O.
 */
@NullMarked
package io.loligo.store.disk.index;

import org.jspecify.annotations.NullMarked;
