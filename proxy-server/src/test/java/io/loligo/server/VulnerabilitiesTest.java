package io.loligo.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code .ci/vulnerabilities} on a made-up database. */
class VulnerabilitiesTest {
  private static final Path SCRIPT = Path.of("..", ".ci", "vulnerabilities").toAbsolutePath();

  @TempDir Path dir;

  private record Result(int status, String output) {}

  @BeforeEach
  void writeBill() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")), "no python3");
    Files.writeString(
        dir.resolve("bill.json"),
        """
        {"components": [
          {"purl": "pkg:maven/io.loligo/proxy-core@0.1.0?type=jar"},
          {"purl": "pkg:maven/org.example/lib@2.4.10.Final?classifier=linux&type=jar"},
          {"purl": "pkg:maven/org.example/lib@2.4.10.Final?type=jar"}]}
        """);
    Files.createDirectory(dir.resolve("osv"));
  }

  private void record(String name, String events, String versions) throws IOException {
    Files.writeString(
        dir.resolve("osv").resolve("GHSA-1.json"),
        """
        {"id": "GHSA-1", "aliases": ["CVE-1"], "summary": "it breaks", "affected": [
          {"package": {"ecosystem": "Maven", "name": "%s"},
           "ranges": [{"type": "ECOSYSTEM", "events": [%s]}], "versions": [%s]}]}
        """
            .formatted(name, events, versions));
  }

  private Result run(String... further) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of("/usr/bin/python3", SCRIPT.toString(), "--bill", dir + "/bill.json"));
    command.addAll(List.of(further));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("OSV_DATABASE");
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Result(process.waitFor(), output);
  }

  @ParameterizedTest(name = "[{index}] {0} {1} {2}: {3}")
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "org.example:lib; {'introduced':'0'},{'fixed':'2.4.11.Final'}; ; 1",
        "org.example:lib; {'introduced':'0'},{'fixed':'2.4.10.Final'}; ; 0",
        "org.example:lib; {'introduced':'0'},{'fixed':'2.4.9.Final'}; ; 0",
        "org.example:lib; {'introduced':'2.4'},{'last_affected':'2.4.10'}; ; 1",
        "org.example:lib; {'introduced':'2.5.0.Alpha1'},{'fixed':'2.5.1'}; ; 0",
        "org.example:lib; {'introduced':'0'},{'fixed':'2.3.9'},{'introduced':'2.4.0-rc1'}; ; 1",
        "org.example:lib; {'introduced':'0'},{'fixed':'2.3.9'}; '2.4.10.Final'; 1",
        "org.example:other; {'introduced':'0'}; ; 0",
        "io.loligo:proxy-core; {'introduced':'0'}; ; 0",
      })
  void findsAffectedLibraries(String name, String events, String versions, int status)
      throws Exception {
    record(name, events.replace('\'', '"'), versions == null ? "" : versions.replace('\'', '"'));

    Result result = run("--database", dir + "/osv");

    assertThat(result.status()).as(result.output()).isEqualTo(status);
    assertThat(result.output())
        .contains("vulnerabilities: " + status + " in 1 components, by 1 records");
  }

  @Test
  void acceptsAVulnerabilityWithAReason() throws Exception {
    record("org.example:lib", "{\"introduced\":\"0\"}", "");
    Path accepted = Files.writeString(dir.resolve("accepted"), "CVE-1 that part is never called\n");

    Result result = run("--database", dir + "/osv", "--accepted", accepted.toString());

    assertThat(result.status()).as(result.output()).isZero();
    assertThat(result.output()).contains("accepted: org.example:lib 2.4.10.Final CVE-1 GHSA-1");
  }

  @Test
  void saysThatItIsSkippedWithoutADatabase() throws Exception {
    Result result = run();

    assertThat(result.status()).isZero();
    assertThat(result.output()).contains("vulnerabilities: skipped: no database");
  }

  @Test
  void doesNotTakeAnEmptyDatabaseForNothingFound() throws Exception {
    assertThat(run("--database", dir + "/osv").status()).isEqualTo(2);
  }
}
