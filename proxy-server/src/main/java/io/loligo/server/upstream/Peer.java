package io.loligo.server.upstream;

import io.loligo.core.acl.AclList;
import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.server.tls.TlsOptions;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One {@code cache_peer} line with its {@code cache_peer_access} rules. Immutable. */
public final class Peer {
  private final Builder from;

  private Peer(Builder from) {
    this.from = from;
  }

  /** A parent with default options, whose name, host and port are still to be set. */
  static Builder parent() {
    return new Builder();
  }

  /** A parent at {@code host} and {@code port} with default options. */
  public static Builder parent(String name, String host, int port) {
    return new Builder().name(name).host(host).port(port);
  }

  /** {@code name=}, else the host as written. */
  public String name() {
    return from.name;
  }

  /** Its host, without brackets. */
  public String host() {
    return from.host;
  }

  /** Its port for HTTP. */
  public int port() {
    return from.port;
  }

  /** The second word of the line. */
  public PeerKind kind() {
    return from.kind;
  }

  /**
   * The kind for a URL of {@code host}, which is in lower case: that of the first {@code
   * neighbor_type_domain} with a domain that has it, else {@link #kind()}.
   */
  public PeerKind kind(String host) {
    for (KindOfDomain one : from.domains) {
      if (one.has(host)) {
        return one.kind();
      }
    }
    return from.kind;
  }

  /** How it is asked for responses. */
  public PeerQuerying querying() {
    return from.querying;
  }

  /** Where its digest is; null: that is not read. */
  public @Nullable DigestPlace digest() {
    return from.digest;
  }

  /** Whether a sibling may fetch a response that it lacks ({@code allow-miss}). */
  public boolean allowMiss() {
    return from.allowMiss;
  }

  /** {@code originserver}. */
  public boolean originServer() {
    return from.originServer;
  }

  /** {@code default}. */
  public boolean isDefault() {
    return from.isDefault;
  }

  /** {@code carp}, {@code sourcehash} and the like. */
  public Set<PeerSpread> spreads() {
    return from.spreads;
  }

  /** {@code carp-key=}; empty: the whole URL. */
  public Set<CarpKey> carpKey() {
    return from.carpKey;
  }

  /** {@code weight=}. */
  public int weight() {
    return from.weight;
  }

  /** {@code login=}, or null. */
  public @Nullable String login() {
    return from.login;
  }

  /** {@code login=NEGOTIATE}: how this proxy logs in; null: not by Kerberos. */
  public @Nullable PeerKerberos kerberos() {
    return from.kerberos;
  }

  /** {@code forceddomain=}, or null. */
  public @Nullable String forcedDomain() {
    return from.forcedDomain;
  }

  /** {@code connect-timeout=}; -1: {@code peer_connect_timeout}. */
  public long connectTimeoutMillis() {
    return from.connectTimeoutMillis;
  }

  /** {@code connect-fail-limit=}. */
  public int connectFailLimit() {
    return from.connectFailLimit;
  }

  /** {@code max-conn=}; 0: no limit. */
  public int maxConnections() {
    return from.maxConnections;
  }

  /** Whether delay pools hold: without {@code no-delay}. */
  public boolean delays() {
    return from.delays;
  }

  /** {@code proxy-only}. */
  public boolean proxyOnly() {
    return from.proxyOnly;
  }

  /** {@code front-end-https}. */
  public FrontEndHttps frontEndHttps() {
    return from.frontEndHttps;
  }

  /** {@code tls} and its options; null: clear text. */
  public @Nullable TlsOptions tls() {
    return from.tls;
  }

  /** {@code tls-domain=} in lower case, or null. */
  public @Nullable String tlsDomain() {
    return from.tlsDomain;
  }

  /** Whether it may see the address of a client of a tproxy port; false: {@code no-tproxy}. */
  public boolean keepsClientAddress() {
    return from.keepsClientAddress;
  }

  /** Whether it is offered HTTP/2; false: {@code no-http2}. */
  public boolean http2() {
    return from.http2;
  }

  /** {@code proxy-protocol=}: the version of the header at the start of connections; null: none. */
  public @Nullable ProxyHeaderVersion proxyProtocol() {
    return from.proxyProtocol;
  }

  /** {@code monitorurl=}: how it is checked; null: it is not. */
  public @Nullable HealthCheck check() {
    return from.check;
  }

  /** {@code loligo-slow-start=}; 0: none. */
  public long slowStartMillis() {
    return from.slowStartMillis;
  }

  /** {@code standby=}. */
  public int standby() {
    return from.standby;
  }

  /** The requests for which it may be used. */
  public AclList access() {
    return from.access;
  }

  /** {@code file:line}. */
  public String source() {
    return from.source;
  }

  /** The peer without {@code login=}. */
  @Override
  public String toString() {
    return "Peer[" + name() + " " + host() + ":" + port() + " " + source() + "]";
  }

  /** Collects the options of a line. Confined to one thread. */
  public static final class Builder {
    private String name = "";
    private String host = "";
    private int port;
    private PeerKind kind = PeerKind.PARENT;
    private PeerQuerying querying = PeerQuerying.NONE;
    private @Nullable DigestPlace digest;
    private boolean allowMiss;
    private boolean originServer;
    private boolean isDefault;
    private List<KindOfDomain> domains = List.of();
    private Set<PeerSpread> spreads = Set.of();
    private Set<CarpKey> carpKey = Set.of();
    private int weight = 1;
    private @Nullable String login;
    private @Nullable PeerKerberos kerberos;
    private @Nullable String forcedDomain;
    private long connectTimeoutMillis = -1;
    private int connectFailLimit = 10;
    private int maxConnections;
    private boolean proxyOnly;
    private boolean delays = true;
    private FrontEndHttps frontEndHttps = FrontEndHttps.OFF;
    private @Nullable TlsOptions tls;
    private @Nullable String tlsDomain;
    private boolean http2 = true;
    private boolean keepsClientAddress = true;
    private @Nullable ProxyHeaderVersion proxyProtocol;
    private @Nullable HealthCheck check;
    private long slowStartMillis;
    private int standby;
    private AclList access = AclList.allowAll();
    private String source = "";

