package io.loligo.cluster.discovery;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a host. Thread-safe; may block. */
public interface Resolver {
  /** That of the machine. */
  Resolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

  /**
   * All addresses of {@code host}, a name or an address.
   *
   * @throws UnknownHostException if it has none
   */
  List<InetAddress> addresses(String host) throws UnknownHostException;
}
