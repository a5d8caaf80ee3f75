package io.loligo.server.sim;

import java.util.SplittableRandom;

/**
 * The traffic of a world besides plain requests. Drawn apart from everything else: whether there is
 * any changes no other draw.
 *
 * @param tunnels CONNECT and Upgrade
 * @param parents proxies to which the proxy forwards
 * @param queries QUERY, with content in the key
 */
record SimFeatures(boolean tunnels, boolean parents, boolean queries) {
  /** Those of the world of {@code seed}: none in a third of all. */
  static SimFeatures of(long seed) {
    SplittableRandom random = new SplittableRandom(~seed);
    return new SimFeatures(
        random.nextInt(100) < 30, random.nextInt(100) < 30, random.nextInt(100) < 30);
  }
}
