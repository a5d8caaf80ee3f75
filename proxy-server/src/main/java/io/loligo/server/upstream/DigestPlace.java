package io.loligo.server.upstream;

import org.jspecify.annotations.Nullable;

/**
 * Where the cache digest of a peer is. Immutable.
 *
 * @param host to ask ({@code digest-url=}); null: the peer
 * @param port of {@code host}
 * @param path with the query
 */
public record DigestPlace(@Nullable String host, int port, String path) {
  /** On the peer, where Squid has it. */
  public static final DigestPlace USUAL =
      new DigestPlace(null, 0, "/squid-internal-periodic/store_digest");
}
