package io.loligo.core.http1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replays the seed corpus of {@link HeadFuzz} and deterministic mutations of it. */
final class HeadFuzzTest {
  private static final byte[][] SPLICES = {
    {'\r', '\n'},
    {'\n'},
    {'\r'},
    {0},
    {' '},
    {'\t'},
    {':'},
    {','},
    {';'},
    {(byte) 0x80},
    {0x7f},
    "Host: a\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
    "Content-Length: 5\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
    "Transfer-Encoding: chunked\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII)
  };

  private static List<byte[]> corpus() throws IOException, URISyntaxException {
    Path folder = Path.of(HeadFuzzTest.class.getResource("head-corpus").toURI());
    List<byte[]> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        all.add(Files.readAllBytes(file));
      }
    }
    return all;
  }

  @Test
  void survivesTheCorpus() throws Exception {
    List<byte[]> corpus = corpus();
    assertThat(corpus).hasSizeGreaterThan(20);
    corpus.forEach(HeadFuzzTest::survives);
  }

  @Test
  void survivesMutationsOfTheCorpus() throws Exception {
    mutate(corpus(), 4_000, 1);
  }

  @Test
  @Tag("soak")
  void survivesManyMutationsOfTheCorpus() throws Exception {
    mutate(corpus(), 20_000_000, System.nanoTime());
  }

  private static void mutate(List<byte[]> corpus, int rounds, long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < rounds; round++) {
      byte[] input = corpus.get(random.nextInt(corpus.size()));
      for (int times = 1 + random.nextInt(4); times > 0; times--) {
        input = mutated(input, corpus, random);
      }
      survives(input);
    }
  }

  private static byte[] mutated(byte[] input, List<byte[]> corpus, Random random) {
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
        return joined(input, at, SPLICES[random.nextInt(SPLICES.length)], at);
      }
      case 2 -> {
        return joined(input, at, new byte[0], Math.min(input.length, at + 1 + random.nextInt(8)));
      }
      case 3 -> {
        byte[] other = corpus.get(random.nextInt(corpus.size()));
        return joined(input, at, other, Math.min(input.length, at + other.length));
      }
      default -> {
        byte[] octet = {(byte) random.nextInt(256)};
        return joined(input, at, octet, Math.min(input.length, at + 1));
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

  private static void survives(byte[] input) {
    try {
      HeadFuzz.fuzzerTestOneInput(input);
    } catch (RuntimeException | AssertionError e) {
      fail("input " + HexFormat.of().formatHex(input), e);
    }
  }
}
