package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code bin/loligo}, in an installation that a symbolic link leads to. */
@EnabledOnOs(OS.LINUX)
final class LauncherWireTest {
  /** From this JDK on, Netty looks at the options of the JVM before the port is open. */
  private static final int NETTY_ASKS_THE_JVM = 24;

  private static final Path MODULE = Path.of("").toAbsolutePath();
  private static final String HERE = System.getProperty("java.home");

  @TempDir static Path installed;
  private static Path link;

  @TempDir Path dir;
  private int port;

  /** With a space in its path. */
  @BeforeAll
  static void install() throws IOException {
    Path home = installed.resolve("the proxy");
    Path lib = Files.createDirectories(home.resolve("lib"));
    Path script = Files.createDirectory(home.resolve("bin")).resolve("loligo");
    Files.copy(MODULE.resolveSibling("proxy-packages").resolve("src/bin/loligo"), script);
    assertThat(script.toFile().setExecutable(true)).isTrue();
    ProxyJar.write(lib.resolve("loligo.jar"));
    Path bin = Files.createDirectory(installed.resolve("bin"));
    link = Files.createSymbolicLink(bin.resolve("loligo"), Path.of("../the proxy/bin/loligo"));
    Files.createSymbolicLink(bin.resolve("squid"), Path.of("loligo"));
  }

