package io.loligo.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CRL;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * The authorities that one line trusts, and the certificates they have revoked. Immutable; reading
 * blocks.
 *
 * @param certificates of the authorities
 * @param revoked lists of revoked certificates
 * @param revocation whether certificates are looked up in {@code revoked}
 * @param wholeChain whether those of intermediate authorities are too
 */
public record Authorities(
    Set<X509Certificate> certificates, List<CRL> revoked, boolean revocation, boolean wholeChain) {

  /**
   * The authorities that {@code options} name.
   *
   * @param system whether those of the system are trusted where no word says so
   * @throws TlsFileException if a file cannot be read, or none is trusted
   */
  public static Authorities read(TlsOptions options, boolean system) throws TlsFileException {
    return read(options, options.caFiles(), system);
  }

  /** The same with other files of authorities than {@code cafile=}. */
  public static Authorities read(TlsOptions options, List<String> caFiles, boolean system)
      throws TlsFileException {
    Set<X509Certificate> certificates = new LinkedHashSet<>();
    for (String file : caFiles) {
      List<X509Certificate> found = certificates(file);
      if (found.isEmpty()) {
        throw new TlsFileException(file, "it has no certificate");
      }
      certificates.addAll(found);
    }
    String folder = options.caPath();
    if (folder != null) {
      certificates.addAll(folder(folder));
    }
    if (options.trustsSystem(system)) {
      certificates.addAll(system());
    }
    boolean chain = options.has(TlsFlag.VERIFY_CRL_ALL);
    String crlFile = options.crlFile();
    // a list that is given is used, whether or not a flag asks for it
    return new Authorities(
        Set.copyOf(certificates),
        crlFile == null ? List.of() : lists(crlFile),
        crlFile != null,
        chain);
  }

  /** Those that the Java runtime trusts, without lists of revoked certificates. */
  public static Authorities ofSystem() throws TlsFileException {
    return new Authorities(system(), List.of(), false, false);
  }

  /** The certificates of a file in PEM or DER. */
  public static List<X509Certificate> certificates(String file) throws TlsFileException {
    byte[] bytes = KeyPairFile.bytes(file);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    try {
      if (PemText.isIn(text)) {
        return KeyPairFile.certificates(PemText.blocks(text));
      }
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      return List.of(
          (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(bytes)));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(file, e);
    }
  }

  private static Set<X509Certificate> folder(String folder) throws TlsFileException {
    Set<X509Certificate> found = new LinkedHashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(folder))) {
      for (Path file : files) {
        if (Files.isRegularFile(file)) {
          String text = Files.readString(file, StandardCharsets.ISO_8859_1);
          found.addAll(KeyPairFile.certificates(PemText.blocks(text)));
        }
      }
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(folder, e);
    }
    if (found.isEmpty()) {
      throw new TlsFileException(folder, "it has no file with a certificate in PEM");
    }
    return found;
  }

  /** Those that the Java runtime trusts. */
  private static Set<X509Certificate> system() throws TlsFileException {
    Set<X509Certificate> found = new LinkedHashSet<>();
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init((KeyStore) null);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509TrustManager trust) {
          found.addAll(List.of(trust.getAcceptedIssuers()));
        }
      }
    } catch (GeneralSecurityException e) {
      throw new TlsFileException("the authorities of the system", e);
    }
    return found;
  }

  private static List<CRL> lists(String file) throws TlsFileException {
    byte[] bytes = KeyPairFile.bytes(file);
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      List<CRL> lists = new ArrayList<>(factory.generateCRLs(new ByteArrayInputStream(bytes)));
      if (lists.isEmpty()) {
        throw new TlsFileException(file, "it has no list of revoked certificates");
      }
      return List.copyOf(lists);
    } catch (GeneralSecurityException e) {
      throw new TlsFileException(file, e);
    }
  }

  /**
   * Verifies chains against these authorities.
   *
   * @throws GeneralSecurityException if the Java runtime cannot
   */
  public TrustManagerFactory trustManagers() throws GeneralSecurityException {
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(new CertPathTrustManagerParameters(parameters()));
    return factory;
  }

  private PKIXBuilderParameters parameters() throws GeneralSecurityException {
    Set<TrustAnchor> anchors = new LinkedHashSet<>();
    for (X509Certificate certificate : certificates) {
      anchors.add(new TrustAnchor(certificate, null));
    }
    PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
    parameters.setRevocationEnabled(revocation);
    if (revocation) {
      parameters.addCertStore(
          CertStore.getInstance("Collection", new CollectionCertStoreParameters(revoked)));
      PKIXRevocationChecker checker =
          (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
      Set<PKIXRevocationChecker.Option> options =
          EnumSet.of(
              PKIXRevocationChecker.Option.PREFER_CRLS, PKIXRevocationChecker.Option.NO_FALLBACK);
      if (!wholeChain) {
        options.add(PKIXRevocationChecker.Option.ONLY_END_ENTITY);
      }
      checker.setOptions(options);
      parameters.addCertPathChecker(checker);
    }
    return parameters;
  }

  /** The only verifier of {@link #trustManagers}. */
  public X509TrustManager trustManager() throws GeneralSecurityException {
    for (TrustManager manager : trustManagers().getTrustManagers()) {
      if (manager instanceof X509TrustManager trust) {
        return trust;
      }
    }
    throw new GeneralSecurityException("no verifier of X.509 certificates");
  }
}
