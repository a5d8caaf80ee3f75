/**
 * Fetches in flight: one writer, its readers, and the way of the content to memory and disk. The
 * front door and the server use it; it uses memory, and reaches the tiers through {@link Landing}
 * and {@link Spool}. Each fetch is confined to the event loop of its writer.
 */
@NullMarked
package io.loligo.store.inflight;

import org.jspecify.annotations.NullMarked;
