package io.loligo.server.transport;

import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening sockets that an earlier process has handed to this one, which goes on accepting on
 * them until this process {@linkplain #areShared has taken over}. Thread-safe.
 */
public final class InheritedSockets implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InheritedSockets.class);

  private final List<ListeningSocket> left;
  private volatile boolean shared;

  /** Takes the descriptors of {@code sockets}. */
  public InheritedSockets(List<ListeningSocket> sockets) {
    left = new ArrayList<>(sockets);
    shared = !sockets.isEmpty();
  }

  /** No sockets: there was no earlier process. */
  public static InheritedSockets none() {
    return new InheritedSockets(List.of());
  }

  /** Whether the earlier process still accepts on them, so that this one must not. */
  public boolean areShared() {
    return shared;
  }

  /**
   * Takes those of one port out, in the order in which they came: the ones whose line said the
   * same, else the ones bound to the same address.
   *
   * @param host as configured
   * @param port as configured
   * @param address to bind
   * @return owned by the caller; empty: the port is new
   */
  public synchronized List<FileDescriptor> claim(
      String use, String host, int port, InetSocketAddress address) {
    InetSocketAddress bound = find(use, host, port, address);
    List<FileDescriptor> claimed = new ArrayList<>();
    for (Iterator<ListeningSocket> all = left.iterator(); all.hasNext(); ) {
      ListeningSocket socket = all.next();
      if (socket.use().equals(use) && socket.address().equals(bound)) {
        claimed.add(socket.descriptor());
        all.remove();
      }
    }
    return claimed;
  }

  /** Whether {@link #claim} would find any. */
  public synchronized boolean has(String use, String host, int port, InetSocketAddress address) {
    return find(use, host, port, address) != null;
  }

  /** Where the sockets of a port are bound; null: there are none. */
  private @Nullable InetSocketAddress find(
      String use, String host, int port, InetSocketAddress address) {
    for (ListeningSocket socket : left) {
      if (socket.isOf(use, host, port) || (address.getPort() != 0 && socket.isAt(use, address))) {
        return socket.address();
      }
    }
    return null;
  }

  /**
   * The earlier process accepts no more. Closes the sockets of ports that this process does not
   * have: once the earlier one has closed them too, connections to them are refused.
   */
  @Override
  public synchronized void close() {
    shared = false;
    for (ListeningSocket socket : left) {
      try {
        socket.descriptor().close();
      } catch (IOException e) {
        LOG.debug("the socket of {} is closed already", socket.address(), e);
      }
    }
    left.clear();
  }
}
