package io.loligo.server.upstream.pool;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.store.MemoryDirectives;

/** The part of one configuration for connections to origins and parents. Immutable. */
public final class ConnectionSettings {
  /** {@code server_persistent_connections}. */
  public final boolean persistent;

  /** Connections kept for one endpoint; 0: none, -1: no limit. */
  public final int maxIdle;

  /** {@code loligo_stream_buffer_size}. */
  public final int streamBufferBytes;

  /** How long a kept connection waits for a request. */
  public final long idleMillis;

  /** The age at which a connection takes no further request; 0: no limit. */
  public final long ageMillis;

  public final long readMillis;
  public final long writeMillis;

  /** Bytes a second that a response must move after it has begun; 0: any rate. */
  public final int minBytesPerSecond;

  /** The window over which that rate is measured. */
  public final long rateWindowMillis;

  /** The settings of {@code config}. */
  public ConnectionSettings(ProxyConfig config) {
    persistent = config.get(OriginDirectives.SERVER_PERSISTENT_CONNECTIONS);
    maxIdle = config.get(OriginDirectives.MAX_IDLE_PER_ORIGIN);
    streamBufferBytes = config.get(MemoryDirectives.STREAM_BUFFER_SIZE);
    idleMillis = config.get(OriginDirectives.SERVER_IDLE_PCONN_TIMEOUT);
    ageMillis = config.get(TimeoutDirectives.PCONN_LIFETIME);
    readMillis = config.get(TimeoutDirectives.READ_TIMEOUT);
    writeMillis = config.get(TimeoutDirectives.WRITE_TIMEOUT);
    minBytesPerSecond = config.get(OriginDirectives.MIN_ORIGIN_RATE);
    rateWindowMillis = 2 * config.get(TimeoutDirectives.RATE_WINDOW);
  }
}
