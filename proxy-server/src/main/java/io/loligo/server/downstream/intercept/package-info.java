/**
 * Connections that the system sends here although their clients mean another server: the address
 * that the client connected to, the refusal of connections that have none, and the CONNECT on
 * behalf of clients that speak TLS.
 *
 * <p>{@code listen} asks for the destination when a port intercepts; {@code boot} chooses the way
 * to ask the system. No other package uses this one. The types are thread-safe, except for those
 * that say otherwise.
 */
@NullMarked
package io.loligo.server.downstream.intercept;

import org.jspecify.annotations.NullMarked;
