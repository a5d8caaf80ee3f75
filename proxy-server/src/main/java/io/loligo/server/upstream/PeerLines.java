package io.loligo.server.upstream;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.acl.PercentDecoding;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import io.loligo.core.message.IpText;
import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tls.TlsWords;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code cache_peer} and {@code cache_peer_access} lines. Confined to one thread. */
final class PeerLines implements LineReader<List<Peer>> {
  private static final int PORT_MAX = 65_535;
  private static final int HTTP_PORT = 80;
  private static final String PEER_ABOVE = "the name of a cache_peer above this line";

  /** Most routers that a query to a multicast group may pass, as in Squid. */
  private static final int MAX_GROUP_HOPS = 128;

  /** Options without effect, and the reason. */
  private static final Map<String, String> UNUSED =
      Map.ofEntries(
          Map.entry("multicast-siblings", "members of a group have lines of their own"),
          Map.entry(
              "connection-auth",
              "no connection to a peer is kept for one client: NTLM and Negotiate with servers"
                  + " behind it do not work"));

  /** Options of Squid that need a number. */
  private static final Set<String> NUMBERS =
      Set.of("weight", "connect-timeout", "connect-fail-limit", "standby", "max-conn");

  private static final Set<String> HARMLESS = Set.of("no-netdb-exchange");

  private final Reading reading;
  private final Report report;
  private final Rules rules;
  private final Map<String, OnePeer> peers = new LinkedHashMap<>();

  private PeerLines(Reading reading) {
    this.reading = reading;
    this.report = reading.report();
    this.rules = reading.rules();
  }

  /** The reader of {@code cache_peer} lines. */
  static PeerLines of(Reading reading) {
    return reading.shared(PeerLines.class, PeerLines::new);
  }

  /** The reader of {@code cache_peer_access} lines; the parents contain the rules. */
  static LineReader<@Nullable Void> accessOf(Reading reading) {
    PeerLines peers = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        peers.readAccess(line);
      }

