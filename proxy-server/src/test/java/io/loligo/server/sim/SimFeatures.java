package io.loligo.server.sim;

import java.util.SplittableRandom;

/**
 * The traffic of a world besides plain requests. Drawn apart from everything else: whether there is
 * any changes no other draw.
 *
 * @param tunnels CONNECT and Upgrade
 * @param parents proxies to which the proxy forwards
 * @param queries QUERY, with content in the key
 * @param http2Clients every second client speaks HTTP/2
 * @param http2Origins origins speak HTTP/2, where there are no tunnels to them
 * @param pools limit what origins send and what clients get
 * @param revalidations purges of everything
 */
record SimFeatures(
    boolean tunnels,
    boolean parents,
    boolean queries,
    boolean http2Clients,
    boolean http2Origins,
    boolean pools,
    boolean revalidations) {
  /** Those of the world of {@code seed}: none in a third of all, but for HTTP/2. */
  static SimFeatures of(long seed) {
    SplittableRandom random = new SplittableRandom(~seed);
    return new SimFeatures(
        random.nextInt(100) < 30,
        random.nextInt(100) < 30,
        random.nextInt(100) < 30,
        random.nextInt(100) < 30,
        random.nextInt(100) < 30,
        random.nextInt(100) < 7,
        random.nextInt(100) < 20);
  }
}
