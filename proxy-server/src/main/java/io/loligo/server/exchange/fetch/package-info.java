/**
 * Requests to origins and parents, and the effects of their responses on the store.
 *
 * <p>A fetch knows its client only as a {@code FetchClient}. This package uses {@code upstream} and
 * the store; {@code join} and {@code hit} begin fetches. Confined to the event loop that began the
 * fetch.
 */
@NullMarked
package io.loligo.server.exchange.fetch;

import org.jspecify.annotations.NullMarked;
