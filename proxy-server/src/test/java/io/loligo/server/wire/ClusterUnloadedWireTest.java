package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The classes of the cluster in a process of its own. */
class ClusterUnloadedWireTest extends WireTest {
  private String loaded(String... lines) throws Exception {
    int port = ProxyProcess.freePort();
    Path log = Files.createTempFile(dir, "classes", ".log");
    String[] all = new String[lines.length + 1];
    System.arraycopy(lines, 0, all, 1, lines.length);
    all[0] = "http_port 127.0.0.1:" + port;
    Path file = Files.writeString(dir.resolve("loligo.conf"), configuration(all));
    List<String> options = List.of("-Xlog:class+load:file=" + log);
    try (ProxyProcess process = ProxyProcess.loligo(dir, options, "run", "-f", file.toString())) {
      process.awaitPort(port);
      process.awaitOutput("(?s).*");
      assertThat(RawClient.connect(port)).satisfies(RawClient::close);
    }
    return Files.readString(log);
  }

  @Test
  void withoutALineNothingOfItIsLoaded() throws Exception {
    assertThat(loaded())
        .contains("io.loligo.server.boot.ClusterPart")
        .doesNotContain("io.loligo.cluster.", "org.jgroups.");
  }

  @Test
  void withALineItIs() throws Exception {
    String place = "127.0.0.1:" + ProxyProcess.freePort();
    assertThat(loaded("loligo_cluster a listen=" + place + " members=" + place + " mode=purge"))
        .contains("io.loligo.cluster.", "org.jgroups.");
  }
}
