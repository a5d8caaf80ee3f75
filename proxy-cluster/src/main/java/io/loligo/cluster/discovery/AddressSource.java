package io.loligo.cluster.discovery;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;

/** Where the addresses of members are found. Thread-safe. */
public interface AddressSource {
  /**
   * The addresses now, resolved. May block for seconds.
   *
   * @throws IOException if they cannot be found out now; the message says why
   */
  Set<InetSocketAddress> ask() throws IOException;

  /** How many members there should be, where a line says it; 0: as many as are found. */
  int fixed();
}
