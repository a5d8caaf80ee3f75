package io.loligo.cluster.share;

import java.util.EnumSet;

/** Prints what happens in the worlds of some seeds; a process of its own. */
final class ShareTraces {
  private static final long SEEDS = 20;

  private ShareTraces() {}

  public static void main(String[] none) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      ShareWorld world = new ShareWorld(seed, EnumSet.noneOf(ShareRule.class), true);
      world.run();
      world.world.trace().forEach(System.out::println);
    }
  }
}
