/**
 * The proxy's side of TLS with origins and parents: contexts for handshakes, and the verification
 * of certificates.
 *
 * <p>{@code attempt} chooses a context, {@code pool} keeps connections apart by it, and {@code
 * connect} makes the handshake; {@code boot} makes the contexts of each configuration. Contexts are
 * thread-safe. They read files on a thread of their own, never on an event loop.
 */
@NullMarked
package io.loligo.server.upstream.tls;

import org.jspecify.annotations.NullMarked;
