package io.loligo.core.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Replays the corpora of the fuzz targets of this package, and mutations of them. */
class FuzzTest {
  private static final String[] LISTS = {
    ",", ", ", ";", "=", "-", "\"", "\\", " ", "\t", "0", "9223372036854775808", "bytes=", "*"
  };

  /** One input a line; a file of configuration has empty lines between its inputs. */
  private static List<byte[]> corpus(String name, String separator)
      throws IOException, URISyntaxException {
    Path file = Path.of(FuzzTest.class.getResource(name).toURI());
    List<byte[]> inputs = new ArrayList<>();
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    for (String input : text.split(separator, -1)) {
      if (!input.isEmpty()) {
        inputs.add(input.getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    assertThat(inputs).hasSizeGreaterThan(10);
    return inputs;
  }

  private static void run(Consumer<byte[]> target, String corpus, String... splices)
      throws Exception {
    new Mutations(target, corpus(corpus, "\n"), splices).run();
  }

  @Test
  void ranges() throws Exception {
    run(RangeFuzz::test, "range.txt", LISTS);
  }

  @Test
  void cacheControl() throws Exception {
    run(CacheControlFuzz::test, "cache-control.txt", LISTS);
  }

  @Test
  void dates() throws Exception {
    run(DateFuzz::test, "date.txt", " ", ",", "-", ":", "GMT", "29", "Feb", "99", "00", "60");
  }

  @Test
  void targets() throws Exception {
    run(
        TargetFuzz::test,
        "target.txt",
        "/",
        "//",
        "..",
        "?",
        "#",
        "@",
        ":",
        "%",
        "%2f",
        "%00",
        "[",
        "]",
        "::",
        ".",
        "http://",
        "*");
  }

  @Test
  void configurations() throws Exception {
    new Mutations(
            ConfigFuzz::test,
            corpus("config.txt", "\n\n"),
            "\n",
            " ",
            "\t",
            "#",
            "\\\n",
            "\"",
            "!",
            "-",
            "/",
            ":",
            "0",
            "99999999999",
            "%",
            "${a}",
            "include ",
            "if ",
            "endif\n",
            "all",
            "acl ",
            "deny ",
            "allow ")
        .run();
  }
}
