package io.loligo.server.sim;

/** The other end of a connection of the proxy: a client or an origin. */
interface SimPeer {
  /** Bytes arrived. */
  void received(byte[] bytes);

  /** The proxy sends no more. */
  void fin();

  /** The proxy, or the network, broke the connection. */
  void reset();

  /** Microseconds until this peer reads the bytes that arrived next. */
  long readDelayMicros();

  /**
   * Whether bytes that arrived still fill the socket's buffer, until {@link SimSocket#makeRoom}.
   */
  default boolean holds() {
    return false;
  }

  /** The proxy has read this many bytes. */
  default void taken(int bytes) {}
}
