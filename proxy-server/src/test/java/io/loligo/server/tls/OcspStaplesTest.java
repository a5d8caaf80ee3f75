package io.loligo.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** OCSP responses of files and of a responder on this machine. */
class OcspStaplesTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final TestAuthority ISSUER = ROOT.intermediate("Issuer");

  @TempDir private Path dir;
  private final AtomicInteger asked = new AtomicInteger();
  private HttpServer responder;
  private byte[] answer = {};
  private int status = 200;
  private Instant now = Instant.now();
  private OcspStaples staples;
  private KeyPair pair;

  @BeforeEach
  void issue() throws Exception {
    responder = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    responder.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    responder.start();
    String url = "http://127.0.0.1:" + responder.getAddress().getPort() + "/";
    Path file = ISSUER.issue(TestAuthority.server("a.test").responder(url)).write(dir, "a.pem");
    pair =
        KeyPairFile.read(
            new CertificateFiles(file.toString(), file.toString()), null, Instant.now());
    staples = new OcspStaples(() -> now);
  }

  @AfterEach
  void stop() {
    responder.stop(0);
  }

  private byte[] stapled() {
    staples.refresh(List.of(pair));
    return staples.of(pair.certificate());
  }

  private byte[] response(boolean revoked, Duration validity) {
    return ISSUER.ocsp(pair.certificate(), revoked, Instant.now().plus(validity));
  }

  @Test
  void aResponseIsAskedForAndRenewedAtHalfOfItsValidity() {
    answer = response(false, Duration.ofDays(4));
    assertThat(stapled()).isEqualTo(answer);
    assertThat(stapled()).isEqualTo(answer);
    assertThat(asked).hasValue(1);
    now = now.plus(Duration.ofDays(3));
    assertThat(stapled()).isEqualTo(answer);
    assertThat(asked).hasValue(2);
  }

  @Test
  void anExpiredResponseIsNotSent() {
    answer = response(false, Duration.ofDays(1));
    assertThat(stapled()).isEqualTo(answer);
    status = 500;
    now = now.plus(Duration.ofDays(2));
    assertThat(stapled()).isNull();
  }

  @Test
  void aFailingResponderIsAskedOnceAnHour() {
    status = 404;
    assertThat(stapled()).isNull();
    assertThat(stapled()).isNull();
    assertThat(asked).hasValue(1);
    now = now.plus(Duration.ofMinutes(61));
    assertThat(stapled()).isNull();
    assertThat(asked).hasValue(2);
  }

  @Test
  void onlyAValidResponseAboutThisCertificateIsSent() throws IOException {
    Path file = dir.resolve("a.pem.ocsp");
    TestAuthority.Issued other = ISSUER.issue(TestAuthority.server("a.test"));
    Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
    for (byte[] wrong :
        List.of(
            response(true, Duration.ofDays(1)),
            response(false, Duration.ofSeconds(-1)),
            ROOT.ocsp(pair.certificate(), false, tomorrow),
            TestAuthority.root("Issuer").ocsp(pair.certificate(), false, tomorrow),
            ISSUER.ocsp(other.certificate(), false, tomorrow),
            new byte[] {1, 2, 3})) {
      Files.write(file, wrong);
      assertThat(stapled()).isNull();
    }
    byte[] right = response(false, Duration.ofDays(1));
    Files.write(file, right);
    assertThat(stapled()).isEqualTo(right);
    assertThat(asked).hasValue(0);
  }

  @Test
  void responsesAboutOtherCertificatesAreForgotten() {
    answer = response(false, Duration.ofDays(4));
    assertThat(stapled()).isEqualTo(answer);
    staples.refresh(List.of());
    assertThat(staples.of(pair.certificate())).isNull();
  }
}
