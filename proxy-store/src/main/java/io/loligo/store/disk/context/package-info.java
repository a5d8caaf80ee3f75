/**
 * The parts of an open directory, in one object, with its counters. Reads, writes and the patrol
 * use it; it uses the packages of these parts. Thread-safe.
 */
@NullMarked
package io.loligo.store.disk.context;

import org.jspecify.annotations.NullMarked;
