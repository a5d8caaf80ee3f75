package io.loligo.server.upstream;

/**
 * The health of peers, and the distances of origins: attempts report them, the choice of a route
 * reads them. It also counts what peers get and give. Called on any event loop.
 */
public interface HopHealth {
  /** Knows nothing, limits nothing. */
  HopHealth NONE =
      new HopHealth() {
        @Override
        public boolean alive(CachePeer peer) {
          return true;
        }

        @Override
        public boolean hasRoom(CachePeer peer) {
          return true;
        }

        @Override
        public long nextTurn() {
          return 0;
        }

        @Override
        public boolean takesTurn(CachePeer peer) {
          return true;
        }

        @Override
        public boolean open(CachePeer peer) {
          return true;
        }

        @Override
        public void closed(CachePeer peer) {}

        @Override
        public void connected(CachePeer peer) {}

        @Override
        public void failed(CachePeer peer) {}
      };

  /** An origin, {@code host}, has accepted a connection after {@code nanos}. */
  default void reached(String host, long nanos) {}

  /** The round trip to the origin {@code host}, milliseconds; 0: unknown. */
  default int originMillis(String host) {
    return 0;
  }

  /** Whether the peer should be tried. */
  boolean alive(CachePeer peer);

  /** Whether {@code max-conn} leaves room. */
  boolean hasRoom(CachePeer peer);

  /** A number one higher than the last, for taking turns. */
  long nextTurn();

  /**
   * Whether a peer takes a turn that falls to it. One that has just come back leaves most of them
   * to others ({@code loligo-slow-start}).
   */
  boolean takesTurn(CachePeer peer);

  /** Asks for one more connection: false if {@code max-conn} is reached, else it is counted. */
  boolean open(CachePeer peer);

  /** A connection counted by {@link #open} is closed, or was never made. */
  void closed(CachePeer peer);

  /** The peer accepted a connection. */
  void connected(CachePeer peer);

  /** The peer could not be reached. */
  void failed(CachePeer peer);

  /** A request is sent to the peer, or a tunnel asked of it. For numbers only, as all below. */
  default void requested(CachePeer peer) {}

  /** The peer has responded to one: the head is there. */
  default void responded(CachePeer peer) {}

  /** The response of the peer to one did not come, or was cut. */
  default void requestFailed(CachePeer peer) {}

  /** It took a request that its store answers, and gave no answer in time: it is not used. */
  default void silent(CachePeer peer) {}

  /** The digest of the sibling had the URL of a request, and the sibling lacks the response. */
  default void falseDigestHit(CachePeer peer) {}

  /** Bytes of requests or of a tunnel were sent to the peer of this name, and came from it. */
  default void moved(String peerName, long sentBytes, long receivedBytes) {}
}
