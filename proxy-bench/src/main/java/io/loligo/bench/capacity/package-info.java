/**
 * Programs that measure how much memory an object takes. Each has a {@code main} and prints a
 * table; {@code proxy-bench/README.md} has the commands.
 */
package io.loligo.bench.capacity;
