/**
 * The need of a load from disk, and its outcome: types that the front door, the tier on disk and
 * the server share. Every package of the store and the server may use it; it uses none of them.
 * Immutable.
 */
@NullMarked
package io.loligo.store.load;

import org.jspecify.annotations.NullMarked;
