/**
 * Kerberos tokens for peers with {@code login=NEGOTIATE}. {@code boot} makes {@code KerberosPeers},
 * the {@code PeerTokens} of {@code attempt}.
 *
 * <p>Threads: one for each peer, which may wait for a key distribution centre. Results arrive on
 * the event loop that asks.
 */
@NullMarked
package io.loligo.server.upstream.kerberos;

import org.jspecify.annotations.NullMarked;
