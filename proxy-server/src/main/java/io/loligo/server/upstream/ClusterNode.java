package io.loligo.server.upstream;

/**
 * A node of the cluster, as one request that may be sent to it sees it. Confined to the event loop
 * of the request.
 */
public interface ClusterNode {
  /**
   * The longest wait for a connection to it, and after that from the request to its first sign of
   * life: an interim response, or the response.
   */
  long limitNanos();

  /** It gave a sign of life, {@code nanos} after the request was sent. */
  void acknowledged(long nanos);

  /**
   * It refused the connection, closed it before the response, or gave no sign of life in time.
   *
   * @param silent whether it is the last
   */
  void failed(boolean silent);

  /**
   * Whether a request that nodes failed may go to a parent or the origin now. Counts it if so: an
   * outage of nodes must not become a flood for origins.
   */
  boolean mayFallBack();
}
