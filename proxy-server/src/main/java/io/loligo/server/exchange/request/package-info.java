/**
 * A request with the facts known about it (its own, answers of helpers, the destination, the
 * server), the resolution of its target, and its suspension while it waits for another party.
 *
 * <p>This package uses {@code client}. The steps and their subpackages use it. Confined to the
 * event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.request;

import org.jspecify.annotations.NullMarked;