  /** Runs the script {@code program} with variables, such as {@code JAVA_HOME=…}, and arguments. */
  private ProxyProcess start(Path program, List<String> variables, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("env", "-u", "JAVA_TOOL_OPTIONS"));
    command.addAll(variables);
    command.add(program.toString());
    command.addAll(List.of(arguments));
    return ProxyProcess.start(dir, command.toArray(String[]::new));
  }

  private String configuration() throws IOException {
    port = ProxyProcess.freePort();
    String text =
        """
        http_port 127.0.0.1:%d
        http_access allow all
        access_log none
        cache_log none
        pid_filename none
        loligo_admin_port off
        """;
    return Files.writeString(dir.resolve("loligo.conf"), text.formatted(port)).toString();
  }

  private static String commandOf(ProxyProcess process) throws IOException {
    return Files.readString(Path.of("/proc", Long.toString(process.process().pid()), "cmdline"))
        .replace('\0', ' ');
  }

  private static void assertEnds(ProxyProcess process) throws Exception {
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output()).doesNotContain("WARNING", "own flags", "Exception");
  }

  @Test
  void becomesOneJvmWithTheFlagsThatMeasuredBest() throws Exception {
    String conf = configuration();
    try (ProxyProcess process =
        start(link, List.of("JAVA_HOME=" + HERE, "LOLIGO_OPTS=-Da=b"), "run", "-f", conf)) {
      process.awaitPort(port);
      assertThat(commandOf(process))
          .startsWith(HERE + "/bin/java -XX:+Use")
          .contains(" -Xmn", " -XX:+PerfDisableSharedMem -Da=b -jar ")
          .endsWith("/the proxy/lib/loligo.jar run -f " + conf + " ");
      assertEnds(process);
    }
  }

  /** With the lines that most configurations have, to find what they load. */
  private String usualConfiguration() throws IOException {
    port = ProxyProcess.freePort();
    String text =
        """
        http_port 127.0.0.1:%d
        acl local src 127.0.0.1 192.0.2.0/24
        acl web port 80 443 8000-9000
        http_access deny !web
        http_access allow local
        http_access deny all
        refresh_pattern . 0 20%% 4320
        access_log stdio:%s
        cache_log none
        cache_dir rock %s 16
        pid_filename none
        loligo_admin_port off
        """;
    return Files.writeString(
            dir.resolve("loligo.conf"),
            text.formatted(port, dir.resolve("access.log"), dir.resolve("cache")))
        .toString();
  }

  /** The proxy's own beans are registered when the port is open. */
  @Test
  void recordsLogsZonesAndBeansOfTheJvmTakeNoTimeBeforeThePortIsOpen() throws Exception {
    String conf = usualConfiguration();
    Path log = dir.resolve("classes");
    // the second start finds the folder of the first one
    for (int starts = 0; starts < 2; starts++) {
      try (ProxyProcess process =
          start(
              link,
              List.of("JAVA_HOME=" + HERE, "LOLIGO_OPTS=-Xlog:class+load:file=" + log),
              "run",
              "-f",
              conf)) {
        process.awaitPort(port);
        assertEnds(process);
      }
    }
    List<String> classes = Files.readAllLines(log);
    int beans = 0;
    while (!classes.get(beans).contains("io.loligo.server.jmx.ManagementBeans ")) {
      beans++;
    }
    int made = beans;
    while (made > 0 && !classes.get(made).contains("java.lang.runtime.ObjectMethods ")) {
      made--;
    }
    assertThat(classes.subList(Math.max(0, made - 5), made)).as("made after these").isEmpty();
    assertThat(classes.subList(0, beans))
        .noneMatch(line -> line.contains(" picocli."))
        .as("the pattern and the configuration of the log, zones of times")
        .noneMatch(line -> line.contains(".PatternLayoutEncoder "))
        .noneMatch(line -> line.contains(".ContextInitializer "))
        .noneMatch(line -> line.contains(".ZoneRulesProvider "))
        .as("comparators of an archive's own")
        .noneMatch(line -> line.contains(" java.util.Comparator$$Lambda"));
    if (Runtime.version().feature() < NETTY_ASKS_THE_JVM) {
      assertThat(
              classes.subList(0, beans).stream().filter(line -> line.contains("sun.management.")))
          .as("the beans of the JVM")
          .isEmpty();
    }
  }

  @Test
  void takesSquidsOptionsUnderTheNameSquid() throws Exception {
    String conf = configuration();
    Path squid = link.resolveSibling("squid");
    try (ProxyProcess process = start(squid, List.of("JAVA_HOME=" + HERE), "-N", "-f", conf)) {
      process.awaitPort(port);
      assertThat(commandOf(process))
          .contains(" -Xmn", " -Dloligo.name=squid ")
          .endsWith(conf + " ");
      assertEnds(process);
    }
    try (ProxyProcess none = start(squid, List.of("JAVA_HOME=" + HERE), "-k", "check")) {
      assertThat(none.awaitExit()).isEqualTo(1);
      assertThat(none.output()).contains("squid: /etc/squid/squid.conf");
    }
  }

  @Test
  void aFullDiskFailsACommandButTheEndOfItsReaderIsNoNews() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "no /dev/full here");
    String command = "'" + link + "' help --directives";
    try (ProxyProcess lost =
        start(Path.of("sh"), List.of("JAVA_HOME=" + HERE), "-c", command + " >/dev/full")) {
      assertThat(lost.awaitExit()).isEqualTo(1);
      assertThat(lost.output()).contains("loligo: the output cannot be written");
    }
    try (ProxyProcess cut =
        start(Path.of("sh"), List.of("JAVA_HOME=" + HERE), "-c", command + " | head -n 1")) {
      assertThat(cut.awaitExit()).isZero();
      assertThat(cut.output()).startsWith("http_port").hasLineCount(1);
    }
  }

  @Test
  void leavesTheFlagsOfAnOperatorAlone() throws Exception {
    for (String variable : List.of("LOLIGO_OPTS", "JAVA_OPTS", "JDK_JAVA_OPTIONS")) {
      String conf = configuration();
      List<String> variables =
          List.of("JAVA_HOME=" + HERE, variable + "=-Xmx200m -XX:TieredStopAtLevel=1 -Da=b");
      try (ProxyProcess process = start(link, variables, "run", "-f", conf)) {
        process.awaitPort(port);
        assertThat(commandOf(process)).contains("-jar").doesNotContain("-Xmn", "-XX:+Use");
        assertEnds(process);
      }
    }
  }

  @Test
  void otherCommandsGetNoFlags() throws Exception {
    try (ProxyProcess version =
        start(link, List.of("JAVA_HOME=" + HERE, "LOLIGO_OPTS=-Xnonsense"), "version")) {
      assertThat(version.awaitExit()).as(version.output()).isZero();
      assertThat(version.output()).startsWith("loligo ");
    }
  }

  /** Beside a proxy that fills its container, it has some 20 MB. */
  @Test
  void theHealthCheckHasASmallJvm() throws Exception {
    Path printing = runtime("printing", "printf '%s\\n' \"$JAVA_TOOL_OPTIONS\" \"$@\"");
    Files.writeString(printing.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    List<String> variables = List.of("JAVA_HOME=" + printing, "JAVA_TOOL_OPTIONS=-javaagent:a.jar");
    try (ProxyProcess process = start(link, variables, "health", "-f", "a.conf")) {
      assertThat(process.awaitExit()).isZero();
      assertThat(process.output().strip().lines())
          .containsSubsequence("-Xmx16m", "-cp", "io.loligo.server.cli.ReadinessProbe")
          .endsWith("health", "-f", "a.conf")
          .noneMatch(word -> word.contains("agent"));
    }
  }

  @Test
  void theHealthCheckTellsWhetherTheProxyIsReady() throws Exception {
    Path conf = Path.of(configuration());
    int admin = ProxyProcess.freePort();
    String text = Files.readString(conf).replace("port off", "port 127.0.0.1:" + admin);
    Files.writeString(conf, text);
    List<String> variables = List.of("JAVA_HOME=" + HERE);
    try (ProxyProcess process = start(link, variables, "run", "-f", conf.toString())) {
      process.awaitPort(port);
      process.awaitOutput("administration on ");
      try (ProxyProcess ready = start(link, variables, "health", "-f", conf.toString())) {
        assertThat(ready.awaitExit()).as(ready.output()).isZero();
        assertThat(ready.output()).isEqualTo("ready\n");
      }
      assertEnds(process);
    }
    try (ProxyProcess none = start(link, variables, "health", "-f", conf.toString())) {
      assertThat(none.awaitExit()).as(none.output()).isEqualTo(3);
      assertThat(none.output()).contains("no answer from 127.0.0.1:" + admin, "; next: ");
    }
  }

  @Test
  void saysWhichJavaIsNeeded() throws Exception {
    Path eleven = runtime("eleven", "echo never");
    Files.writeString(eleven.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"11.0.2\"\n");
    assertRefused(eleven, eleven + "/bin/java is Java 11 (expected: 17 or later); next: set");
    Path eight = runtime("eight", "echo 'openjdk version \"1.8.0_292\"' >&2");
    assertRefused(eight, eight + "/bin/java is Java 8 (expected: 17 or later); next: set");
    Path none = dir.resolve("none");
    assertRefused(none, "JAVA_HOME=" + none + " has no bin/java; next: correct or unset it");
  }

  private Path runtime(String name, String script) throws IOException {
    Path home = dir.resolve(name);
    Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\n" + script + "\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    return home;
  }

  private void assertRefused(Path home, String why) throws Exception {
    try (ProxyProcess process = start(link, List.of("JAVA_HOME=" + home), "version")) {
      assertThat(process.awaitExit()).isEqualTo(1);
      assertThat(process.output()).startsWith("loligo: " + why).hasLineCount(1);
    }
  }
}
