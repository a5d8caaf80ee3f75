package io.loligo.server.transport;

/**
 * Counts the bytes of one response after the other on their way to the client's socket. Confined to
 * the event loop.
 */
public interface ResponseTally {
  /** Starts counting at zero; only while nothing is pending. */
  void restart();

  /** Bytes the socket took since {@link #restart}. */
  long writtenBytes();

  /**
   * A number that grows by the bytes that the client took while it owed progress of this response.
   * It may grow by the bytes of other responses that go first on the same connection.
   */
  long movedBytes();

  /** Whether bytes are queued that the socket did not take yet. */
  boolean pending();

  /** Whether a write failed: the connection is broken. */
  boolean failed();
}
