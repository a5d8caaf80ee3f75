package io.loligo.server.upstream.pool;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.record.HopTls;
import org.jspecify.annotations.Nullable;

/** A connection that serves one request after another. Confined to its event loop. */
public interface PooledConnection {
  /** The place where a connection waits for requests. */
  interface Home {
    /** The connection takes requests again; the response's end is announced after this returns. */
    void idle(PooledConnection connection);

    /** A kept connection takes no further request. */
    void gone(PooledConnection connection);

    /** The peer sent an invalid response, an incomplete one, surplus bytes, or one too slowly. */
    void refused(ParseFailure failure);
  }

  /** The endpoint that was dialled; the pool keeps the connection under it. */
  Endpoint endpoint();

  /** The handshake of TLS is over. Called before the first lease. */
  void secured(HopTls facts);

  /** A lease; null if no request may be sent: close it. */
  @Nullable Lease lease();

  /**
   * Whether the connection now gives out another lease while one is in use: then it stays in the
   * pool. HTTP/1 never does.
   */
  boolean isShared();

  /**
   * Whether the other end gave a sign of life a few seconds ago, and says which requests it has not
   * looked at when it closes. Then the connection may be used for a request that must not be sent
   * twice. HTTP/1 never says so.
   */
  boolean isKnownAlive();

  /**
   * Lets a kept connection serve under another configuration.
   *
   * @return false if it cannot serve any longer: close it
   */
  boolean adopt(ConnectionSettings settings, Home home);

  /** Closes the connection; leases that are in use end first. */
  void close();
}
