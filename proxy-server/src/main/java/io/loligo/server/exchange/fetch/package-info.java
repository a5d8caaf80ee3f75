/**
 * Requests to origins and parents, and what their responses do to the store.
 *
 * <p>It knows its client as {@code FetchClient} only. It uses {@code upstream} and the store;
 * {@code join} and {@code hit} begin fetches. Confined to the event loop the fetch was begun on.
 */
package io.loligo.server.exchange.fetch;