      @Override
      @SuppressWarnings("NullAway") // the T of this reader may be null
      public @Nullable Void value() {
        return null;
      }
    };
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 4) {
      report.error(
          line, String.join(" ", values), "HOST parent|sibling|multicast HTTP-PORT ICP-PORT", "");
      return;
    }
    OnePeer peer = new OnePeer(line, values.get(0));
    peer.type(values.get(1));
    peer.ports(values.get(2), values.get(3));
    for (String word : values.subList(4, values.size())) {
      peer.option(word);
    }
    OnePeer other = peers.putIfAbsent(peer.name, peer);
    if (other != null) {
      report.error(
          line,
          peer.name,
          "a name not listed yet",
          "it stands at " + other.line.source() + "; add name=");
    }
  }

  /** The reader of {@code neighbor_type_domain} lines; the peers contain them. */
  static LineReader<@Nullable Void> domainsOf(Reading reading) {
    PeerLines peers = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        peers.readDomains(line);
      }

      @Override
      @SuppressWarnings("NullAway") // the T of this reader may be null
      public @Nullable Void value() {
        return null;
      }
    };
  }

  private void readDomains(Line line) {
    List<String> values = line.values();
    if (values.size() < 3) {
      report.error(line, "", PeerDirectives.NEIGHBOR_TYPE_DOMAIN.directive().form(), "");
      return;
    }
    OnePeer peer = peers.get(values.get(0));
    if (peer == null) {
      report.error(line, values.get(0), PEER_ABOVE, "");
      return;
    }
    PeerKind kind;
    switch (values.get(1)) {
      case "parent" -> kind = PeerKind.PARENT;
      case "sibling" -> kind = PeerKind.SIBLING;
      default -> {
        report.error(line, values.get(1), "parent or sibling", "");
        return;
      }
    }
    for (String domain : values.subList(2, values.size())) {
      peer.domains.add(new KindOfDomain(kind, domain.toLowerCase(Locale.ROOT)));
    }
  }

  private void readAccess(Line line) {
    List<String> values = line.values();
    if (values.size() < 2) {
      report.error(line, "", PeerDirectives.CACHE_PEER_ACCESS.directive().form(), "");
      return;
    }
    OnePeer peer = peers.get(values.get(0));
    if (peer == null) {
      report.error(line, values.get(0), PEER_ABOVE, "");
      return;
    }
    AclRule rule = rules.rule(RuleScope.REQUEST, line, values.subList(1, values.size()));
    if (rule != null) {
      peer.access.add(rule);
    }
  }

  @Override
  public void end() {
    for (OnePeer peer : peers.values()) {
      peer.finish();
    }
  }

  /** The peers, in the order of their lines. */
  @Override
  public List<Peer> value() {
    return peers.values().stream().map(OnePeer::build).toList();
  }

  /** One line. */
  private final class OnePeer {
    private final Line line;
    private final List<AclRule> access = new ArrayList<>();
    private final List<KindOfDomain> domains = new ArrayList<>();
    private final Peer.Builder options = Peer.parent();
    private String name;
    private PeerKind kind = PeerKind.PARENT;
    private int icpPort;
    private boolean noQuery;
    private boolean inBackground;
    private boolean closestOnly;
    private int baseMillis;
    private boolean answersGroup;

    private boolean originServer;
    private boolean noDigest;
    private DigestPlace digest = DigestPlace.USUAL;

    /** Null: HTCP is not spoken. */
    private @Nullable PeerHtcp htcp;

    private int groupHops;
    private boolean encrypted;
    private boolean domainGiven;
    private final TlsWords tls;
    private final KerberosWords kerberos;
    private final MonitorWords monitor;

    OnePeer(Line line, String host) {
      this.line = line;
      this.tls = new TlsWords(line, report);
      this.monitor = new MonitorWords(line, report);
      boolean bracketed = host.length() > 1 && host.startsWith("[") && host.endsWith("]");
      String plain = IpText.normal(bracketed ? host.substring(1, host.length() - 1) : host);
      options.host(plain);
      this.kerberos = new KerberosWords(line, reading, plain);
      this.name = host;
    }

    void type(String word) {
      switch (word) {
        case "parent" -> kind = PeerKind.PARENT;
        case "sibling" -> kind = PeerKind.SIBLING;
        case "multicast" -> kind = PeerKind.MULTICAST;
        default -> report.error(line, word, "parent, sibling or multicast", "");
      }
    }

    void ports(String http, String icp) {
      options.port(number(http, 1));
      icpPort = number(icp, 0);
    }

    private int number(String word, int min) {
      int number = new Option("", word).number(PORT_MAX);
      if (number < min) {
        report.error(line, word, "a port from " + min + " to " + PORT_MAX, "");
      }
      return number;
    }

    void option(String word) {
      Option option = Option.of(word);
      if (option.value() == null && NUMBERS.contains(word)) {
        report.warning(line, word, word + "=NUMBER", "ignored, as in Squid");
        return;
      }
      switch (option.name()) {
        case "no-query" -> noQuery = true;
        case "background-ping" -> inBackground = true;
        case "closest-only" -> closestOnly = true;
        case "basetime" -> baseMillis = count(word, option);
        case "multicast-responder" -> answersGroup = true;
        case "ttl" -> groupHops = Math.min(MAX_GROUP_HOPS, count(word, option));
        case "no-digest" -> noDigest = true;
        case "digest-url" -> digestUrl(word, option);
        case "allow-miss" -> options.allowMiss(true);
        case "originserver" -> originServer = true;
        case "proxy-only" -> options.proxyOnly(true);
        case "no-delay" -> options.delays(false);
        case "default" -> options.isDefault(true);
        case "round-robin" -> options.spread(PeerSpread.ROUND_ROBIN);
        case "weighted-round-robin" -> options.spread(PeerSpread.WEIGHTED_ROUND_ROBIN);
        case "carp" -> options.spread(PeerSpread.CARP);
        case "sourcehash" -> options.spread(PeerSpread.SOURCEHASH);
        case "userhash" -> userHash(word);
        case "carp-key" -> carpKey(word, text(word, option));
        case "name" -> name(text(word, option));
        case "login" -> login(word, option);
        case "forceddomain" -> options.forcedDomain(text(word, option));
        case "weight" -> options.weight(Math.max(1, count(word, option)));
        case "connect-timeout" -> options.connectTimeoutMillis(count(word, option) * 1_000L);
        case "connect-fail-limit" -> options.connectFailLimit(Math.max(1, count(word, option)));
        case "tls", "ssl" -> encrypted = true;
        case "tls-domain", "ssldomain" -> domain(text(word, option));
        case "front-end-https" -> frontEndHttps(word, option);
        case "proxy-protocol" -> proxyProtocol(word, option);
        case "no-http2" -> options.http2(false);
        case "no-tproxy" -> options.keepsClientAddress(false);
        case "loligo-slow-start" -> options.slowStartMillis(count(word, option) * 1_000L);
        case "standby" -> options.standby(count(word, option));
        case "max-conn" -> options.maxConnections(count(word, option));
        default -> other(word, option);
      }
    }

    private void name(@Nullable String given) {
      if (given != null) {
        name = given;
      }
    }

    private void other(String word, Option option) {
      String key = option.name();
      boolean ofTls = key.startsWith("tls-") || key.startsWith("ssl");
      if (ofTls && tls.take(word, key.substring(key.startsWith("ssl") ? 3 : 4), option.value())) {
        return;
      }
      if (monitor.take(word, option)) {
        return;
      }
      if (key.equals("auth-no-keytab")) {
        kerberos.withoutKeytab();
      } else if (HARMLESS.contains(key)) {
        return;
      } else if (UNUSED.containsKey(key)) {
        report.warning(line, word, "", "accepted without effect: " + UNUSED.get(key));
      } else if (key.equals("htcp")) {
        htcp(word, option);
      } else if (ofTls) {
        report.error(line, word, "an option of cache_peer", "remove the option");
      } else {
        report.warning(line, word, "an option of cache_peer", "ignored, as in Squid");
      }
    }

    private void digestUrl(String word, Option option) {
      try {
        URI url = new URI(String.valueOf(option.value()));
        if ("http".equals(url.getScheme()) && url.getHost() != null && url.getPort() <= PORT_MAX) {
          String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
          String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
          String host = url.getHost();
          String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
          int port = url.getPort() < 0 ? HTTP_PORT : url.getPort();
          digest = new DigestPlace(IpText.normal(plain), port, path + query);
          return;
        }
      } catch (URISyntaxException e) {
        // reported below
      }
      report.error(line, word, "digest-url=http://HOST[:PORT]/PATH", "");
    }

    private void htcp(String word, Option option) {
      PeerHtcp spoken = PeerHtcp.USUAL;
      String value = option.value() == null ? "" : option.value();
      for (String part : value.split(",", -1)) {
        switch (part) {
          case "" -> {}
          case "no-clr" -> spoken = spoken.untold(Removal.PURGE, Removal.INVALIDATION);
          case "no-purge-clr" -> spoken = spoken.untold(Removal.PURGE);
          case "only-clr" -> spoken = spoken.unasked();
          case "forward-clr" -> spoken = spoken.forwarding();
          case "oldsquid" -> spoken = spoken.ofOldSquid();
          default ->
              report.error(
                  line,
                  word,
                  "htcp= with oldsquid, no-clr, only-clr, no-purge-clr or forward-clr",
                  "");
        }
      }
      htcp = spoken;
    }

    private void userHash(String word) {
      options.spread(PeerSpread.USERHASH);
      if (!reading.hasUsers()) {
        report.warning(line, word, "an auth_param program", "without a user it spreads nothing");
      }
    }

    private void carpKey(String word, @Nullable String parts) {
      for (String part : parts == null ? List.<String>of() : List.of(parts.split(",", -1))) {
        try {
          options.carpKey(CarpKey.valueOf(part.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          report.error(line, word, "carp-key= with scheme, host, port, path or params", "");
        }
      }
    }

    private void proxyProtocol(String word, Option option) {
      switch (String.valueOf(option.value())) {
        case "1" -> options.proxyProtocol(ProxyHeaderVersion.VERSION_1);
        case "2" -> options.proxyProtocol(ProxyHeaderVersion.VERSION_2);
        default -> report.error(line, word, "proxy-protocol=1 or proxy-protocol=2", "");
      }
    }

    private void domain(@Nullable String name) {
      options.tlsDomain(name == null ? null : IpText.normal(name.toLowerCase(Locale.ROOT)));
      domainGiven = true;
    }

    private @Nullable String text(String word, Option option) {
      if (option.value() == null || option.value().isEmpty()) {
        report.error(line, word, option.name() + "=VALUE", "");
        return null;
      }
      return option.value();
    }

    private void login(String word, Option option) {
      String value = text(word, option);
      if (value != null && value.startsWith("NEGOTIATE")) {
        kerberos.login(PercentDecoding.of(value));
      } else if (value != null && value.equals("PROXYPASS")) {
        report.restricts(line, word, "PROXYPASS is not in this version");
      } else {
        options.login(value == null ? null : PercentDecoding.of(value));
      }
    }

    private void frontEndHttps(String word, Option option) {
      String when = option.value() == null ? "on" : option.value();
      switch (when) {
        case "on" -> options.frontEndHttps(FrontEndHttps.ON);
        case "auto" -> options.frontEndHttps(FrontEndHttps.AUTO);
        default -> report.error(line, word, "front-end-https, =on or =auto", "");
      }
    }

    private int count(String word, Option option) {
      int number = option.number(Integer.MAX_VALUE);
      if (number < 0) {
        report.error(line, word, option.name() + "=NUMBER", "");
      }
      return Math.max(0, number);
    }

    void finish() {
      options.kerberos(kerberos.read());
      Peer given = build();
      if (!given.carpKey().isEmpty() && !given.spreads().contains(PeerSpread.CARP)) {
        report.error(line, "carp-key=", "carp beside it", "add the word carp");
      }
      boolean takesTurns =
          given.spreads().contains(PeerSpread.ROUND_ROBIN)
              || given.spreads().contains(PeerSpread.WEIGHTED_ROUND_ROBIN);
      if (given.slowStartMillis() > 0 && !takesTurns) {
        report.error(
            line,
            "loligo-slow-start=",
            "round-robin or weighted-round-robin beside it",
            "add one of them, or remove it: peers chosen otherwise have no turns to leave");
      }
      if (given.maxConnections() > 0 && given.standby() > given.maxConnections()) {
        report.error(line, "standby=" + given.standby(), "at most max-conn=", "");
      }
      if (given.standby() > 0 && given.proxyProtocol() != null) {
        report.error(
            line,
            "standby=" + given.standby(),
            "no proxy-protocol= beside it",
            "remove one: a connection that names its client cannot wait for another");
      }
      TlsOptions words = tls.options();
      if (encrypted) {
        options.tls(words);
      } else if (tls.given() || domainGiven) {
        report.error(line, "", "tls beside its options", "add the word tls, or remove its options");
      }
      options.check(monitor.check(build()));
      if (kind == PeerKind.SIBLING && given.originServer()) {
        report.error(line, "originserver", "parent", "an origin server is not a sibling");
      }
      if (!sendsLogin(build())) {
        report.warning(
            line,
            "login=",
            "an auth_param program",
            "a challenge of the parent does not reach clients: they have to log in here");
      }
    }

    /** Whether a login is sent, if the line says so. Who cannot log in here, never does. */
    private boolean sendsLogin(Peer peer) {
      String login = peer.login();
      if (login == null) {
        return true;
      }
      boolean passes = login.equals("PASS") || login.equals("PASSTHRU");
      boolean ofClient = passes ? !peer.originServer() : login.startsWith("*");
      return !ofClient || reading.hasUsers();
    }

    /** An origin server, or a group, has none. */
    private boolean readsDigest() {
      return !noDigest && !originServer && kind != PeerKind.MULTICAST;
    }

    Peer build() {
      return options
          .name(name)
          .kind(kind)
          .domains(domains)
          .originServer(originServer)
          .digest(readsDigest() ? digest : null)
          .querying(
              new PeerQuerying(
                  icpPort,
                  icpPort > 0 && !noQuery,
                  inBackground,
                  closestOnly,
                  baseMillis,
                  answersGroup,
                  groupHops,
                  htcp))
          .access(rules.compile(access, AclList.allowAll()))
          .source(line.source())
          .build();
    }
  }
}
