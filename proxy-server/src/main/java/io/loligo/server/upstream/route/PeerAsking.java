package io.loligo.server.upstream.route;

import io.loligo.server.upstream.Peer;
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

  /**
   * Asks.
   *
   * @param then called once, on this event loop, perhaps before this method returns
   */
  void ask(PeerQuestion question, Consumer<PeerAnswer> then);

  /** A client has purged {@code url}: tells the peers that want to know. */
  default void purged(String url) {}
}
