package io.loligo.store;

/** How many interleavings of a scenario are played. Stateless. */
public final class Interleavings {
  private static final int FACTOR = Integer.getInteger("interleavings", 1);

  private Interleavings() {}

  /** Those of every build, or some times as many with {@code -Psoak}. */
  public static int of(int everyBuild) {
    return everyBuild * FACTOR;
  }
}
