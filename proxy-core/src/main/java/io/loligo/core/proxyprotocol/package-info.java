/**
 * The PROXY protocol, versions 1 and 2: the header by which a load balancer tells the addresses of
 * the connection that it passes on.
 *
 * <p>The server's listening side reads headers, its way to parents writes them. This package uses
 * {@code core.message} for addresses. Everything is immutable or stateless.
 */
@NullMarked
package io.loligo.core.proxyprotocol;

import org.jspecify.annotations.NullMarked;
