package io.loligo.server.upstream;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * This end of a connection to an origin or a parent. Immutable.
 *
 * @param from its address; null: the system chooses
 * @param foreign whether {@code from} is the client's, which need not be one of this machine
 * @param trafficClass the byte of IP packets for it (RFC 2474), 0 to 255; 0: the system's
 * @param mark netfilter's mark of packets, 32 bits; 0: none
 */
public record LocalEnd(@Nullable InetAddress from, boolean foreign, int trafficClass, int mark) {
  /** The system decides everything. */
  public static final LocalEnd ANY = new LocalEnd(null, false, 0, 0);

  /** The same with the address of a client. */
  public LocalEnd ofClient(InetAddress client) {
    return new LocalEnd(client, true, trafficClass, mark);
  }
}
