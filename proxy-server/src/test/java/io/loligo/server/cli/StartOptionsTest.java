package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartOptionsTest {
  @TempDir Path dir;
  private String jar;
  private String conf;

  @BeforeEach
  void write() throws IOException {
    jar = Files.createFile(dir.resolve("proxy.jar")).toString();
    conf = Files.writeString(dir.resolve("loligo.conf"), "cache_mem 8 MB\n").toString();
  }

  private static boolean chosen(List<String> options) {
    return options.stream().anyMatch(option -> option.startsWith("-Xmn"));
  }

  @Test
  void aStartGetsOptions() {
    assertThat(chosen(StartOptions.of("-jar", jar, "run", "-f", conf))).isTrue();
    assertThat(chosen(StartOptions.of("-jar", jar, "run", "--file=" + conf))).isTrue();
    assertThat(chosen(StartOptions.of("-Da=b", "-ea", "-jar", jar, "-N", "-f", conf))).isTrue();
    assertThat(chosen(StartOptions.of("-Dloligo.name=squid", "-jar", jar))).isTrue();
  }

  @Test
  void otherCommandsGetNone() {
    assertThat(StartOptions.of("-jar", jar)).isEmpty();
    assertThat(StartOptions.of("-jar", jar, "--help")).isEmpty();
    assertThat(StartOptions.of("-jar", jar, "run")).isEmpty();
    assertThat(StartOptions.of("-jar", jar, "-k", "parse", "-f", conf)).isEmpty();
    assertThat(StartOptions.of("-jar", jar, "-Nz", "-f", conf)).isEmpty();
  }

  /** They would take the launcher's JVM longer than its work. */
  @Test
  void itsJvmMakesNoLambdasAndNoPatterns() throws Exception {
    Files.writeString(dir.resolve("loligo.conf"), "http_port 3128\n");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load",
                "-cp",
                System.getProperty("java.class.path"),
                StartOptions.class.getName(),
                "-Xlog:gc",
                "-XX:+PerfDisableSharedMem",
                "-jar",
                jar,
                "run",
                "-f",
                conf)
            .redirectErrorStream(true)
            .start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertThat(process.waitFor()).isZero();
    int main = 0;
    while (!lines.get(main).contains(StartOptions.class.getName())) {
      main++;
    }
    List<String> since = lines.subList(main, lines.size());
    assertThat(since).anyMatch(line -> line.startsWith("-Xmn"));
    assertThat(since.stream().filter(line -> line.matches(".*(\\$\\$Lambda|regex[.]Pattern).*")))
        .isEmpty();
  }

  @Test
  void anOperatorsChoiceGetsNone() {
    assertThat(StartOptions.of("-Xmx200m", "-jar", jar, "run", "-f", conf)).isEmpty();
    assertThat(StartOptions.of("-Da=b", "@file", "-jar", jar, "run", "-f", conf)).isEmpty();
  }
}
