package io.loligo.server.upstream;

import org.jspecify.annotations.Nullable;

/**
 * How this proxy logs in at a peer with {@code login=NEGOTIATE}. Immutable. Equal ones share their
 * tickets.
 *
 * @param host the name of the peer: the ticket is for the service {@code HTTP} on it
 * @param keytab the file with the key of this proxy; null: tickets are in the ticket cache of the
 *     process ({@code auth-no-keytab})
 * @param principal the name of this proxy; null: that of the ticket cache
 */
public record PeerKerberos(String host, @Nullable String keytab, @Nullable String principal) {}
