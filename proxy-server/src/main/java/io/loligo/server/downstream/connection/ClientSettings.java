package io.loligo.server.downstream.connection;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.ParseLimits;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.tls.TlsDirectives;
import io.loligo.store.MemoryDirectives;

/** The settings of one configuration for connections from clients. Immutable. */
public final class ClientSettings {
  /** {@code proxy_protocol_access}. */
  public final AclList proxyProtocolAccess;

  /** {@code request_start_timeout}. */
  public final long requestStartMillis;

  /** {@code loligo_tls_handshake_timeout}. */
  public final long handshakeMillis;

  /** {@code request_timeout}. */
  public final long requestMillis;

  /** {@code client_idle_pconn_timeout}. */
  public final long idleMillis;

  /** {@code pconn_lifetime}; 0: no limit. */
  public final long ageMillis;

  /** {@code read_timeout}. */
  public final long readMillis;

  /** {@code write_timeout}. */
  public final long writeMillis;

  /** {@code client_lifetime}. */
  public final long lifetimeMillis;

  /** {@code loligo_min_request_rate}, bytes a second; 0: no limit. */
  public final int minRequestRate;

  /** {@code loligo_min_answer_rate}, bytes a second; 0: no limit. */
  public final int minAnswerRate;

  /** {@code loligo_rate_window}. */
  public final long rateWindowMillis;

  /** {@code client_persistent_connections}. */
  public final boolean persistent;

  /** {@code half_closed_clients}. */
  public final boolean halfClosedClients;

  /** {@code loligo_max_requests_per_connection}; 0: no limit. */
  public final int maxRequestsPerConnection;

  /** {@code client_ip_max_connections}; -1: no limit. */
  public final int connectionsPerAddress;

  /** {@code loligo_client_ip_max_requests}; 0: no limit. */
  public final int requestsPerAddress;

  /** {@code loligo_stream_buffer_size}. */
  public final int streamBufferBytes;

  /** Limits of requests. */
  public final ParseLimits limits;

  /** The values of {@code config}. */
  public ClientSettings(ProxyConfig config) {
    proxyProtocolAccess = config.get(PortDirectives.PROXY_PROTOCOL_ACCESS);
    requestStartMillis = config.get(ClientDirectives.REQUEST_START_TIMEOUT);
    handshakeMillis = config.get(TlsDirectives.TLS_HANDSHAKE_TIMEOUT);
    requestMillis = config.get(ClientDirectives.REQUEST_TIMEOUT);
    idleMillis = config.get(ClientDirectives.CLIENT_IDLE_PCONN_TIMEOUT);
    ageMillis = config.get(TimeoutDirectives.PCONN_LIFETIME);
    readMillis = config.get(TimeoutDirectives.READ_TIMEOUT);
    writeMillis = config.get(TimeoutDirectives.WRITE_TIMEOUT);
    lifetimeMillis = config.get(ClientDirectives.CLIENT_LIFETIME);
    minRequestRate = config.get(ClientDirectives.MIN_REQUEST_RATE);
    minAnswerRate = config.get(ClientDirectives.MIN_ANSWER_RATE);
    rateWindowMillis = config.get(TimeoutDirectives.RATE_WINDOW);
    persistent = config.get(ClientDirectives.CLIENT_PERSISTENT_CONNECTIONS);
    halfClosedClients = config.get(ClientDirectives.HALF_CLOSED_CLIENTS);
    maxRequestsPerConnection = config.get(ClientDirectives.MAX_REQUESTS_PER_CONNECTION);
    connectionsPerAddress = config.get(ClientDirectives.CLIENT_IP_MAX_CONNECTIONS);
    requestsPerAddress = config.get(ClientDirectives.CLIENT_IP_MAX_REQUESTS);
    streamBufferBytes = config.get(MemoryDirectives.STREAM_BUFFER_SIZE);
    limits = ParseLimits.ofRequests(config);
  }
}
