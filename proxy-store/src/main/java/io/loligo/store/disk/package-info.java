/**
 * The tier on disk: its directories, and what they have in common. This package is the front door
 * of the parts below it, which no other package uses:
 *
 * <pre>
 *   start  patrol  write  read      what is done with a directory
 *   context                         what an open directory consists of
 *   space                           making space
 *   index                           which responses there are
 *   segment                         where their bytes stand
 *   journal  purge                  what was removed
 *   medium                          files and threads
 *   format  record                  bytes on disk; heads in memory
 * </pre>
 *
 * <p>Each part uses parts of the lines below it only; a test lists which. Any thread may call
 * {@link DiskTier}; files are read and written on disk threads.
 */
package io.loligo.store.disk;
