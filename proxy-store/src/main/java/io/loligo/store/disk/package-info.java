/**
 * The tier on disk: its directories, and their common parts. This package is the front door of the
 * parts below it, which no other package uses:
 *
 * <pre>
 *   start  patrol  write  read      work on a directory
 *   context                         the parts of an open directory
 *   space                           making space
 *   index                           the stored responses
 *   segment                         the places of their bytes
 *   journal  purge                  removals
 *   medium                          files and threads
 *   format  record                  bytes on disk; heads in memory
 * </pre>
 *
 * <p>Each part uses parts of the lines below it only; a test lists which. Any thread may call
 * {@link DiskTier}; files are read and written on disk threads.
 */
@NullMarked
package io.loligo.store.disk;

import org.jspecify.annotations.NullMarked;
