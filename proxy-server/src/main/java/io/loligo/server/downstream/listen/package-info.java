/**
 * The listening ports: sockets, options of accepted connections, and the handlers that a port puts
 * before the protocol. Here belong the PROXY protocol, TLS and ALPN.
 *
 * <p>It knows {@code connection}, and no protocol: a {@link
 * io.loligo.server.downstream.listen.Listeners.ConnectionOpener} chooses that. {@code boot} alone
 * uses this package. Its types are thread-safe; handlers are put into place on the connection's
 * event loop.
 */
package io.loligo.server.downstream.listen;
