package io.loligo.server.wire;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Other people's programs that tests use where they are installed. Stateless. */
final class InstalledProgram {
  private static final Set<String> PLACES =
      Set.of("/usr/sbin", "/usr/bin", "/bin", "/usr/local/bin", "/usr/local/sbin");

  private InstalledProgram() {}

  /** The file of the first one there is; without one, the test is skipped and says so. */
  static String path(String... names) {
    List<String> places = new ArrayList<>(PLACES);
    places.addAll(0, List.of(System.getenv().getOrDefault("PATH", "").split(":", -1)));
    List<Path> found =
        Stream.of(names)
            .flatMap(name -> places.stream().map(place -> Path.of(place, name)))
            .filter(Files::isExecutable)
            .toList();
    assumeTrue(!found.isEmpty(), String.join(" or ", names) + " is not installed");
    return found.get(0).toString();
  }
}
