package io.loligo.bench.micro;

import io.loligo.store.stripes.Stripes;
import org.openjdk.jmh.infra.ThreadParams;

/** JMH's threads as event loops: with one place in what they share, or each with its own. */
final class LoopNumbers {
  private LoopNumbers() {}

  /** For the parameter {@code stripes}: {@code one} or {@code each}. */
  static Stripes of(String stripes, ThreadParams threads) {
    return switch (stripes) {
      case "one" -> Stripes.ONE;
      case "each" -> new Stripes(threads.getThreadCount());
      default -> throw new IllegalArgumentException(
          "stripes: " + stripes + " (expected: one or each)");
    };
  }

  /** Gives the calling thread its number. */
  static void enter(Stripes stripes, ThreadParams threads) {
    if (stripes != Stripes.ONE) {
      stripes.enter(threads.getThreadIndex());
    }
  }
}
