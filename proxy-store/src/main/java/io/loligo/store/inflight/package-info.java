/**
 * Fetches under way: one writer, the readers that follow it, and the way of its content to memory
 * and disk. The front door and the server use it; it uses memory, and reaches the tiers through
 * {@link Landing} and {@link Spool}. Each fetch is confined to the event loop of its writer.
 */
package io.loligo.store.inflight;
