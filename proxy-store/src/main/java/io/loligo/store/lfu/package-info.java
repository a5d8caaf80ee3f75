/**
 * The policy of the memory tier, W-TinyLFU, for entries that are numbers: {@link TinyLfu} decides
 * which one is evicted, and its subclass stores the links. The store and the simulated caches of
 * the what-if share it; it uses no other package of the project. Not thread-safe: the owner's lock.
 */
@NullMarked
package io.loligo.store.lfu;

import org.jspecify.annotations.NullMarked;
