/**
 * Purges that are carried out without looking for responses: by group, by pattern, or by making
 * responses stale. The front door, the disk tier and the server use it; it uses memory.
 * Thread-safe: any thread; nothing blocks.
 */
@NullMarked
package io.loligo.store.purge;

import org.jspecify.annotations.NullMarked;
