package io.loligo.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.tls.TestAuthority.Issued;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthoritiesTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final Issued CLIENT = ROOT.issue(TestAuthority.named("client"));
  private static final Issued STRANGER =
      TestAuthority.root("Other").issue(TestAuthority.named("client"));

  @TempDir Path folder;

  private static TlsOptions options(List<String> caFiles, String caPath, String crl, TlsFlag... f) {
    return TlsOptions.builder()
        .caFiles(caFiles)
        .caPath(caPath)
        .crlFile(crl)
        .flags(Set.of(f))
        .build();
  }

  private static void verify(Authorities authorities, Issued peer) throws Exception {
    authorities
        .trustManager()
        .checkClientTrusted(peer.chain().toArray(new X509Certificate[0]), "ECDHE_ECDSA");
  }

  private String root() {
    return ROOT.write(folder, "root.pem").toString();
  }

  @Test
  void onlyChainsOfItsAuthoritiesAreTrusted() throws Exception {
    Authorities authorities = Authorities.read(options(List.of(root()), null, null), false);
    assertThat(authorities.certificates()).containsExactly(ROOT.certificate());
    assertThatCode(() -> verify(authorities, CLIENT)).doesNotThrowAnyException();
    assertThatThrownBy(() -> verify(authorities, STRANGER))
        .isInstanceOf(CertificateException.class);
  }

  @Test
  void thoseOfTheSystemAreTrustedUnlessAFlagExcludesThem() throws Exception {
    assertThat(Authorities.read(options(List.of(), null, null), true).certificates())
        .hasSizeGreaterThan(10);
    TlsOptions without = options(List.of(), null, null, TlsFlag.NO_DEFAULT_CA);
    assertThat(Authorities.read(without, true).certificates()).isEmpty();
  }

  @Test
  void aFolderGivesAllOfItsFiles() throws Exception {
    Path authorities = Files.createDirectory(folder.resolve("ca"));
    ROOT.write(authorities, "1.pem");
    TestAuthority.root("Second").write(authorities, "2.pem");
    Authorities read = Authorities.read(options(List.of(), authorities.toString(), null), false);
    assertThat(read.certificates()).hasSize(2);
  }

  @Test
  void aRevokedCertificateIsRefused() throws Exception {
    Issued revoked = ROOT.issue(TestAuthority.named("revoked"));
    Path list = TestAuthority.write(folder, "list.pem", ROOT.revocationPem(revoked.certificate()));
    Authorities authorities =
        Authorities.read(options(List.of(root()), null, list.toString()), false);
    assertThatCode(() -> verify(authorities, CLIENT)).doesNotThrowAnyException();
    assertThatThrownBy(() -> verify(authorities, revoked))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("revoked");
  }

  @Test
  void messagesNameTheFile() {
    Path text = TestAuthority.write(folder, "text.pem", "no certificate");
    assertThatThrownBy(() -> Authorities.read(options(List.of(text.toString()), null, null), false))
        .isInstanceOf(TlsFileException.class)
        .hasMessageStartingWith(text + ": ");
    String missing = folder.resolve("missing").toString();
    assertThatThrownBy(() -> Authorities.read(options(List.of(), missing, null), false))
        .hasMessage(missing + ": there is no such file");
  }
}
