package io.loligo.server.admin;

/** What an administrator may do to a running proxy, by HTTP or JMX. Thread-safe: any thread. */
public interface Operations {
  /**
   * Drops what is stored under a URL.
   *
   * @return responses dropped
   * @throws IllegalArgumentException where {@code url} is no http URL; says why
   */
  int purge(String url);

  /** Keeps the old log files by number and starts new ones. */
  void rotateLogs();

  /** Lets running exchanges end and takes no new connections; then the process ends. */
  void drain();

  /** Whether new requests are welcome. */
  boolean ready();

  /** Why not; the empty string while {@link #ready}. */
  String notReadyReason();
}
