/**
 * Looks on disk, and responses from the store: whole, in ranges, 304, and the repair of a response
 * whose content is damaged.
 *
 * <p>It uses {@code fetch} for that repair; {@code join}, {@code slice} and {@code explain} use it.
 * Confined to the event loop of the client.
 */
package io.loligo.server.exchange.hit;
