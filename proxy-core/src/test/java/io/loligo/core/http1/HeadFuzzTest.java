package io.loligo.core.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.fuzz.Mutations;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Replays the seed corpus of {@link HeadFuzz}, and mutations of it. */
final class HeadFuzzTest {
  private static final String[] SPLICES = {
    "\r\n",
    "\n",
    "\r",
    "\0",
    " ",
    "\t",
    ":",
    ",",
    ";",
    "\u0080",
    "\u007f",
    "Host: a\r\n",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n"
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
  void survivesTheCorpusAndMutationsOfIt() throws Exception {
    List<byte[]> corpus = corpus();
    assertThat(corpus).hasSizeGreaterThan(20);
    new Mutations(HeadFuzz::fuzzerTestOneInput, corpus, SPLICES).run();
  }
}
