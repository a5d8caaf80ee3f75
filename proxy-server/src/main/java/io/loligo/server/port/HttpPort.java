package io.loligo.server.port;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One http_port or https_port line; {@link #at} begins one. Equal lines are equal ports, before and
 * after a reload. Immutable.
 *
 * @param address textual address, empty for all
 * @param port 0 to 65535; 0 lets the system choose (tests)
 * @param name {@code name=}, else {@code address:port}
 * @param sharedName by which other nodes of a cluster find theirs, see {@link SharedPorts}: {@code
 *     name=}, else {@link #numbered}
 * @param accel null: the port stands for no origin
 * @param interception how clients that do not know the proxy get here; {@code NONE} beside accel
 * @param tls null: clear text
 * @param bump {@code ssl-bump}; null: tunnels are not inspected
 * @param h2c {@code h2c}: clients speak HTTP/2 in clear text from the first byte
 * @param proxyHeader {@code require-proxy-header}
 * @param keepAlive {@code tcpkeepalive=}
 * @param forNodes whether it is the port of {@code loligo_cluster} for requests of other nodes
 * @param source file and line
 */
public record HttpPort(
    String address,
    int port,
    String name,
    String sharedName,
    @Nullable Accel accel,
    Interception interception,
    @Nullable PortTls tls,
    @Nullable PortBump bump,
    boolean h2c,
    boolean proxyHeader,
    KeepAlive keepAlive,
    boolean forNodes,
    String source) {

  /** A port for clients that know the proxy, in clear text. */
  public static Builder at(String address, int port) {
    return new Builder(address, port);
  }

  /** The purpose of the port. */
  public PortMode mode() {
    if (accel != null) {
      return PortMode.ACCEL;
    }
    return interception == Interception.NONE ? PortMode.FORWARD : PortMode.INTERCEPT;
  }

  /** Number and mode: each node has an address of its own. */
  String numbered() {
    return port + "/" + mode().name().toLowerCase(Locale.ROOT);
  }

  /** The scheme of URIs that do not give theirs. */
  public String scheme() {
    if (accel != null) {
      return accel.protocol();
    }
    return bump != null && bump.intercepts() ? "https" : "http";
  }

  /** Collects the options of a line. Confined to one thread. */
  public static final class Builder {
    private final String address;
    private final int port;
    private String name;
    private @Nullable String sharedName;
    private @Nullable Accel accel;
    private Interception interception = Interception.NONE;
    private @Nullable PortTls tls;
    private @Nullable PortBump bump;
    private boolean h2c;
    private boolean proxyHeader;
    private KeepAlive keepAlive = KeepAlive.SYSTEM;
    private boolean forNodes;
    private String source = "";

    private Builder(String address, int port) {
      this.address = address;
      this.port = port;
      name = address + ":" + port;
    }

    /** See {@link HttpPort#name}. */
    public Builder name(String name) {
      this.name = name;
      return this;
    }

    /** See {@link HttpPort#sharedName}; null: number and mode. */
    public Builder sharedName(@Nullable String sharedName) {
      this.sharedName = sharedName;
      return this;
    }

    /** See {@link HttpPort#accel}. */
    public Builder accel(@Nullable Accel accel) {
      this.accel = accel;
      return this;
    }

    /** See {@link HttpPort#interception}. */
    public Builder interception(Interception interception) {
      this.interception = interception;
      return this;
    }

    /** See {@link HttpPort#tls}. */
    public Builder tls(@Nullable PortTls tls) {
      this.tls = tls;
      return this;
    }

    /** See {@link HttpPort#bump}. */
    public Builder bump(@Nullable PortBump bump) {
      this.bump = bump;
      return this;
    }

    /** See {@link HttpPort#h2c}. */
    public Builder h2c(boolean h2c) {
      this.h2c = h2c;
      return this;
    }

    /** See {@link HttpPort#proxyHeader}. */
    public Builder proxyHeader(boolean proxyHeader) {
      this.proxyHeader = proxyHeader;
      return this;
    }

    /** See {@link HttpPort#keepAlive}. */
    public Builder keepAlive(KeepAlive keepAlive) {
      this.keepAlive = keepAlive;
      return this;
    }

    /** See {@link HttpPort#forNodes}. */
    public Builder forNodes(boolean forNodes) {
      this.forNodes = forNodes;
      return this;
    }

    /** See {@link HttpPort#source}. */
    public Builder source(String source) {
      this.source = source;
      return this;
    }

    /** The port with the options set so far. */
    public HttpPort build() {
      HttpPort built = build("");
      return build(sharedName == null ? built.numbered() : sharedName);
    }

    private HttpPort build(String shared) {
      return new HttpPort(
          address,
          port,
          name,
          shared,
          accel,
          interception,
          tls,
          bump,
          h2c,
          proxyHeader,
          keepAlive,
          forNodes,
          source);
    }
  }
}
