package io.loligo.server.check;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.check.Finding.Kind;
import io.loligo.server.check.Finding.Severity;
import io.loligo.server.check.GivenRequest.Facts;
import io.loligo.server.check.GivenRequest.Unacceptable;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.explain.Question;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortMode;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.PeerKind;
import io.loligo.server.upstream.route.RoutingDirectives;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks the rules of a configuration about requests that should be denied. */
final class AccessAudit {
  /** Addresses that belong to nobody (RFC 5737, RFC 3849), as clients anywhere. */
  private static final List<String> STRANGERS = List.of("198.51.100.77", "2001:db8:5::77");

  /** Clients whose requests some rule usually allows. */
  private static final List<String> USUAL =
      List.of("127.0.0.1", "192.168.1.77", "10.1.2.77", "172.16.1.77", "198.51.100.77");

  /** A host with one address, so that rules about addresses can be decided. */
  private static final String HOST = "www.example.com";

  private static final int SMTP = 25;

  private final ProxyConfig config;
  private final AclList access;
  private final Facts facts;
  private final List<Finding> findings = new ArrayList<>();

  AccessAudit(ProxyConfig config, long nowMillis) {
    this.config = config;
    access = config.get(AccessDirectives.HTTP_ACCESS);
    facts = new Facts("", Map.of(HOST, List.of(bytes("192.0.2.80"))), Map.of(), nowMillis);
  }

  List<Finding> findings() {
    for (HttpPort port : PortDirectives.ports(config)) {
      if (port.mode() == PortMode.FORWARD && !isLoopback(port.address())) {
        strangers(port);
      }
    }
    PortDirectives.ports(config).stream()
        .filter(port -> port.mode() == PortMode.FORWARD)
        .findFirst()
        .ifPresent(this::ports);
    routes();
    return findings;
  }

  private void strangers(HttpPort port) {
    for (String client : STRANGERS) {
      AclVerdict plain = ask(port, client, "GET", "http://" + HOST + "/");
      AclVerdict tunnel = ask(port, client, "CONNECT", HOST + ":443");
      AclVerdict open = plain != null && plain.allowed() ? plain : tunnel;
      if (open != null && open.allowed()) {
        add(
            Kind.OPEN_PROXY,
            open,
            "an open proxy: clients at any address may use the port of "
                + port.source()
                + " ("
                + open.rule()
                + "). Allow the addresses of your own clients only, or let the port listen at an"
                + " address that others cannot reach");
        return;
      }
    }
  }

  private void ports(HttpPort port) {
    for (String client : USUAL) {
      AclVerdict mail = ask(port, client, "CONNECT", HOST + ":" + SMTP);
      AclVerdict plain = ask(port, client, "GET", "http://" + HOST + ":" + SMTP + "/");
      boolean tunnel = mail != null && mail.allowed();
      AclVerdict open = tunnel ? mail : plain;
      if (open != null && open.allowed()) {
        add(
            Kind.OPEN_PORTS,
            open,
            open.rule()
                + " allows "
                + (tunnel ? "tunnels" : "requests")
                + " to any port, such as 25 (mail), for a client at "
                + client
                + ": put "
                + (tunnel ? "http_access deny CONNECT !SSL_ports" : "http_access deny !Safe_ports")
                + " above it");
        return;
      }
    }
  }

  private void routes() {
    HttpPort port = PortDirectives.ports(config).get(0);
    GivenRequest request = given(port, USUAL.get(0), "GET", "http://" + HOST + "/");
    if (request == null) {
      return;
    }
    AclVerdict never = config.get(RoutingDirectives.NEVER_DIRECT).evaluate(request);
    AclVerdict always = config.get(RoutingDirectives.ALWAYS_DIRECT).evaluate(request);
    boolean onlyParents = never.allowed() && !never.source().isEmpty();
    if (onlyParents && always.allowed()) {
      add(
          Kind.ROUTE,
          never,
          never.rule()
              + " has no effect on usual requests: "
              + always.source()
              + " ("
              + always.rule()
              + ") comes first");
    } else if (onlyParents
        && config.get(PeerDirectives.CACHE_PEER).stream()
            .noneMatch(peer -> peer.kind() == PeerKind.PARENT)) {
      add(Kind.ROUTE, never, never.rule() + ", but there is no cache_peer: requests get 503");
    }
  }

  /** Null: the rules are not asked about it. */
  private @Nullable AclVerdict ask(HttpPort port, String client, String method, String url) {
    GivenRequest request = given(port, client, method, url);
    return request == null ? null : access.evaluate(request);
  }

  private @Nullable GivenRequest given(HttpPort port, String client, String method, String url) {
    Question question = new Question(url, method, List.of(), "", client, port.name());
    try {
      return GivenRequest.of(
          config, port, InetAddress.getByAddress(bytes(client)), question, facts);
    } catch (Unacceptable | UnknownHostException e) {
      return null;
    }
  }

  private void add(Kind kind, AclVerdict verdict, String text) {
    String source = verdict.source();
    int colon = source.lastIndexOf(':');
    String rule = verdict.rule();
    int blank = rule.indexOf(' ');
    String directive = blank < 0 ? "http_access" : rule.substring(0, blank);
    boolean placed = colon > 0;
    findings.add(
        new Finding(
            Severity.WARNING,
            kind,
            placed ? source.substring(0, colon) : source,
            placed ? Integer.parseInt(source.substring(colon + 1)) : 0,
            directive,
            text.startsWith(directive + " ") ? text.substring(directive.length() + 1) : text));
  }

  private static boolean isLoopback(String address) {
    byte[] bytes = address.isEmpty() ? null : NetUtil.createByteArrayFromIpAddressString(address);
    try {
      return bytes != null && InetAddress.getByAddress(bytes).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static byte[] bytes(String address) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    assert bytes != null : address;
    return bytes;
  }
}
