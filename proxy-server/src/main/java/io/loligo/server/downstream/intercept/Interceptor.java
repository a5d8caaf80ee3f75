package io.loligo.server.downstream.intercept;

import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClosedConnections;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.Interception;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds the server that the client of an intercepted connection means. Thread-safe. */
public final class Interceptor {
  private final OriginalDestinations system;
  private final Predicate<InetAddress> here;

  /**
   * An interceptor.
   *
   * @param here whether an address belongs to this machine
   */
  public Interceptor(OriginalDestinations system, Predicate<InetAddress> here) {
    this.system = system;
    this.here = here;
  }

  /**
   * The destination of {@code channel}, accepted on {@code port}; null: there is none, or it is the
   * port itself. The refusal is then counted and told, and the caller closes the connection. On the
   * loop of {@code clients}.
   *
   * @param told the destination in a header of the PROXY protocol, which replaces the system's
   *     answer; null: there is none
   */
  public @Nullable Destination destination(
      ClientConnections clients,
      Channel channel,
      HttpPort port,
      InetSocketAddress client,
      @Nullable InetSocketAddress told) {
    InetSocketAddress original = told == null ? system.of(channel, port.interception()) : told;
    if (original == null || original.getPort() == 0) {
      refuse(clients, port, client, "it is not known to which address it was opened");
      return null;
    }
    if (isForPort(channel, port, original)) {
      refuse(clients, port, client, "it was opened to the port itself, not intercepted");
      return null;
    }
    return Destination.intercepted(port.scheme(), original);
  }

  private static void refuse(
      ClientConnections clients, HttpPort port, InetSocketAddress client, String why) {
    clients.counters().destinationUnknown();
    ClosedConnections.log(clients, Interceptor.class, port.name(), client, why);
  }

  private boolean isForPort(Channel channel, HttpPort port, InetSocketAddress original) {
    boolean untouched =
        port.interception() == Interception.NAT && original.equals(channel.localAddress());
    return untouched || isListening(channel.parent(), original);
  }

  private boolean isListening(@Nullable Channel listener, InetSocketAddress original) {
    if (listener == null || !(listener.localAddress() instanceof InetSocketAddress listening)) {
      return false;
    }
    InetAddress address = listening.getAddress();
    return listening.getPort() == original.getPort()
        && (address.equals(original.getAddress())
            || (address.isAnyLocalAddress() && here.test(original.getAddress())));
  }
}
