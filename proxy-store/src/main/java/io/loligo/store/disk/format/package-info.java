/**
 * The bytes on disk: blocks, segments, places, and the sizes of the files; see {@code
 * docs/disk-format.md}. Nothing here reads or writes a file. All other parts of the disk tier use
 * it; it uses none of them. Stateless or immutable: any thread.
 */
@NullMarked
package io.loligo.store.disk.format;

import org.jspecify.annotations.NullMarked;
