/** Buffers of the store in direct memory, close together. */
package io.loligo.store.packing;
