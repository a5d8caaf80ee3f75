package io.loligo.server.exchange.rules;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.Aliases;
import io.loligo.core.message.Method;
import io.loligo.server.exchange.request.AddressBytes;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.AccessSettings;
import io.loligo.server.exchange.settings.LocalEndRules;
import io.loligo.server.exchange.settings.fields.FieldRules;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.own.OwnObjects;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides by {@code http_access} which destinations a request may have, and by {@code
 * sslproxy_cert_error} which faults of their certificates it tolerates; and the proxy's end of
 * connections to them. Immutable.
 */
public final class DestinationRules {
  private final AccessSettings access;
  private final LocalEndRules localEnds;
  private final OwnAddresses own;
  private final boolean laterRulesNeedDestination;

  /**
   * Creates the rules.
   *
   * @param localEnds choose the proxy's end of connections
   * @param own the addresses of this proxy that no request may reach
   */
  public DestinationRules(AccessSettings access, LocalEndRules localEnds, OwnAddresses own) {
    this.access = access;
    this.localEnds = localEnds;
    this.own = own;
    laterRulesNeedDestination =
        access.cache.needsDestination()
            || access.httpReplyAccess.needsDestination()
            || access.storeMiss.needsDestination()
            || access.sendHit.needsDestination()
            || access.missAccess.needsDestination()
            || needsDestination(access.requestFields)
            || needsDestination(access.replyFields);
  }

  private static boolean needsDestination(@Nullable FieldRules rules) {
    return rules != null && rules.needsDestination();
  }

  /**
   * The verdict of {@code http_access} for {@code request}. If the addresses of its destination are
   * known, one allowed address is enough. The proxy connects to allowed addresses only; see {@link
   * #refusal}. A parent gets the request only if all addresses are allowed; see {@link
   * io.loligo.server.upstream.route.Router}.
   */
  public AclVerdict access(Request request) {
    List<byte[]> addresses = request.destinationAddresses();
    if (addresses == null || addresses.isEmpty()) {
      return access.httpAccess.evaluate(request);
    }
    AclVerdict verdict = null;
    AclVerdict open = null;
    for (byte[] address : addresses) {
      verdict = verdict(access.httpAccess, request, address);
      if (verdict.allowed()) {
        return verdict;
      }
      open = verdict.denied() ? open : verdict;
    }
    assert verdict != null : "there is an address";
    return open == null ? verdict : open;
  }

  /**
   * Whether the last rule that {@link #access} looked at asks who the user of {@code request} is. A
   * denied client is then asked for another login.
   */
  public boolean endsWithUser(Request request) {
    List<byte[]> addresses = request.destinationAddresses();
    byte[] last =
        addresses == null || addresses.isEmpty() ? null : addresses.get(addresses.size() - 1);
    return access.httpAccess.endsWithUser(request, last);
  }

  /**
   * The verdict for one address. It is allowed only if every address that it leads to is allowed.
   */
  private static AclVerdict verdict(AclList rules, Request request, byte[] address) {
    AclVerdict verdict = rules.evaluate(request, address);
    for (byte[] alias : Aliases.of(address)) {
      if (!verdict.allowed()) {
        return verdict;
      }
      verdict = rules.evaluate(request, alias);
    }
    return verdict;
  }

  /**
   * Whether {@code verdict}, or a rule that applies later, needs the addresses of the destination.
   */
  public boolean needsDestination(AclVerdict verdict, Request request) {
    return verdict.allowed()
        ? laterRulesNeedDestination(request)
        : verdict.kind() == AclVerdict.Kind.NEEDS_DESTINATION;
  }

  /**
   * Whether a rule that applies after {@code http_access} needs the addresses of the destination.
   */
  public boolean laterRulesNeedDestination(Request request) {
    return laterRulesNeedDestination
        && request.head().methodId() != Method.CONNECT
        && !request.host().equals(OwnObjects.HOST);
  }

  /**
   * The proxy's end of a connection for {@code request} to {@code address}.
   *
   * @param peer whose address it is, which rules see meanwhile; null: that of an origin
   */
  public LocalEnd localEnd(Request request, InetAddress address, @Nullable CachePeer peer) {
    request.server().nextPeer(peer);
    try {
      return localEnds.of(request, address);
    } finally {
      request.server().nextPeer(null);
    }
  }

  /**
   * Why the proxy must not connect to {@code address}, a resolved address of {@code request}; null
   * if it may.
   *
   * @param tunnel whether the client gets a tunnel, in which it controls every byte
   */
  public @Nullable String refusal(Request request, InetAddress address, int port, boolean tunnel) {
    String guarded = own.refusal(address, port, tunnel);
    if (guarded != null) {
      return guarded;
    }
    byte[] bytes = AddressBytes.of(address);
    if (access.httpAccess.needsDestination() && !request.isSentElsewhere()) {
      AclVerdict verdict = verdict(access.httpAccess, request, bytes);
      if (!verdict.allowed()) {
        return Refusal.rule(verdict);
      }
    }
    if (access.adaptedHttpAccess.needsDestination()) {
      AclVerdict verdict = verdict(access.adaptedHttpAccess, request, bytes);
      return verdict.allowed() ? null : Refusal.rule(verdict);
    }
    return null;
  }

  /**
   * Why no intercepted client may mean {@code port} of {@code address}; null: it may. It is then no
   * port of this proxy.
   */
  public @Nullable String ownPort(InetAddress address, int port) {
    return own.refusal(address, port, /* tunnel= */ true);
  }

  /** Whether {@code request} is sent although the certificate of the server has {@code fault}. */
  public boolean tolerates(Request request, TlsFault fault) {
    if (access.certError.isEmpty()) {
      return false;
    }
    request.server().certificateFault(fault);
    try {
      return access.certError.evaluate(request).allowed();
    } finally {
      request.server().certificateFault(null);
    }
  }
}
