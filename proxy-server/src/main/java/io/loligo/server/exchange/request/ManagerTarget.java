package io.loligo.server.exchange.request;

import io.loligo.core.message.Authority;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.IpText;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.port.PortMode;
import io.loligo.server.upstream.own.OwnObjects;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Targets that name manager pages or the digest under the proxy's own name. Stateless. */
public final class ManagerTarget {
  private static final byte[] FOLDER = "/squid-internal-mgr/".getBytes(StandardCharsets.US_ASCII);
  private static final String LOCALHOST = "localhost";

  private ManagerTarget() {}

  /** Whether {@code head}, its target in origin-form, requests a page, existing or not. */
  static boolean isAskedFor(RequestHead head) {
    return isFolder(head.bytes(), head.targetStart(), head.targetEnd());
  }

  private static boolean isFolder(byte[] bytes, int start, int pathEnd) {
    int end = start + FOLDER.length;
    return end <= pathEnd && Arrays.equals(bytes, start, end, FOLDER, 0, FOLDER.length);
  }

  /**
   * Whether {@code target}, in absolute-form, is a page or the digest under the proxy's own name.
   *
   * @param name {@code visible_hostname}
   * @param local the proxy's end of the connection, or null
   * @param ownPort the proxy's port
   */
  static boolean isOwn(
      RequestTarget target, String name, @Nullable InetSocketAddress local, int ownPort) {
    return target.form() == RequestTarget.Form.ABSOLUTE
        && (isFolder(target.pathBytes(), target.pathStart(), target.pathEnd())
            || OwnObjects.isDigest(target.pathBytes(), target.pathStart(), target.pathEnd()))
        && target.port() == ownPort
        && target.scheme().equals("http")
        && (target.host().equalsIgnoreCase(name) || isAddressOf(target.host(), local));
  }

  private static boolean isAddressOf(String host, @Nullable InetSocketAddress local) {
    if (local == null) {
      return false;
    }
    InetAddress address = local.getAddress();
    return host.equals(LOCALHOST)
        ? address.isLoopbackAddress()
        : Arrays.equals(IpText.parse(host), address.getAddress());
  }

  /**
   * Whether the client of {@code request} asks this proxy for a page: on a port for proxy requests,
   * outside of tunnels.
   */
  public static boolean isFor(Request request) {
    RequestTarget target = request.target();
    return request.httpPort().mode() == PortMode.FORWARD
        && request.destination() == null
        && target.host().equals(OwnObjects.HOST)
        && (isManagerScheme(target)
            || isFolder(target.pathBytes(), target.pathStart(), target.pathEnd()));
  }

  private static boolean isManagerScheme(RequestTarget target) {
    return target.scheme().equals(RequestTarget.MANAGER_SCHEME);
  }

  /** The page that a target names, in the words of the client. */
  public static String page(RequestTarget target) {
    int start = target.pathStart() + (isManagerScheme(target) ? 1 : FOLDER.length);
    return new String(
        target.pathBytes(), start, target.pathEnd() - start, StandardCharsets.ISO_8859_1);
  }

  /** The password in a target of the manager's scheme, each character one byte; null: none. */
  public static @Nullable String password(Request request) {
    if (!isManagerScheme(request.target())) {
      return null;
    }
    String target = request.head().target();
    int path = target.indexOf('/', RequestTarget.MANAGER_SCHEME.length() + "://".length());
    int at = path < 0 ? -1 : target.indexOf('@', path);
    return at < 0 ? null : target.substring(at + 1);
  }

  /**
   * Whether Host names this proxy, or none is given. A page of another site can make a browser send
   * a request under a name of its own that resolves to this machine, and read the response; it
   * cannot do so under an address.
   *
   * @param name {@code visible_hostname}
   */
  public static boolean hasOwnHost(Request request, String name) {
    Fields fields = request.head().fields();
    int field = fields.first(FieldName.HOST);
    if (field < 0 || isManagerScheme(request.target())) {
      return true;
    }
    int start = fields.valueStart(field);
    int end = Authority.hostEnd(fields.bytes(), start, fields.valueEnd(field));
    if (end < 0) {
      return false;
    }
    String host = new String(fields.bytes(), start, end - start, StandardCharsets.ISO_8859_1);
    return host.equalsIgnoreCase(LOCALHOST)
        || host.equalsIgnoreCase(name)
        || NetUtil.isValidIpV4Address(host)
        || NetUtil.isValidIpV6Address(host);
  }
}
