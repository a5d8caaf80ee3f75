package io.loligo.server.upstream;

import io.loligo.server.tls.TlsOptions;

/**
 * {@code tls_outgoing_options}: TLS to origins. Immutable.
 *
 * @param options the words of all lines
 * @param enabled false: {@code disable}, no request for an https URL goes to its origin
 */
public record OutgoingTls(TlsOptions options, boolean enabled) {}
