package io.loligo.server.upstream;

import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import org.jspecify.annotations.Nullable;

/**
 * A cache_peer as the destination of requests; {@link #at} begins one. Immutable; made once per
 * configuration.
 *
 * @param name the name for its health
 * @param form the form of requests to it
 * @param connectMillis {@code connect-timeout}; 0: the usual time
 * @param failLimit {@code connect-fail-limit}; 0: the usual limit
 * @param maxConnections {@code max-conn}; 0: no limit
 * @param proxyOnly whether responses from it are not stored
 * @param delays whether delay pools hold for it: without {@code no-delay}
 * @param slowStartMillis {@code loligo-slow-start}; 0: all its turns at once
 * @param standby {@code standby}: idle connections that are kept open; 0: none
 * @param security TLS on connections to it; null: clear text
 * @param proxyProtocol the version of the header that starts connections to it; null: none
 * @param kerberos how this proxy logs in, with a token for each request; null: not so
 */
public record CachePeer(
    String name,
    String host,
    int port,
    RequestForm form,
    long connectMillis,
    int failLimit,
    int maxConnections,
    boolean proxyOnly,
    boolean delays,
    long slowStartMillis,
    int standby,
    @Nullable HopSecurity security,
    @Nullable ProxyHeaderVersion proxyProtocol,
    @Nullable PeerKerberos kerberos) {
  /** Begins a peer in clear text, whose name is its host. */
  public static Builder at(String host, int port) {
    return new Builder(host, port);
  }

  /** Name, host and port. */
  @Override
  public String toString() {
    return "CachePeer[" + name + " " + host + ":" + port + "]";
  }

  /** Collects the options of a peer. Confined to one thread. */
  public static final class Builder {
    private final String host;
    private final int port;
    private String name;
    private RequestForm form = RequestForm.DIRECT;
    private long connectMillis;
    private int failLimit;
    private int maxConnections;
    private boolean proxyOnly;
    private boolean delays = true;
    private long slowStartMillis;
    private int standby;
    private @Nullable HopSecurity security;
    private @Nullable ProxyHeaderVersion proxyProtocol;
    private @Nullable PeerKerberos kerberos;

    private Builder(String host, int port) {
      this.host = host;
      this.port = port;
      name = host;
    }

    /** See {@link CachePeer#name}. */
    public Builder name(String name) {
      this.name = name;
      return this;
    }

    /** See {@link CachePeer#form}. */
    public Builder form(RequestForm form) {
      this.form = form;
      return this;
    }

    /** See {@link CachePeer#connectMillis}. */
    public Builder connectMillis(long connectMillis) {
      this.connectMillis = connectMillis;
      return this;
    }

    /** See {@link CachePeer#failLimit}. */
    public Builder failLimit(int failLimit) {
      this.failLimit = failLimit;
      return this;
    }

    /** See {@link CachePeer#maxConnections}. */
    public Builder maxConnections(int maxConnections) {
      this.maxConnections = maxConnections;
      return this;
    }

    /** See {@link CachePeer#delays}. */
    public Builder delays(boolean delays) {
      this.delays = delays;
      return this;
    }

    /** See {@link CachePeer#proxyOnly}. */
    public Builder proxyOnly(boolean proxyOnly) {
      this.proxyOnly = proxyOnly;
      return this;
    }

    /** See {@link CachePeer#slowStartMillis}. */
    public Builder slowStartMillis(long slowStartMillis) {
      this.slowStartMillis = slowStartMillis;
      return this;
    }

    /** See {@link CachePeer#standby}. */
    public Builder standby(int standby) {
      this.standby = standby;
      return this;
    }

    /** See {@link CachePeer#security}. */
    public Builder security(@Nullable HopSecurity security) {
      this.security = security;
      return this;
    }

    /** See {@link CachePeer#proxyProtocol}. */
    public Builder proxyProtocol(@Nullable ProxyHeaderVersion proxyProtocol) {
      this.proxyProtocol = proxyProtocol;
      return this;
    }

    /** See {@link CachePeer#kerberos}. */
    public Builder kerberos(@Nullable PeerKerberos kerberos) {
      this.kerberos = kerberos;
      return this;
    }

    /** The peer with the options set so far. */
    public CachePeer build() {
      return new CachePeer(
          name,
          host,
          port,
          form,
          connectMillis,
          failLimit,
          maxConnections,
          proxyOnly,
          delays,
          slowStartMillis,
          standby,
          security,
          proxyProtocol,
          kerberos);
    }
  }
}
