package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails names all reasons at once. */
final class AllProblemsWireTest {
  @TempDir Path dir;
  private ServerSocket taken;
  private ServerSocket takenToo;

  @BeforeEach
  void takePorts() throws Exception {
    taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    takenToo = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void freePorts() throws Exception {
    taken.close();
    takenToo.close();
  }

  private String outputOf(String text) throws Exception {
    Path conf = Files.writeString(dir.resolve("loligo.conf"), text);
    try (ProxyProcess process = ProxyProcess.loligo(dir, "run", "-f", conf.toString())) {
      assertThat(process.awaitExit()).isEqualTo(1);
      return process.output();
    }
  }

  @Test
  void allLinesWithErrors() throws Exception {
    assertThat(outputOf("http_port x\nhttp_access allow nobody\ncache_mem much\n"))
        .contains(
            "loligo.conf:1: ERROR: http_port",
            "loligo.conf:2: ERROR: http_access",
            "loligo.conf:3: ERROR: cache_mem");
  }

  /** A file in the place of each folder cannot be written by root either. */
  private String unavailable() throws Exception {
    Path file = Files.createFile(dir.resolve("file"));
    Path pid = Files.writeString(dir.resolve("pid"), ProcessHandle.current().pid() + "\n");
    return """
    http_port 127.0.0.1:%d
    http_port 127.0.0.1:%d
    http_port 127.0.0.1:0
    loligo_admin_port 127.0.0.1:%d
    http_access allow all
    cache_dir rock %s/one 20
    cache_dir rock %s/two 20
    access_log none
    cache_log none
    pid_filename %s
    loligo_cluster a listen=127.0.0.1:%d members=127.0.0.1:1 mode=purge
    loligo_cluster_tls cert=%s/cert key=%s/key ca=%s
    """
        .formatted(
            taken.getLocalPort(),
            takenToo.getLocalPort(),
            taken.getLocalPort(),
            file,
            file,
            pid,
            taken.getLocalPort(),
            file,
            file,
            file);
  }

  private String[] reasons() {
    return new String[] {
      "file/one: cannot be made",
      "file/two: cannot be made",
      "process " + ProcessHandle.current().pid() + " is running",
      "cannot listen on 127.0.0.1:" + taken.getLocalPort(),
      "cannot listen on 127.0.0.1:" + takenToo.getLocalPort(),
      "loligo_admin_port 127.0.0.1:" + taken.getLocalPort() + ": Address already in use",
      "loligo_cluster 127.0.0.1:" + taken.getLocalPort() + ": Address already in use",
      "file/cert: it cannot be read",
      "file/key: it cannot be read"
    };
  }

  @Test
  void foldersPortsAndARunningCopy() throws Exception {
    String output = outputOf(unavailable());
    assertThat(output).contains(reasons()).contains("not started: ", "not started also because");
    for (String reason : reasons()) {
      assertThat(output.split(reason, -1)).as("%s, once", reason).hasSize(2);
    }
  }

  @Test
  void memoryTogetherWithTheRest() throws Exception {
    assertThat(outputOf(unavailable() + "cache_mem 100000 GB\n"))
        .contains(reasons())
        .contains("loligo.conf:13: ERROR: cache_mem");
  }

  @Test
  void aPidFileOfAnEndedProcessDoesNotMatter() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    Path pid = Files.writeString(dir.resolve("pid"), ended.pid() + "\n");
    Path conf =
        Files.writeString(
            dir.resolve("loligo.conf"),
            "http_port 127.0.0.1:0\nhttp_access deny all\naccess_log none\ncache_log none\n"
                + "loligo_admin_port off\npid_filename "
                + pid
                + "\n");
    try (ProxyProcess process = ProxyProcess.loligo(dir, "run", "-f", conf.toString())) {
      process.awaitOutput("Daemon: ready");
      assertThat(pid).content().isEqualTo(process.process().pid() + "\n");
    }
  }
}
