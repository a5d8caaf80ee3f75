package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.json.JsonValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code archive} writes an archive for this JVM, and {@code run} uses it without being asked. */
@EnabledOnOs(OS.LINUX)
final class ArchiveWireTest {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  private static final int PATIENCE_SECONDS = 180;

  @TempDir Path dir;

  /**
   * Runs the proxy until its port is open. Returns what it printed, and where classes came from.
   */
  private String[] run(Path jar) throws Exception {
    int port = ProxyProcess.freePort();
    String text =
        """
        http_port 127.0.0.1:%d
        http_access allow all
        access_log none
        pid_filename none
        loligo_admin_port off
        """;
    Path conf = Files.writeString(dir.resolve("loligo.conf"), text.formatted(port));
    Path log = dir.resolve("classes.log");
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(ProxyProcess.compiler());
    command.add("-Xlog:class+load:file=" + log + "::filecount=0");
    command.addAll(List.of("-jar", jar.toString(), "run", "-f", conf.toString()));
    try (ProxyProcess process = ProxyProcess.start(dir, command.toArray(String[]::new))) {
      process.awaitPort(port);
      process.signal("TERM");
      assertThat(process.awaitExit()).as(process.output()).isZero();
      return new String[] {process.output(), Files.readString(log)};
    }
  }

  /** The classes of this build by whether they come from an archive. */
  private static Map<Boolean, List<String>> byShared(String log) {
    return log.lines()
        .filter(line -> line.contains(" io.loligo."))
        .collect(Collectors.partitioningBy(line -> line.contains("shared objects file")));
  }

  @Test
  void aJvmUsesTheArchiveThatItWrote() throws Exception {
    Path jar = ProxyJar.write(dir.resolve("proxy.jar"));
    assertThat(byShared(run(jar)[1]).get(true)).isEmpty();
    try (ProxyProcess making =
        ProxyProcess.start(dir, JAVA, "-jar", "" + jar, "archive", "--json")) {
      // it starts two JVMs and writes 40 MB
      assertThat(making.process().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(making.process().exitValue()).as(making.output()).isZero();
      assertThat(making.output()).hasLineCount(1);
      assertThat(JsonValue.parse(making.output()).get("file").text()).startsWith(dir + "/");
    }
    String[] with = run(jar);
    Map<Boolean, List<String>> classes = byShared(with[1]);
    assertThat(classes.get(true))
        .as("classes from the archive, others: %s", classes.get(false))
        .hasSizeGreaterThan(classes.get(false).size());
    assertThat(with[0]).doesNotContain("[warning]", "[error]");

    // an archive of other classes
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    String[] without = run(jar);
    assertThat(byShared(without[1]).get(true)).isEmpty();
    assertThat(without[0]).doesNotContain("[warning]", "[error]", "own flags");
  }
}
