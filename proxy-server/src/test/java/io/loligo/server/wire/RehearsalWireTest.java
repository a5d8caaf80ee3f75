package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.systemd.NotifyReceiver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process that rehearses before its ports are open ({@code loligo_rehearsal}). */
@EnabledOnOs(OS.LINUX)
final class RehearsalWireTest extends WireTest {
  private Path temporary;
  private int port;

  @BeforeEach
  void place() throws IOException {
    temporary = Files.createDirectory(dir.resolve("temporary"));
    port = ProxyProcess.freePort();
  }

  private String[] command(List<String> options, String... lines) throws IOException {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add(0, "http_port 127.0.0.1:" + port);
    Path file =
        Files.writeString(dir.resolve("loligo.conf"), configuration(all.toArray(String[]::new)));
    List<String> jvm = new ArrayList<>(options);
    jvm.addAll(List.of("-Xmx128m", "-XX:MaxDirectMemorySize=512m"));
    jvm.add("-Djava.io.tmpdir=" + temporary);
    return ProxyProcess.command(jvm, ProxyProcess.MAIN, "run", "-f", file.toString())
        .toArray(String[]::new);
  }

  private ProxyProcess start(List<String> options, String... lines) throws IOException {
    return closing(ProxyProcess.start(dir, command(options, lines)));
  }

  private static List<String> threads(ProxyProcess process) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + process.process().pid() + "/task"))) {
      return tasks.map(task -> text(task.resolve("comm"))).toList();
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> openFiles(ProxyProcess process) throws IOException {
    List<String> open = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("/proc/" + process.process().pid() + "/fd"))) {
      for (Path file : files.toList()) {
        open.add(Files.readSymbolicLink(file).toString());
      }
    }
    return open;
  }

  private List<String> inTemporary() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void rehearsesBeforeItIsReadyAndNothingIsLeft() throws Exception {
    int adminPort = ProxyProcess.freePort();
    String address = dir.resolve("notify").toString();
    List<String> command = new ArrayList<>(List.of("env", "NOTIFY_SOCKET=" + address));
    command.addAll(
        List.of(
            command(
                List.of(),
                "http_port 127.0.0.1:0 accel defaultsite=site.test name=site",
                "cache_dir rock " + dir.resolve("cache") + " 64",
                "loligo_admin_port 127.0.0.1:" + adminPort,
                "loligo_rehearsal 60 seconds")));
    try (NotifyReceiver received = new NotifyReceiver(address)) {
      ProxyProcess process =
          closing(ProxyProcess.start(dir, command.toArray(String[]::new)))
              .awaitOutput("rehearsing before");
      assertThat(received.next()).isEqualTo("READY=1");
      process.awaitOutput(" ready\n");
      assertThat(process.output())
          .containsPattern("(?s)rehearsed \\d{4,6} requests \\(warm\\).*listening on")
          .doesNotContain("rehearsal has failed", "ERROR", "no longer listening", "LEAK");

      assertThat(threads(process)).noneMatch(name -> name.startsWith("training"));
      assertThat(threads(process)).filteredOn(name -> name.startsWith("loligo-loop")).hasSize(1);
      assertThat(openFiles(process)).noneMatch(name -> name.contains("rehearsal"));
      assertThat(inTemporary()).noneMatch(name -> name.contains("rehearsal"));
      assertThat(dir.resolve("access.log")).isEmptyFile();
      try (RawClient client = RawClient.connect(adminPort)) {
        String head = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:" + adminPort + "\r\n\r\n";
        assertThat(client.send(head).response().text().lines())
            .filteredOn(line -> line.matches("loligo_\\w+_total.*"))
            .hasSizeGreaterThan(100)
            .filteredOn(line -> !line.matches(".* 0(\\.0)?"))
            .as("but those of the JVM, the allocator and the loop that waits for clients")
            .filteredOn(line -> !line.matches("loligo_(allocator|gc|loop_polls).*"))
            .isEmpty();
      }
    }
  }

  @Test
  void aStopEndsTheRehearsalAndTheStart() throws Exception {
    // an interpreter alone is never warm
    ProxyProcess process = start(List.of("-Xint"), "loligo_rehearsal 60 seconds");
    process.awaitOutput("rehearsing before").signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output())
        .contains("(stopped)", "stopped before the start")
        .doesNotContain("listening on");
    assertThat(inTemporary()).noneMatch(name -> name.contains("rehearsal"));
  }

  @Test
  void startsWithoutARehearsalThatFails() throws Exception {
    List<String> options = List.of("-Dio.netty.native.workdir=" + dir);
    Files.delete(temporary);
    ProxyProcess process = start(options, "loligo_rehearsal 60 seconds").awaitOutput(" ready\n");
    assertThat(process.output()).contains("the rehearsal has failed", "listening on");
  }

  @Test
  void aStartThatWillFailDoesNotRehearse() throws Exception {
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      ProxyProcess process = start(List.of(), "loligo_rehearsal 60 seconds");
      assertThat(process.awaitExit()).as(taken.toString()).isEqualTo(1);
      assertThat(process.output()).contains("cannot listen on").doesNotContain("rehearsing");
    }
  }

  /** The moment of the first line with {@code text}. */
  private static String moment(ProxyProcess process, String text) throws IOException {
    return process
        .output()
        .lines()
        .filter(line -> line.contains(text))
        .findFirst()
        .orElseThrow()
        .replaceFirst(" .*", "");
  }

  @Test
  void rehearsesBeforeItTakesOver() throws Exception {
    String pid = "pid_filename " + dir.resolve("loligo.pid");
    ProxyProcess old = start(List.of(), pid).awaitOutput(" ready\n");
    List<String> command =
        new ArrayList<>(List.of(command(List.of(), pid, "loligo_rehearsal 60 seconds")));
    command.add("--take-over");
    ProxyProcess next =
        closing(ProxyProcess.start(dir, command.toArray(String[]::new))).awaitOutput(" ready\n");
    assertThat(moment(next, "rehearsed")).isLessThanOrEqualTo(moment(old, "begins to take over"));
    assertThat(old.awaitExit()).as(old.output()).isZero();
  }
}
