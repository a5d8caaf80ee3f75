/**
 * Disk lookups, and responses from the store: whole responses, ranges, 304, and the repair of a
 * response whose stored content is damaged.
 *
 * <p>This package uses {@code fetch} for the repair; {@code join}, {@code slice} and {@code
 * explain} use it. Confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.hit;

import org.jspecify.annotations.NullMarked;
