/**
 * Cache digests of version 5, as Squid exchanges them: a Bloom filter of the URLs whose responses a
 * proxy has stored.
 *
 * <p>{@code boot} gathers the own digest and fetches those of peers. Filters are confined to one
 * thread until they are published, and do not change after that.
 */
@NullMarked
package io.loligo.server.peer.digest;

import org.jspecify.annotations.NullMarked;
