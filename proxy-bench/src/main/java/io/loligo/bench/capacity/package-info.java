/**
 * Programs that measure how much memory an object takes. Each has a {@code main} and prints a
 * table; {@code proxy-bench/README.md} has the commands.
 *
 * <p>No other package uses this one. A program runs on its main thread, beside the threads of the
 * store or proxy that it measures.
 */
@NullMarked
package io.loligo.bench.capacity;

import org.jspecify.annotations.NullMarked;
