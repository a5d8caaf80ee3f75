/**
 * Keys of stored responses other than those of URLs: of QUERY content, slices and No-Vary-Search.
 * Only the front door uses it, and gives it to the server; it uses no other package of the store.
 * Thread-safe: any thread.
 */
@NullMarked
package io.loligo.store.keys;

import org.jspecify.annotations.NullMarked;
