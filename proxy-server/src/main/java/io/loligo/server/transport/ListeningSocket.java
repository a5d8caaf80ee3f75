package io.loligo.server.transport;

import io.netty.channel.unix.FileDescriptor;
import java.net.InetSocketAddress;

/**
 * A listening socket on its way from one process to the next. Immutable; whoever has it closes the
 * descriptor, or gives it to a channel.
 *
 * @param use of the port: {@link #CLIENTS} or {@link #ADMIN}
 * @param host as configured; empty: all addresses
 * @param port as configured; 0: the system chose one
 * @param address as bound
 * @param descriptor of this process
 */
public record ListeningSocket(
    String use, String host, int port, InetSocketAddress address, FileDescriptor descriptor) {
  /** A port for clients. */
  public static final String CLIENTS = "clients";

  /** The admin port. */
  public static final String ADMIN = "admin";

  /** Whether it was made for a line with the same words. */
  boolean isOf(String wantedUse, String wantedHost, int wantedPort) {
    return use.equals(wantedUse) && host.equals(wantedHost) && port == wantedPort;
  }

  /** Whether it is bound to {@code wanted}, whose port is not 0. */
  boolean isAt(String wantedUse, InetSocketAddress wanted) {
    return use.equals(wantedUse)
        && address.getPort() == wanted.getPort()
        && (address.getAddress().equals(wanted.getAddress())
            || (address.getAddress().isAnyLocalAddress()
                && wanted.getAddress().isAnyLocalAddress()));
  }
}
