package io.loligo.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.tls.TestAuthority.Issued;
import java.nio.file.Path;
import java.time.Instant;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PKCS8Generator;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8EncryptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyPairFileTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final TestAuthority ISSUER = ROOT.intermediate("Issuer");
  private static final Issued EC = ISSUER.issue(TestAuthority.server("www.example.com"));
  private static final Issued RSA = ISSUER.issue(TestAuthority.server("www.example.com").rsa());

  @TempDir Path folder;

  private static KeyPair read(Path certificate, Path key) throws TlsFileException {
    return KeyPairFile.read(
        new CertificateFiles(certificate.toString(), key.toString()), null, Instant.now());
  }

  private static Issued issued(String kind) {
    return kind.equals("EC") ? EC : RSA;
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void chainAndKeyMayBeInOneFile(String kind) throws Exception {
    Path file = issued(kind).write(folder, "all.pem");
    KeyPair pair = read(file, file);
    assertThat(pair.chain()).isEqualTo(issued(kind).chain()).hasSize(2);
    assertThat(KeyPair.match(pair.key(), issued(kind).certificate().getPublicKey())).isTrue();
    assertThat(pair.isEcdsa()).isEqualTo(kind.equals("EC"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void aKeyMayBeInAnotherFileAndInPkcs8(String kind) throws Exception {
    Path chain = TestAuthority.write(folder, "chain.pem", issued(kind).chainPem());
    Path key = TestAuthority.write(folder, "key.pem", issued(kind).pkcs8Pem());
    assertThat(read(chain, key).key()).isEqualTo(issued(kind).key());
  }

  @Test
  void anOldKeyMayNameItsCurveInABlockBeforeIt() throws Exception {
    Path file =
        TestAuthority.write(
            folder,
            "all.pem",
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
                + EC.keyPem()
                + EC.chainPem());
    assertThat(KeyPair.match(read(file, file).key(), EC.certificate().getPublicKey())).isTrue();
  }

  @Test
  void theCertificateOfTheKeyComesFirstWhereverItIs() throws Exception {
    Path file =
        TestAuthority.write(
            folder,
            "all.pem",
            TestAuthority.pem(ISSUER.certificate(), EC.certificate()) + EC.keyPem());
    assertThat(read(file, file).chain()).containsExactly(EC.certificate(), ISSUER.certificate());
  }

  @ParameterizedTest
  @ValueSource(strings = {"PKCS12", "JKS"})
  void keyStoresAreReadByTheirContent(String type) throws Exception {
    char[] password = "secret".toCharArray();
    Path file = RSA.store(folder, "store", type, password);
    CertificateFiles files = new CertificateFiles(file.toString(), file.toString());
    assertThat(KeyPairFile.read(files, password, Instant.now()).chain()).isEqualTo(RSA.chain());
    assertThatThrownBy(() -> KeyPairFile.read(files, null, Instant.now()))
        .isInstanceOf(TlsFileException.class)
        .hasMessageStartingWith(file.toString());
  }

  @Test
  void anEncryptedKeyNeedsItsPassword() throws Exception {
    char[] password = "secret".toCharArray();
    String encrypted =
        TestAuthority.pem(
            new JcaPKCS8Generator(
                EC.key(),
                new JceOpenSSLPKCS8EncryptorBuilder(PKCS8Generator.AES_256_CBC)
                    .setProvider(new BouncyCastleProvider())
                    .setPassword(password)
                    .setPRF(PKCS8Generator.PRF_HMACSHA256)
                    .build()));
    Path file = TestAuthority.write(folder, "all.pem", EC.chainPem() + encrypted);
    CertificateFiles files = new CertificateFiles(file.toString(), file.toString());
    assertThat(KeyPairFile.read(files, password, Instant.now()).key()).isEqualTo(EC.key());
    assertThatThrownBy(() -> KeyPairFile.read(files, null, Instant.now()))
        .hasMessageContaining("the key is encrypted");
  }

  @Test
  void aKeyOfAnotherCertificateIsRefused() {
    Issued other = ISSUER.issue(TestAuthority.server("www.example.com"));
    Path chain = TestAuthority.write(folder, "chain.pem", EC.chainPem());
    Path key = TestAuthority.write(folder, "key.pem", other.keyPem());
    assertThatThrownBy(() -> read(chain, key)).hasMessageContaining("is not that of the");
    Path rsa = TestAuthority.write(folder, "rsa.pem", RSA.keyPem());
    assertThatThrownBy(() -> read(chain, rsa)).hasMessageContaining("is not that of the");
  }

  @Test
  void anExpiredCertificateIsRefused() {
    Path file = ISSUER.issue(TestAuthority.server("a.test").expired()).write(folder, "old.pem");
    assertThatThrownBy(() -> read(file, file)).hasMessageContaining("the certificate expired at");
  }

  @Test
  void messagesNameTheFileAndTheReason() {
    Path missing = folder.resolve("missing.pem");
    assertThatThrownBy(() -> read(missing, missing))
        .hasMessage(missing + ": there is no such file");
    Path empty = TestAuthority.write(folder, "empty.pem", "");
    assertThatThrownBy(() -> read(empty, empty))
        .hasMessage(empty + ": it is neither PEM nor PKCS#12 nor JKS");
    Path keyless = TestAuthority.write(folder, "keyless.pem", EC.chainPem());
    assertThatThrownBy(() -> read(keyless, keyless))
        .hasMessage(keyless + ": it has no private key");
    Path broken = TestAuthority.write(folder, "broken.pem", EC.chainPem() + cut(EC.keyPem()));
    assertThatThrownBy(() -> read(broken, broken)).hasMessageStartingWith(broken + ": ");
  }

  private static String cut(String pem) {
    String[] lines = pem.split("\n", -1);
    return lines[0] + "\n" + lines[1] + "\n" + lines[lines.length - 2] + "\n";
  }

  @Test
  void namesAreThoseOfTheAlternativesOrTheCommonName() throws Exception {
    Path file =
        ISSUER
            .issue(TestAuthority.named("common.test").names("A.test", "*.b.test", "127.0.0.1"))
            .write(folder, "names.pem");
    assertThat(read(file, file).names()).containsExactly("a.test", "*.b.test", "127.0.0.1");
    Path plain = ISSUER.issue(TestAuthority.named("Common.test")).write(folder, "common.pem");
    assertThat(read(plain, plain).names()).containsExactly("common.test");
  }
}
