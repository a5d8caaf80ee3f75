package io.loligo.server.upstream;

import io.loligo.server.tls.TlsOptions;

/**
 * TLS on connections to a hop. Immutable; equal if the handshakes are the same.
 *
 * @param serverName the name or the address that the certificate must be for; a name is sent in the
 *     handshake
 * @param options the words of the line that governs it
 * @param http2 whether HTTP/2 is offered
 */
public record HopSecurity(String serverName, TlsOptions options, boolean http2) {}
