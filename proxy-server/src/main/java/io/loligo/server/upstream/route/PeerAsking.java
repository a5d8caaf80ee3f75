package io.loligo.server.upstream.route;

import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.Removal;
import java.net.InetAddress;
import java.util.function.Consumer;

/**
 * Asks peers, before a request is sent anywhere, which of them has the response. Confined to an
 * event loop.
 */
public interface PeerAsking {
  /** Asks nobody. */
  PeerAsking NONE =
      new PeerAsking() {
        @Override
        public boolean asks(Peer peer) {
          return false;
        }

        @Override
        public void ask(PeerQuestion question, Consumer<PeerAnswer> then) {
          then.accept(PeerAnswer.NOBODY);
        }
      };

  /** Whether {@code peer} gets questions at present. */
  boolean asks(Peer peer);

  /** Whether {@code address} is that of a peer. */
  default boolean isPeer(InetAddress address) {
    return false;
  }

  /**
   * Asks.
   *
   * @param then called once, on this event loop, perhaps before this method returns
   */
  void ask(PeerQuestion question, Consumer<PeerAnswer> then);

  /** The responses for {@code url} were removed: tells the peers that want to know. */
  default void removed(String url, Removal why) {}
}
