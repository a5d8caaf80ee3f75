/**
 * Buffers of the store in direct memory, packed without gaps. The front door, memory and the start
 * of the server use it; it uses the stripes only. Thread-safe: any thread may allocate and release.
 */
@NullMarked
package io.loligo.store.packing;

import org.jspecify.annotations.NullMarked;
