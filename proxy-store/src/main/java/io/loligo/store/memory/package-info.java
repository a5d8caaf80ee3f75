/**
 * The memory tier: stored responses, the references to them, and the ledgers that count their
 * bytes. Every package of the store and the server may use it; it uses neither the disk nor the
 * fetches in flight. Thread-safe: any thread.
 */
@NullMarked
package io.loligo.store.memory;

import org.jspecify.annotations.NullMarked;
