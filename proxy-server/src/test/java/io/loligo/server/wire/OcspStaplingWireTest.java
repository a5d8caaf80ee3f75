package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** OCSP responses that an https_port sends with its certificate. */
class OcspStaplingWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final TestAuthority ISSUER = ROOT.intermediate("Issuer");
  private static final String NAME = "www.example.com";

  private X509Certificate certificate;
  private Path file;

  private void issue() {
    TestAuthority.Issued issued =
        ISSUER.issue(TestAuthority.server(NAME).responder(origin.url("/ocsp")));
    certificate = issued.certificate();
    file = issued.write(dir, "www.pem");
  }

  private void start(String... lines) throws Exception {
    String[] all = java.util.Arrays.copyOf(lines, lines.length + 2);
    all[lines.length] = "https_port 127.0.0.1:0 accel tls-cert=" + file;
    all[lines.length + 1] = "loligo_tls_provider boringssl";
    startProxy(all);
  }

  private List<byte[]> stapled() throws Exception {
    try (SSLSocket socket = TlsClient.trusting(ROOT).name(NAME).socket(proxy.port(1))) {
      return ((ExtendedSSLSession) socket.getSession()).getStatusResponses();
    }
  }

  /** Asks until a client gets one. */
  private byte[] awaitStaple() throws Exception {
    long guard = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RawClient.GUARD_MILLIS);
    List<byte[]> found = stapled();
    while (found.isEmpty() && System.nanoTime() - guard < 0) {
      found = stapled();
    }
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private byte[] response() {
    return ISSUER.ocsp(certificate, false, Instant.now().plusSeconds(86_400));
  }

  private void respond(byte[] response) {
    origin.on(
        "/ocsp",
        call -> {
          assertThat(call.field("Content-Type")).isEqualTo("application/ocsp-request");
          assertThat(call.whole().body()).isNotEmpty();
          call.ok(new String(response, ISO_8859_1), "Content-Type: application/ocsp-response");
        });
  }

  @Test
  void theResponderOfTheCertificateIsAskedOnce() throws Exception {
    issue();
    byte[] response = response();
    respond(response);
    start();
    assertThat(awaitStaple()).isEqualTo(response);
    assertThat(awaitStaple()).isEqualTo(response);
    assertThat(origin.fetches("/ocsp")).isEqualTo(1);
  }

  @Test
  void aFileBesideTheCertificateComesFirst() throws Exception {
    issue();
    byte[] response = response();
    Files.write(Path.of(file + ".ocsp"), response);
    start();
    assertThat(awaitStaple()).isEqualTo(response);
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void nobodyIsAskedIfItIsOff() throws Exception {
    issue();
    Files.write(Path.of(file + ".ocsp"), response());
    start("loligo_ocsp_stapling off");
    assertThat(stapled()).isEmpty();
    assertThat(origin.requests()).isEmpty();
  }
}
