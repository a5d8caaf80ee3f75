package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Squid's command line, with processes of this build, and beside Squid. */
class SquidCommandLineWireTest extends WireTest {
  private final int port = ProxyProcess.freePort();

  private Path file(String... lines) throws IOException {
    List<String> all =
        new ArrayList<>(List.of("http_port 127.0.0.1:" + port, "loligo_admin_port off"));
    all.addAll(List.of(lines));
    return Files.writeString(dir.resolve("squid.conf"), configuration(all.toArray(String[]::new)));
  }

  private ProxyProcess squidNamed(String... words) throws IOException {
    return closing(ProxyProcess.loligo(dir, List.of("-Dloligo.name=squid"), words));
  }

  @Test
  void signalsTheProcessOfThePidFile() throws Exception {
    Path pid = dir.resolve("loligo.pid");
    Path conf = file("pid_filename " + pid);
    String file = conf.toString();
    ProxyProcess proxy = squidNamed("-NYCd1", "-f", file).awaitPort(port).awaitOutput("ready");
    assertThat(proxy.output()).contains("squid: -Y has no effect", "squid: -C has no effect");
    assertThat(Files.readString(pid).strip()).isEqualTo(Long.toString(proxy.process().pid()));

    assertThat(squidNamed("-k", "check", "-f", file).awaitExit()).isZero();
    assertThat(squidNamed("-k", "reconfigure", "-f", file).awaitExit()).isZero();
    proxy.awaitOutput("configuration reloaded").awaitOutput("logs reopened");
    assertThat(squidNamed("-k", "rotate", "-f", file).awaitExit()).isZero();
    proxy.awaitOutput("(?s)logs reopened.*logs reopened");
    assertThat(squidNamed("-k", "shutdown", "-f", file).awaitExit()).isZero();
    assertThat(proxy.awaitExit()).isZero();

    ProxyProcess ended = squidNamed("-k", "check", "-f", file);
    assertThat(ended.awaitExit()).isEqualTo(1);
    assertThat(ended.output()).contains("squid: no running copy: there is no " + pid);
  }

  @Test
  void withoutNItStaysInTheForegroundAndSaysSo() throws Exception {
    Path conf = file();
    ProxyProcess proxy = closing(ProxyProcess.loligo(dir, "-f", conf.toString())).awaitPort(port);
    proxy.awaitOutput("loligo: stays in the foreground");
    proxy.signal("TERM");
    assertThat(proxy.awaitExit()).isZero();
  }

  @Test
  void aNumberOfAnotherProgramGetsNoSignal() throws Exception {
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      Path pid = Files.writeString(dir.resolve("loligo.pid"), other.pid() + "\n");
      Path conf = file("pid_filename " + pid);
      ProxyProcess kill = squidNamed("-k", "kill", "-f", conf.toString());
      assertThat(kill.awaitExit()).isEqualTo(1);
      assertThat(kill.output()).contains("no running copy: process " + other.pid());
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  @Test
  void makesTheFoldersOfCacheDirsAndEnds() throws Exception {
    Path folder = dir.resolve("cache");
    Path conf = file("cache_dir rock " + folder + " 16");
    ProxyProcess made = squidNamed("-z", "-N", "-f", conf.toString());
    assertThat(made.awaitExit()).as(made.output()).isZero();
    assertThat(folder).isDirectory();
  }

  /** The statuses that scripts look at; Squid also ends -h with 1. */
  @Test
  void statusesAreThoseOfSquid() throws Exception {
    String squid = InstalledProgram.path("squid");
    String bad = dir.resolve("bad.conf").toString();
    Files.writeString(Path.of(bad), "http_port 3128\nhttp_access allow nosuch\n");
    String plain = dir.resolve("plain.conf").toString();
    Files.writeString(
        Path.of(plain),
        "http_port 3128\npid_filename "
            + dir.resolve("none.pid")
            + "\ncache_log "
            + dir.resolve("squid.log")
            + "\naccess_log none\n");
    for (List<String> words :
        List.of(
            List.of("-k", "parse", "-f", plain),
            List.of("-k", "parse", "-f", bad),
            List.of("-k", "check", "-f", plain),
            List.of("-k", "reconfigure", "-f", plain),
            List.of("-k", "shutdown", "-f", bad),
            List.of("-k", "bogus", "-f", plain),
            List.of("-k", "parse", "-f", dir.resolve("absent.conf").toString()),
            List.of("-Q"),
            List.of("-v"))) {
      List<String> command = new ArrayList<>(List.of(squid));
      command.addAll(words);
      ProxyProcess theirs = closing(ProxyProcess.start(dir, command.toArray(String[]::new)));
      ProxyProcess ours = squidNamed(words.toArray(String[]::new));
      assertThat(ours.awaitExit()).as("%s: %s", words, ours.output()).isEqualTo(theirs.awaitExit());
    }
  }
}
