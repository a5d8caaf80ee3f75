package io.loligo.server.upstream.pool;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.ParseLimits;

/** The part of one configuration that connections to origins and parents follow. Immutable. */
public final class ConnectionSettings {
  /** {@code server_persistent_connections}. */
  public final boolean persistent;

  /** Connections kept for one endpoint; 0: none, -1: no limit. */
  public final int maxIdle;

  /** Limits of response heads and chunks. */
  public final ParseLimits replyLimits;

  /** {@code loligo_stream_buffer_size}. */
  public final int streamBufferBytes;

  /** How long a kept connection waits for a request. */
  public final long idleMillis;

  public final long readMillis;
  public final long writeMillis;

  /** Bytes a second that a response must move once it has begun; 0: any rate. */
  public final int minBytesPerSecond;

  /** The window over which that rate is measured. */
  public final long rateWindowMillis;

  /** The settings of {@code config}. */
  public ConnectionSettings(ProxyConfig config) {
    ProxyConfig.Connections connections = config.connections();
    ProxyConfig.Timeouts timeouts = config.timeouts();
    persistent = connections.serverPersistent();
    maxIdle = connections.maxIdlePerOrigin();
    replyLimits = config.limits().reply();
    streamBufferBytes = config.memory().streamBufferBytes();
    idleMillis = timeouts.serverIdle();
    readMillis = timeouts.read();
    writeMillis = timeouts.write();
    minBytesPerSecond = timeouts.progress().originRate();
    rateWindowMillis = 2 * timeouts.progress().windowMillis();
  }
}
