/**
 * The listening ports: sockets, options of accepted connections, and the handlers that a port adds
 * before the protocol. The PROXY protocol, TLS and ALPN belong here.
 *
 * <p>It knows {@code connection}, and no protocol: a {@link
 * io.loligo.server.downstream.connection.Protocols} chooses that. Only {@code boot} uses this
 * package. Its types are thread-safe; handlers are installed on the connection's event loop.
 */
@NullMarked
package io.loligo.server.downstream.listen;

import org.jspecify.annotations.NullMarked;
