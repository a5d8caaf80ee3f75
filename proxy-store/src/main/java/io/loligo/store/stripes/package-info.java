/**
 * Numbers for threads, so that each writes its own cache lines of shared data. Memory, packing and
 * the start of the server use it; it uses no other package of the project. Thread-safe: any thread.
 */
@NullMarked
package io.loligo.store.stripes;

import org.jspecify.annotations.NullMarked;
