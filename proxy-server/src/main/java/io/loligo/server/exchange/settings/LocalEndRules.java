package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.upstream.LocalEnd;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code tcp_outgoing_address}, {@code tcp_outgoing_tos} and {@code tcp_outgoing_mark}: this end of
 * connections to origins and parents. Immutable; any thread.
 *
 * @param addresses in order; the first that matches and has the remote end's version of IP holds
 * @param trafficClasses in order; the first that matches holds
 * @param marks in order; the first that matches holds
 */
public record LocalEndRules(
    List<Address> addresses, List<PacketNumber> trafficClasses, List<PacketNumber> marks) {
  /**
   * An address of the proxy.
   *
   * @param address null: the system chooses one
   * @param v6 whether it is for servers of IPv6
   */
  record Address(@Nullable InetAddress address, boolean v6, AclList access) {}

  /** A byte of IP packets, 0 to 255, or a mark of 32 bits. */
  record PacketNumber(int value, AclList access) {}

  static LocalEndRules of(ProxyConfig config) {
    return new LocalEndRules(
        config.get(FetchDirectives.TCP_OUTGOING_ADDRESS),
        config.get(FetchDirectives.TCP_OUTGOING_TOS),
        config.get(FetchDirectives.TCP_OUTGOING_MARK));
  }

  /** The local end of a connection for {@code request} to {@code remote}. */
  public LocalEnd of(AclInput request, InetAddress remote) {
    if (addresses.isEmpty() && trafficClasses.isEmpty() && marks.isEmpty()) {
      return LocalEnd.ANY;
    }
    byte[] bytes = remote.getAddress();
    InetAddress from = null;
    for (Address one : addresses) {
      if (one.v6 == (bytes.length == 16) && one.access.evaluate(request, bytes).allowed()) {
        from = one.address;
        break;
      }
    }
    return new LocalEnd(
        from, false, first(trafficClasses, request, bytes), first(marks, request, bytes));
  }

  /** The number of the first line that matches; 0: none does. */
  private static int first(List<PacketNumber> lines, AclInput request, byte[] remote) {
    for (PacketNumber one : lines) {
      if (one.access.evaluate(request, remote).allowed()) {
        return one.value;
      }
    }
    return 0;
  }
}
