/**
 * The journals of a directory: opened and emptied segments, and removals, in their order; and the
 * confirmation of removals. The directory, segments, index, space, write and start use it; it uses
 * the format and the medium. Any thread appends; only disk threads write.
 */
@NullMarked
package io.loligo.store.disk.journal;

import org.jspecify.annotations.NullMarked;
