/**
 * A client's connection, the same for every protocol: limits by address, lifetime, drain, and the
 * terms of the configuration in force.
 *
 * <p>{@code stream}, {@code http1}, {@code listen} and {@code proxied} build on it; it knows none
 * of them. Each type is confined to the connection's event loop, except {@link
 * io.loligo.server.downstream.connection.ClientAddresses}, which any thread may use.
 */
@NullMarked
package io.loligo.server.downstream.connection;

import org.jspecify.annotations.NullMarked;
