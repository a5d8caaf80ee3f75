/**
 * Reading the content of a directory at its start: from a checkpoint, the journals and young
 * segments; and the writing of the checkpoints. Only the directory uses it; it uses the context and
 * the parts below. Confined to one thread at a time.
 */
@NullMarked
package io.loligo.store.disk.start;

import org.jspecify.annotations.NullMarked;
