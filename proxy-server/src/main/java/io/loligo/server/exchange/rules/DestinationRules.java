package io.loligo.server.exchange.rules;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.Aliases;
import io.loligo.core.message.Method;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.AccessSettings;
import io.loligo.server.upstream.own.OwnObjects;
import java.net.InetAddress;
import java.util.List;

/** Decides which destinations a request may have, by {@code http_access}. Immutable. */
public final class DestinationRules {
  private final AccessSettings access;
  private final OwnAddresses own;

  public DestinationRules(AccessSettings access, OwnAddresses own) {
    this.access = access;
    this.own = own;
  }

  /**
   * What {@code http_access} says of {@code request}. Where its destination's addresses are known:
   * allowed if any address is. Only allowed ones are dialled, see {@link #refusal}, and a parent is
   * asked only where all are, see {@link io.loligo.server.upstream.route.Router}.
   */
  public AclVerdict access(Request request) {
    List<byte[]> addresses = request.destinationAddresses();
    if (addresses == null || addresses.isEmpty()) {
      return access.httpAccess.evaluate(request);
    }
    AclVerdict verdict = null;
    for (byte[] address : addresses) {
      verdict = verdict(request, address);
      if (verdict.allowed()) {
        break;
      }
    }
    return verdict;
  }

  /** An address is allowed where every address that it leads to is. */
  private AclVerdict verdict(Request request, byte[] address) {
    AclList rules = access.httpAccess;
    AclVerdict verdict = rules.evaluate(request, address);
    for (byte[] alias : Aliases.of(address)) {
      if (!verdict.allowed()) {
        return verdict;
      }
      verdict = rules.evaluate(request, alias);
    }
    return verdict;
  }

  /** Whether {@code verdict}, or a rule that is asked later, waits for the destination. */
  public boolean needsDestination(AclVerdict verdict, Request request) {
    if (!verdict.allowed()) {
      return !verdict.denied();
    }
    return (access.cache.needsDestination()
            || access.httpReplyAccess.needsDestination()
            || access.storeMiss.needsDestination()
            || access.sendHit.needsDestination())
        && request.head().methodId() != Method.CONNECT
        && !request.host().equals(OwnObjects.HOST);
  }

  /**
   * Why a resolved address of {@code request} must not be dialled, or null.
   *
   * @param tunnel whether the client is to talk to it as it likes
   */
  public String refusal(Request request, InetAddress address, int port, boolean tunnel) {
    String guarded = own.refusal(address, port, tunnel);
    if (guarded != null) {
      return guarded;
    }
    if (!access.httpAccess.needsDestination()) {
      return null;
    }
    AclVerdict verdict = verdict(request, Request.octets(address));
    return verdict.allowed() ? null : Refusal.rule(verdict);
  }
}