    private Builder() {}

    private Builder(Builder other) {
      name = other.name;
      host = other.host;
      port = other.port;
      kind = other.kind;
      querying = other.querying;
      digest = other.digest;
      allowMiss = other.allowMiss;
      originServer = other.originServer;
      isDefault = other.isDefault;
      domains = other.domains;
      spreads = other.spreads;
      carpKey = other.carpKey;
      weight = other.weight;
      login = other.login;
      kerberos = other.kerberos;
      forcedDomain = other.forcedDomain;
      connectTimeoutMillis = other.connectTimeoutMillis;
      connectFailLimit = other.connectFailLimit;
      maxConnections = other.maxConnections;
      proxyOnly = other.proxyOnly;
      delays = other.delays;
      frontEndHttps = other.frontEndHttps;
      tls = other.tls;
      tlsDomain = other.tlsDomain;
      http2 = other.http2;
      keepsClientAddress = other.keepsClientAddress;
      proxyProtocol = other.proxyProtocol;
      check = other.check;
      slowStartMillis = other.slowStartMillis;
      standby = other.standby;
      access = other.access;
      source = other.source;
    }

    Builder name(String text) {
      name = text;
      return this;
    }

    Builder host(String text) {
      host = text;
      return this;
    }

    Builder port(int number) {
      port = number;
      return this;
    }

    /** See {@link Peer#kind}. */
    public Builder kind(PeerKind word) {
      kind = word;
      return this;
    }

    /** See {@link Peer#kind(String)}. */
    Builder domains(List<KindOfDomain> all) {
      domains = List.copyOf(all);
      return this;
    }

    /** See {@link Peer#querying}. */
    public Builder querying(PeerQuerying how) {
      querying = how;
      return this;
    }

    /** See {@link Peer#digest}. */
    public Builder digest(@Nullable DigestPlace place) {
      digest = place;
      return this;
    }

    /** See {@link Peer#allowMiss}. */
    public Builder allowMiss(boolean on) {
      allowMiss = on;
      return this;
    }

    public Builder originServer(boolean on) {
      originServer = on;
      return this;
    }

    public Builder isDefault(boolean on) {
      isDefault = on;
      return this;
    }

    /** Adds {@code spread}. */
    public Builder spread(PeerSpread spread) {
      EnumSet<PeerSpread> all = EnumSet.of(spread);
      all.addAll(spreads);
      spreads = Collections.unmodifiableSet(all);
      return this;
    }

    /** Adds {@code part}. */
    public Builder carpKey(CarpKey part) {
      EnumSet<CarpKey> all = EnumSet.of(part);
      all.addAll(carpKey);
      carpKey = Collections.unmodifiableSet(all);
      return this;
    }

    public Builder weight(int share) {
      weight = share;
      return this;
    }

    public Builder login(@Nullable String credentials) {
      login = credentials;
      return this;
    }

    /** See {@link Peer#kerberos}. */
    public Builder kerberos(@Nullable PeerKerberos how) {
      kerberos = how;
      return this;
    }

    public Builder forcedDomain(@Nullable String host) {
      forcedDomain = host;
      return this;
    }

    public Builder frontEndHttps(FrontEndHttps when) {
      frontEndHttps = when;
      return this;
    }

    public Builder connectTimeoutMillis(long millis) {
      connectTimeoutMillis = millis;
      return this;
    }

    public Builder connectFailLimit(int failures) {
      connectFailLimit = failures;
      return this;
    }

    public Builder maxConnections(int most) {
      maxConnections = most;
      return this;
    }

    public Builder delays(boolean on) {
      delays = on;
      return this;
    }

    /** See {@link Peer#proxyOnly}. */
    public Builder proxyOnly(boolean on) {
      proxyOnly = on;
      return this;
    }

    public Builder tls(@Nullable TlsOptions options) {
      tls = options;
      return this;
    }

    public Builder tlsDomain(@Nullable String name) {
      tlsDomain = name;
      return this;
    }

    /** Whether connections to it may have the address of a client. */
    public Builder keepsClientAddress(boolean keeps) {
      keepsClientAddress = keeps;
      return this;
    }

    public Builder http2(boolean offered) {
      http2 = offered;
      return this;
    }

    public Builder proxyProtocol(@Nullable ProxyHeaderVersion version) {
      proxyProtocol = version;
      return this;
    }

    /** See {@link Peer#check}. */
    public Builder check(@Nullable HealthCheck checks) {
      check = checks;
      return this;
    }

    /** See {@link Peer#slowStartMillis}. */
    public Builder slowStartMillis(long millis) {
      slowStartMillis = millis;
      return this;
    }

    /** See {@link Peer#standby}. */
    public Builder standby(int connections) {
      standby = connections;
      return this;
    }

    public Builder access(AclList rules) {
      access = rules;
      return this;
    }

    public Builder source(String fileAndLine) {
      source = fileAndLine;
      return this;
    }

    /** The peer. */
    public Peer build() {
      return new Peer(new Builder(this));
    }
  }
}
