/**
 * Reading the content of a directory at its start: from a checkpoint, the journals and young
 * segments; and the checkpoints themselves. Only the directory uses it; it uses the index and the
 * parts below. Confined to one thread.
 */
@NullMarked
package io.loligo.store.disk.start;

import org.jspecify.annotations.NullMarked;
