/**
 * The map of the memory tier: {@link WeighedMap} finds a value by the hash of its key without a
 * lock, and evicts by the policy of {@link io.loligo.store.lfu}. It knows neither responses nor
 * buffers.
 */
@NullMarked
package io.loligo.store.map;

import org.jspecify.annotations.NullMarked;
