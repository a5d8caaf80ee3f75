package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.loligo.server.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM without flags starts again, as the same process. */
final class RelaunchWireTest {
  @TempDir Path dir;
  private int port;

  private ProxyProcess start(String... options) throws Exception {
    port = ProxyProcess.freePort();
    String text =
        """
        http_port 127.0.0.1:%d
        http_access allow all
        access_log none
        cache_mem 100 MB
        pid_filename %s
        loligo_admin_port off
        """;
    Path pid = dir.resolve("pid");
    Path conf = Files.writeString(dir.resolve("loligo.conf"), text.formatted(port, pid));
    List<String> command = ProxyProcess.plain(List.of(options), "run", "-f", conf.toString());
    return ProxyProcess.start(dir, command.toArray(String[]::new)).awaitPort(port);
  }

  private static String commandOf(ProxyProcess process) throws Exception {
    Path file = Path.of("/proc", Long.toString(process.process().pid()), "cmdline");
    assumeThat(file).as("a system with /proc").exists();
    return Files.readString(file).replace('\0', ' ');
  }

  private void assertServes() throws Exception {
    try (RawClient client = RawClient.connect(port)) {
      client.get("/squid-internal-static/icons/SN.png");
      assertThat(client.responseHead()).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void startsAgainWithTheFlagsThatMeasuredBest() throws Exception {
    try (ProxyProcess process = start("-Dsome.property=kept")) {
      assertServes();
      assertThat(commandOf(process))
          .matches(
              "\\S+ -XX:\\+Use(ParallelGC -Xms\\d+k|SerialGC) -Xmn\\d+k .*-Xmx\\d+k"
                  + " -XX:MaxDirectMemorySize=\\d+k .*-Dsome.property=kept -cp .*")
          .endsWith("run -f " + dir.resolve("loligo.conf") + " ");
      assertThat(Files.readString(dir.resolve("pid")).trim())
          .isEqualTo(Long.toString(process.process().pid()));
      process.signal("TERM");
      assertThat(process.awaitExit()).as(process.output()).isZero();
      assertThat(process.output()).doesNotContain("WARNING", "own flags");
    }
  }

  @Test
  void logsOfTheJvmDoNotCostItsFlags() throws Exception {
    Path log = dir.resolve("gc.log");
    try (ProxyProcess process = start("-Xlog:gc:file=" + log, "-ea")) {
      assertServes();
      assertThat(commandOf(process)).contains(" -Xmn", " -Xlog:gc:file=" + log + " -ea -cp ");
      assertThat(log).content().containsPattern("Using (Parallel|Serial)");
    }
  }

  @Test
  void canBeSwitchedOff() throws Exception {
    try (ProxyProcess process = start("-Dloligo.relaunch=off")) {
      assertServes();
      assertThat(commandOf(process)).doesNotContain("-Xmn");
    }
  }

  /** Its standard input is that of the first JVM. */
  @Test
  void aReportStartsAgainWithASmallHeap() throws Exception {
    Path page = dir.resolve("report.html");
    Process report =
        new ProcessBuilder(ProxyProcess.plain(List.of(), "report", "-", "-o", page.toString()))
            .redirectError(dir.resolve("errors").toFile())
            .start();
    try {
      Path command = Path.of("/proc", Long.toString(report.pid()), "cmdline");
      assumeThat(command).as("a system with /proc").exists();
      // it waits for its input
      Waiting.until(
          "started again", () -> read(command).contains("-XX:+UseSerialGC\0-Xms32m\0-Xmx"));
      report
          .getOutputStream()
          .write(
              "1795305600.000 5 127.0.0.1 TCP_HIT/200 99 GET http://h/ - HIER_NONE/- a/b\n"
                  .getBytes(US_ASCII));
      report.getOutputStream().close();
      assertThat(report.waitFor(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
      assertThat(report.exitValue()).as(read(dir.resolve("errors"))).isZero();
      assertThat(page).isNotEmptyFile();
    } finally {
      report.destroyForcibly();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void leavesTheFlagsOfAnOperatorAlone() throws Exception {
    try (ProxyProcess process = start("-Xmx200m")) {
      assertServes();
      assertThat(commandOf(process))
          .contains(" -Xmx200m -cp ")
          .doesNotContain("-Xmn", "-XX:MaxDirectMemorySize=");
    }
  }
}
