/**
 * What a load from disk is to bring, and how it ended: the words that the front door, the tier on
 * disk and the server share. Every package of the store and the server may use it; it uses none of
 * them. Immutable.
 */
package io.loligo.store.load;
