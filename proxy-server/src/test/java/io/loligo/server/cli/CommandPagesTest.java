package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The generated page as committed; {@code -Dloligo.reference.write=true} writes it anew. */
class CommandPagesTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  private static Map<String, String> pages() {
    return new TreeMap<>(Map.of("docs/reference/commands.md", CommandPages.markdown()));
  }

  @Test
  void areCommittedAsGenerated() throws IOException {
    for (Map.Entry<String, String> page : pages().entrySet()) {
      Path file = ROOT.resolve(page.getKey());
      if (Boolean.getBoolean("loligo.reference.write")) {
        Files.createDirectories(file.getParent());
        Files.writeString(file, page.getValue());
      }
      assertThat(file).content().isEqualTo(page.getValue());
    }
  }
}
