package io.loligo.server.sim;

/** The way from a peer to the proxy: a socket, or a stream of one. */
interface FarEnd {
  /** Sends bytes to the proxy. */
  void peerSends(byte[] bytes);

  /** The peer sends no more; it goes on reading. */
  void peerFins();

  /** The peer closes: further bytes to it are answered with a reset. */
  void peerCloses();

  /** The peer resets: bytes that the proxy has not read are lost. */
  void peerResets();
}
