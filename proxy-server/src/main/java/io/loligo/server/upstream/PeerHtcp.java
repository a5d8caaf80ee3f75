package io.loligo.server.upstream;

import java.util.EnumSet;
import java.util.Set;

/**
 * How HTCP is spoken with a peer ({@code htcp}). Immutable.
 *
 * @param asks whether it is asked for responses: without {@code only-clr} and {@code oldsquid}
 * @param told the removals that it is told of, not to be changed: {@code no-clr}, {@code
 *     no-purge-clr} and {@code forward-clr} change them
 * @param old whether it gets version 0.0, that of Squid before 2.6 ({@code oldsquid})
 */
public record PeerHtcp(boolean asks, Set<Removal> told, boolean old) {
  /** The option without a value. */
  public static final PeerHtcp USUAL =
      new PeerHtcp(true, Set.of(Removal.PURGE, Removal.INVALIDATION), false);

  /** The same without questions. */
  PeerHtcp unasked() {
    return new PeerHtcp(false, told, old);
  }

  /** The same without those of {@code removals}. */
  PeerHtcp untold(Removal... removals) {
    EnumSet<Removal> left = EnumSet.noneOf(Removal.class);
    left.addAll(told);
    Set.of(removals).forEach(left::remove);
    return new PeerHtcp(asks, left, old);
  }

  /** The same, and those that neighbours tell. */
  PeerHtcp forwarding() {
    EnumSet<Removal> more = EnumSet.of(Removal.FORWARDED);
    more.addAll(told);
    return new PeerHtcp(asks, more, old);
  }

  /** The same in version 0.0, without questions: the number in a reply of that version is 0. */
  PeerHtcp ofOldSquid() {
    return new PeerHtcp(false, told, true);
  }
}
