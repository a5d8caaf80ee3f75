/**
 * Connections that a load balancer passes on with a header of the PROXY protocol, before TLS and
 * before the protocol.
 *
 * <p>{@code listen} puts its handler into the pipelines of ports with {@code require-proxy-header}.
 * Everything is confined to the event loop of its connection.
 */
@NullMarked
package io.loligo.server.downstream.proxied;

import org.jspecify.annotations.NullMarked;
