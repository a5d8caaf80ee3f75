package io.loligo.server.exchange.request;

import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.port.Accel;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortMode;
import io.loligo.server.upstream.own.OwnObjects;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Determines the target of a request from its head and the port on which it arrived. Stateless. */
public final class Identification {
  private Identification() {}

  /**
   * Fills {@code target}. Returns null, or the reason why the request is refused.
   *
   * @param local the proxy's end of the connection, or null
   * @param destination the server that the client of an intercepted or decrypted connection means;
   *     null: the connection is neither
   * @param refusesUserInfo {@code loligo_url_userinfo refuse}
   * @param name {@code visible_hostname}
   * @param head borrowed
   */
  public static @Nullable ParseFailure identify(
      HttpPort port,
      @Nullable InetSocketAddress local,
      @Nullable Destination destination,
      boolean refusesUserInfo,
      String name,
      RequestHead head,
      RequestTarget target) {
    ParseFailure failure = identify(port, local, destination, name, head, target);
    return failure == null && refusesUserInfo && target.hasUserInfo()
        ? ParseFailure.BAD_TARGET
        : failure;
  }

  /** The same where user information is ignored. */
  static @Nullable ParseFailure identify(
      HttpPort port,
      @Nullable InetSocketAddress local,
      @Nullable Destination destination,
      String name,
      RequestHead head,
      RequestTarget target) {
    if (destination != null) {
      return target.resolveAt(
          head, destination.scheme(), destination.authorityHost(), destination.port());
    }
    if (port.mode() == PortMode.INTERCEPT) { // asked by an operator: nobody has connected
      return target.resolve(head, port.scheme(), null, true);
    }
    if (port.accel() != null) {
      return identifyAccelerated(port.accel(), local, head, target);
    }
    // as in Squid, rules see the proxy's own port
    int own = local == null ? port.port() : local.getPort();
    if (RequestTarget.isForManager(head)) {
      return target.resolveManager(head, OwnObjects.HOST, own);
    }
    if (OwnObjects.isAskedFor(head) || ManagerTarget.isAskedFor(head)) {
      return target.resolve(head, "http", OwnObjects.HOST, false, own);
    }
    ParseFailure failure = target.resolve(head, "http", null, true);
    if (failure == null && ManagerTarget.isOwn(target, name, local, own)) {
      return target.resolve(head, "http", OwnObjects.HOST, false, own);
    }
    if (failure == null && target.form() == RequestTarget.Form.ORIGIN) {
      return ParseFailure.BAD_TARGET; // a forward proxy needs absolute-form (RFC 9112 3.2.2)
    }
    return failure;
  }

  private static @Nullable ParseFailure identifyAccelerated(
      Accel accel, @Nullable InetSocketAddress local, RequestHead head, RequestTarget target) {
    int vport = accel.vport() == 0 && local != null ? local.getPort() : Math.max(0, accel.vport());
    ParseFailure failure =
        target.resolve(head, accel.protocol(), accel.defaultSite(), accel.vhost(), vport);
    if (failure != ParseFailure.MISSING_HOST || vport == 0 || local == null) {
      return failure;
    }
    // as in Squid, the local address names the site if an HTTP/1.0 client sends no Host
    String address = NetUtil.toAddressString(local.getAddress());
    String site = address.indexOf(':') < 0 ? address : "[" + address + "]";
    return target.resolve(head, accel.protocol(), site, accel.vhost(), vport);
  }
}
