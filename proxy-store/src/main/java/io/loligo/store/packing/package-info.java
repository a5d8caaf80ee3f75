/**
 * Buffers of the store in direct memory, packed without gaps. The front door, memory and the start
 * of the server use it; it uses the stripes only. Thread-safe: any thread may allocate and release.
 */
package io.loligo.store.packing;
