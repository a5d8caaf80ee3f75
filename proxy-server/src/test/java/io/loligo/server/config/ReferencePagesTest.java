package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.boot.Features;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The generated pages as committed. To write them anew: {@code mvn -pl proxy-server -am test
 * -Dtest=ReferencePagesTest -Dloligo.reference.write=true}.
 */
class ReferencePagesTest {
  private static final ReferencePages PAGES = new ReferencePages(Features.directives());
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  static List<Arguments> pages() {
    return List.of(
        Arguments.of("docs/reference/directives.md", PAGES.directives()),
        Arguments.of("docs/reference/differences.md", PAGES.differences()),
        Arguments.of("docs/reference/metrics.md", MetricsPage.ofAProcess().markdown()),
        Arguments.of("config/reference.conf", PAGES.configuration()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pages")
  void isCommittedAsGenerated(String path, String text) throws IOException {
    Path file = ROOT.resolve(path);
    if (Boolean.getBoolean("loligo.reference.write")) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    }
    assertThat(Files.readString(file)).isEqualTo(text);
  }
}
