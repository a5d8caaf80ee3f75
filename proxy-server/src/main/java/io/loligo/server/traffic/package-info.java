/**
 * The traffic of the last minutes by origin, client and user, the slowest requests, and the causes
 * of misses. {@link TrafficTables} takes the finished exchanges of each event loop and gives a
 * {@link Traffic}. {@link HeavyKeys} and {@link Generations} bound the memory.
 *
 * <p>It knows the record of an exchange and the core. An event loop writes tables of its own; a
 * task on that loop copies them, and another thread merges the copies.
 */
@NullMarked
package io.loligo.server.traffic;

import org.jspecify.annotations.NullMarked;
