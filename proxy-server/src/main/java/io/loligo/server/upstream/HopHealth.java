package io.loligo.server.upstream;

import io.loligo.core.config.ProxyConfig.Peer;

/** How peers fare: attempts tell it, the choice of a route reads it. Called on any event loop. */
public interface HopHealth {
  /** Knows nothing, limits nothing. */
  HopHealth NONE =
      new HopHealth() {
        @Override
        public boolean alive(Peer peer) {
          return true;
        }

        @Override
        public boolean hasRoom(Peer peer) {
          return true;
        }

        @Override
        public long nextTurn() {
          return 0;
        }

        @Override
        public boolean open(Peer peer) {
          return true;
        }

        @Override
        public void closed(Peer peer) {}

        @Override
        public void connected(Peer peer) {}

        @Override
        public void failed(Peer peer) {}
      };

  /** Whether the peer is to be tried. */
  boolean alive(Peer peer);

  /** Whether {@code max-conn} leaves room. */
  boolean hasRoom(Peer peer);

  /** A number one higher than the last, for taking turns. */
  long nextTurn();

  /** Asks for one more connection: false where {@code max-conn} is reached, else it is counted. */
  boolean open(Peer peer);

  /** A connection counted by {@link #open} is gone, or was never made. */
  void closed(Peer peer);

  /** The peer accepted a connection. */
  void connected(Peer peer);

  /** The peer could not be connected to. */
  void failed(Peer peer);
}
