package io.loligo.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClassArchiveTest {
  @TempDir Path dir;

  private ClassArchive of(int feature, String exact, String build) {
    return ClassArchive.of(dir.resolve("loligo.jar"), feature, exact, build);
  }

  @Test
  void eachJvmHasAFileOfItsOwnBesideTheJar() {
    Path file = of(17, "17.0.15+6-Debian-1", "OpenJDK Debian amd64").file();
    assertThat(file.getParent()).isEqualTo(dir);
    assertThat(file.getFileName().toString())
        .matches("loligo-17\\.0\\.15-6-Debian-1-[0-9a-f]{8}\\.jsa");
    assertThat(of(17, "17.0.15+6-Debian-1", "OpenJDK Debian arm64").file()).isNotEqualTo(file);
    assertThat(of(17, "17.0.16+1-Debian-1", "OpenJDK Debian amd64").file()).isNotEqualTo(file);
    assertThat(of(25, "25.0.3+9", "x").file().toString()).endsWith(".aot");
  }

  @Test
  void isUsedWhereItExists() throws Exception {
    for (int feature : new int[] {17, 25}) {
      ClassArchive archive = of(feature, "1", "x");
      assertThat(archive.options()).isEmpty();
      Files.createFile(archive.file());
      assertThat(archive.options())
          .containsExactly(
              feature == 17 ? "-Xlog:cds*=off" : "-Xlog:aot*=off",
              (feature == 17 ? "-XX:SharedArchiveFile=" : "-XX:AOTCache=") + archive.file());
    }
  }

  @Test
  void isMadeWithTheFlagsOfTheProxy() {
    List<String> command = of(17, "1", "x").making(dir.resolve("new"), List.of("run"));
    assertThat(command)
        .contains("-XX:MaxTenuringThreshold=1", "-XX:ArchiveClassesAtExit=" + dir.resolve("new"))
        .endsWith("-jar", dir.resolve("loligo.jar").toString(), "run");
    assertThat(of(25, "1", "x").making(dir.resolve("new"), List.of("run")))
        .contains("-XX:+UseCompactObjectHeaders", "-XX:AOTCacheOutput=" + dir.resolve("new"));
  }

  /** {@code jlink} makes runtimes without the archive that another one goes on from. */
  @Test
  void aRuntimeWithoutAnArchiveOfItsOwnHasToMakeOne() throws Exception {
    String nothing = "nothing, the proxy runs without";
    Path server = dir.resolve("lib/server");
    assertThat(of(17, "1", "x").remedy(dir)).as("another system").isEqualTo(nothing);
    Files.createDirectories(server);
    assertThat(of(17, "1", "x").remedy(dir))
        .startsWith(
            dir.resolve("bin/java") + " -Xshare:dump, as a user who may write to " + server);
    assertThat(of(25, "1", "x").remedy(dir)).as("needs none").isEqualTo(nothing);
    Files.createFile(server.resolve("classes.jsa"));
    assertThat(of(17, "1", "x").remedy(dir)).isEqualTo(nothing);
  }
}
