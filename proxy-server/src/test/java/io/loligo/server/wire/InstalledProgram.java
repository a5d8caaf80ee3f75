package io.loligo.server.wire;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Other people's programs that tests use where they are installed. Stateless. */
final class InstalledProgram {
  private static final Set<String> PLACES =
      Set.of("/usr/sbin", "/usr/bin", "/bin", "/usr/local/bin", "/usr/local/sbin");

  private InstalledProgram() {}

  /** Its file; without one, the test is skipped and says so. */
  static String path(String name) {
    List<Path> found =
        Stream.concat(
                Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1)), PLACES.stream())
            .map(place -> Path.of(place, name))
            .filter(Files::isExecutable)
            .toList();
    assumeTrue(!found.isEmpty(), name + " is not installed");
    return found.get(0).toString();
  }
}
