package io.loligo.core.fuzz;

import static org.assertj.core.api.Assertions.fail;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Gives a fuzz target a corpus, and random mutations of it: the same ones in each build, others for
 * {@code -Dloligo.fuzz.seconds=N} seconds. A failing input is reported in hexadecimal; put it into
 * the corpus and it is a regression test.
 */
public final class Mutations {
  private static final int USUAL_ROUNDS = 4_000;
  private static final int MOST_TIMES = 4;

  private final Consumer<byte[]> target;
  private final List<byte[]> corpus;
  private final List<byte[]> splices = new ArrayList<>();

  /**
   * For one target.
   *
   * @param target throws where something that must hold does not
   * @param splices text that is put in anywhere
   */
  public Mutations(Consumer<byte[]> target, List<byte[]> corpus, String... splices) {
    this.target = target;
    this.corpus = corpus;
    for (String splice : splices) {
      this.splices.add(splice.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  /** The corpus as it is, then mutations of it. */
  public void run() {
    corpus.forEach(this::survives);
    long seconds = Long.getLong("loligo.fuzz.seconds", 0);
    if (seconds == 0) {
      mutate(USUAL_ROUNDS, new Random(1));
      return;
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (Random random = new Random(); System.nanoTime() - end < 0; ) {
      mutate(USUAL_ROUNDS, random);
    }
  }

  private void mutate(int rounds, Random random) {
    for (int round = 0; round < rounds; round++) {
      byte[] input = corpus.get(random.nextInt(corpus.size()));
      for (int times = 1 + random.nextInt(MOST_TIMES); times > 0; times--) {
        input = mutated(input, random);
      }
      survives(input);
    }
  }

  private byte[] mutated(byte[] input, Random random) {
    int at = random.nextInt(input.length + 1);
    switch (random.nextInt(5)) {
      case 0 -> {
        byte[] flipped = input.clone();
        if (at < flipped.length) {
          flipped[at] ^= (byte) (1 << random.nextInt(8));
        }
        return flipped;
      }
      case 1 -> {
        return joined(input, at, splices.get(random.nextInt(splices.size())), at);
      }
      case 2 -> {
        return joined(input, at, new byte[0], Math.min(input.length, at + 1 + random.nextInt(8)));
      }
      case 3 -> {
        byte[] other = corpus.get(random.nextInt(corpus.size()));
        return joined(input, at, other, Math.min(input.length, at + other.length));
      }
      default -> {
        byte[] one = {(byte) random.nextInt(256)};
        return joined(input, at, one, Math.min(input.length, at + 1));
      }
    }
  }

  private static byte[] joined(byte[] input, int to, byte[] middle, int from) {
    byte[] all = new byte[to + middle.length + input.length - from];
    System.arraycopy(input, 0, all, 0, to);
    System.arraycopy(middle, 0, all, to, middle.length);
    System.arraycopy(input, from, all, to + middle.length, input.length - from);
    return all;
  }

  private void survives(byte[] input) {
    try {
      target.accept(input);
    } catch (RuntimeException | AssertionError e) {
      String text = new String(input, StandardCharsets.ISO_8859_1);
      fail("input " + HexFormat.of().formatHex(input) + "\n" + text, e);
    }
  }
}
