/**
 * TLS to clients: the handshake of an accepted connection, before its protocol.
 *
 * <p>It knows {@code connection}, and no protocol; only {@code listen} uses it. Each type is
 * confined to the connection's event loop.
 */
@NullMarked
package io.loligo.server.downstream.tls;

import org.jspecify.annotations.NullMarked;
