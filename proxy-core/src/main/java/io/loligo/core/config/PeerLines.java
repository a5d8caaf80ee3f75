package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.PercentDecoding;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.ProxyConfig.Peer;
import io.loligo.core.message.IpText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads {@code cache_peer} and {@code cache_peer_access} lines. Confined to one thread. */
final class PeerLines {
  private static final int PORT_MAX = 65_535;
  private static final Set<String> TUNING =
      Set.of(
          "no-digest",
          "no-netdb-exchange",
          "no-delay",
          "no-tproxy",
          "basetime",
          "ttl",
          "background-ping",
          "closest-only",
          "multicast-responder",
          "multicast-siblings",
          "allow-miss",
          "digest-url",
          "htcp",
          "standby",
          "carp-key");
  private static final Set<String> SPREADING =
      Set.of("carp", "sourcehash", "userhash", "weighted-round-robin");
  private static final Set<String> HARMLESS =
      Set.of("no-digest", "no-netdb-exchange", "no-delay", "no-tproxy");

  private final Report report;
  private final RuleLists rules;
  private final Map<String, OnePeer> peers = new LinkedHashMap<>();

  PeerLines(Report report, RuleLists rules) {
    this.report = report;
    this.rules = rules;
  }

  void read(Line line) {
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

  void readAccess(String name, Line line) {
    if (!peers.containsKey(name)) {
      report.error(line, name, "the name of a cache_peer above this line", "");
      return;
    }
    rules.read(RuleLists.PEER + name, line, line.values().subList(1, line.values().size()));
  }

  void finish() {
    for (OnePeer peer : peers.values()) {
      peer.finish();
    }
  }

  /** The parents; call after all lines. */
  List<Peer> peers() {
    List<Peer> parents = new ArrayList<>();
    for (OnePeer peer : peers.values()) {
      if (peer.usable) {
        parents.add(peer.build());
      }
    }
    return List.copyOf(parents);
  }

  /** One line. */
  private final class OnePeer {
    private final Line line;
    private final String host;
    private String name;
    private boolean usable = true;
    private int port;
    private int icpPort;
    private boolean noQuery;
    private boolean originServer;
    private boolean proxyOnly;
    private boolean isDefault;
    private boolean roundRobin;
    private int weight = 1;
    private String login;
    private String forcedDomain;
    private long connectTimeoutMillis = -1;
    private int connectFailLimit = 10;
    private int maxConnections;

    OnePeer(Line line, String host) {
      this.line = line;
      boolean bracketed = host.length() > 1 && host.startsWith("[") && host.endsWith("]");
      this.host = IpText.normal(bracketed ? host.substring(1, host.length() - 1) : host);
      this.name = host;
    }

    void type(String word) {
      switch (word) {
        case "parent" -> usable = true;
        case "sibling", "multicast" -> {
          usable = false;
          report.warning(line, word, "parent", "left out: " + word + " is not in this version");
          report.verdict(line, Verdict.WITHOUT_EFFECT, word + " is not in this version");
        }
        default -> report.error(line, word, "parent, sibling or multicast", "");
      }
    }

    void ports(String http, String icp) {
      port = number(http, 1);
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
      switch (option.name()) {
        case "no-query" -> noQuery = true;
        case "originserver" -> originServer = true;
        case "proxy-only" -> proxyOnly = true;
        case "default" -> isDefault = true;
        case "round-robin" -> roundRobin = true;
        case "name" -> name = text(word, option, name);
        case "login" -> login(word, option);
        case "forceddomain" -> forcedDomain = text(word, option, null);
        case "weight" -> weight = Math.max(1, count(word, option));
        case "connect-timeout" -> connectTimeoutMillis = count(word, option) * 1_000L;
        case "connect-fail-limit" -> connectFailLimit = Math.max(1, count(word, option));
        case "max-conn" -> maxConnections = count(word, option);
        default -> other(word, option);
      }
    }

    private void other(String word, Option option) {
      String key = option.name();
      if (key.startsWith("tls") || key.startsWith("ssl")) {
        report.restricts(line, word, "TLS to peers is not in this version");
        usable = false;
      } else if (key.equals("auth-no-keytab")) {
        report.restricts(line, word, "Kerberos is not in this version");
      } else if (key.equals("front-end-https")) {
        report.restricts(line, word, "the header is not added in this version");
      } else if (HARMLESS.contains(key)) {
        return;
      } else if (SPREADING.contains(key)) {
        report.warning(line, word, "", "accepted without effect");
        report.verdict(
            line,
            Verdict.USED_WITH_DIFFERENCE,
            word + " spreads nothing: all traffic goes to the first live parent");
      } else if (TUNING.contains(key) || key.startsWith("htcp")) {
        report.warning(line, word, "", "accepted without effect");
      } else {
        report.error(line, word, "an option of cache_peer", "remove the option");
      }
    }

    private String text(String word, Option option, String old) {
      if (option.value() == null || option.value().isEmpty()) {
        report.error(line, word, option.name() + "=VALUE", "");
        return old;
      }
      return option.value();
    }

    private void login(String word, Option option) {
      String value = text(word, option, null);
      if (value != null && value.startsWith("NEGOTIATE")) {
        report.restricts(line, word, "Kerberos is not in this version");
      } else {
        login = value == null ? null : PercentDecoding.of(value);
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
      if (icpPort > 0 && !noQuery && usable) {
        report.warning(line, "ICP port " + icpPort, "0 no-query", "ICP is not spoken");
      }
      if (usable && login != null && !sendsLogin()) {
        report.warning(line, "login=", "login=USER:PASSWORD", "logins of clients stay here");
      }
    }

    /** Whether somebody's login is sent on; that of clients to an origin is a field like others. */
    private boolean sendsLogin() {
      boolean passes = login.equals("PASS") || login.equals("PASSTHRU");
      return passes ? originServer : !login.startsWith("*");
    }

    Peer build() {
      return new Peer(
          name,
          host,
          port,
          Peer.Type.PARENT,
          originServer,
          isDefault,
          roundRobin,
          weight,
          login,
          forcedDomain,
          connectTimeoutMillis,
          connectFailLimit,
          maxConnections,
          noQuery,
          proxyOnly,
          rules.compile(RuleLists.PEER + name, AclList.allowAll()),
          line.source());
    }
  }
}
