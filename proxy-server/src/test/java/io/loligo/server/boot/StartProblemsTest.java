package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.LineReport;
import io.loligo.server.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a check says of the certificates of a cluster, before a start. */
class StartProblemsTest {
  @TempDir Path dir;

  private final TestAuthority authority = TestAuthority.root("Cluster");
  private Path ca;
  private Path pair;

  @BeforeEach
  void write() {
    ca = authority.write(dir, "ca.pem");
    pair = authority.issue(TestAuthority.named("node")).write(dir, "node.pem");
  }

  private static ConfigResult checked(Path cert, Path key, Path ca) {
    String text =
        "http_port 127.0.0.1:0\n"
            + "loligo_cluster web listen=127.0.0.1:7800 members=127.0.0.1:7800 mode=purge\n"
            + "loligo_cluster_tls cert=%s key=%s ca=%s\n".formatted(cert, key, ca);
    return StartProblems.checkCluster(
        Features.reader(new FileConfigSource()).readText("test.conf", text));
  }

  private static void assertWrong(ConfigResult result, String reason) {
    assertThat(result.isUsable()).isFalse();
    assertThat(result.errors())
        .singleElement()
        .extracting(ConfigProblem::text)
        .asString()
        .startsWith("test.conf:3: ERROR: loligo_cluster_tls: value: ")
        .contains(reason);
    assertThat(result.lines().get(2).verdict()).isEqualTo(LineReport.Verdict.ERROR);
  }

  @Test
  void usableFilesChangeNothing() {
    ConfigResult result = checked(pair, pair, ca);
    assertThat(result.errors()).isEmpty();
    assertThat(result.isUsable()).isTrue();
  }

  @Test
  void aMissingFile() {
    assertWrong(checked(dir.resolve("none.pem"), pair, ca), "none.pem");
    assertWrong(checked(pair, pair, dir.resolve("no-ca.pem")), "no-ca.pem");
  }

  @Test
  void anExpiredCertificate() {
    Path old = authority.issue(TestAuthority.named("node").expired()).write(dir, "old.pem");
    assertWrong(checked(old, old, ca), "old.pem: the certificate expired at ");
  }

  @Test
  void theKeyOfAnotherCertificate() {
    Path other = authority.issue(TestAuthority.named("other")).write(dir, "other.pem");
    assertWrong(checked(pair, other, ca), "other.pem is not that of the certificate");
  }

  @Test
  void anAuthorityWithoutACertificate() throws Exception {
    assertWrong(checked(pair, pair, Files.writeString(dir.resolve("empty.pem"), "")), "empty.pem");
  }
}
