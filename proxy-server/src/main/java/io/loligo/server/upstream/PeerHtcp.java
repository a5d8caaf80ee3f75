package io.loligo.server.upstream;

/**
 * How HTCP is spoken with a peer ({@code htcp}). Immutable.
 *
 * @param asks whether it is asked for responses: without {@code only-clr}
 * @param purges whether it is told of PURGE requests: without {@code no-clr} and {@code
 *     no-purge-clr}
 * @param forwards whether removals of other neighbours are told on to it: {@code forward-clr}
 */
public record PeerHtcp(boolean asks, boolean purges, boolean forwards) {
  /** The option without a value. */
  public static final PeerHtcp USUAL = new PeerHtcp(true, true, false);
}
