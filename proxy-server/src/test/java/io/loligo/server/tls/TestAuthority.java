package io.loligo.server.tls;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.cert.ocsp.BasicOCSPRespBuilder;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPRespBuilder;
import org.bouncycastle.cert.ocsp.RevokedStatus;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;

/**
 * A certificate authority that a test makes for itself, with its own key, and the certificates it
 * issues. Thread-safe.
 */
public final class TestAuthority {
  /** A type of key store for memory: it derives no key from a password, which takes long. */
  public static final String QUICK_STORE = "JKS";

  private static final AtomicLong SERIAL = new AtomicLong(1_000);
  private static final int MOST_RSA_PAIRS = 8;

  /** By bits. Guarded by itself. */
  private static final Map<Integer, Deque<java.security.KeyPair>> RSA_PAIRS = new HashMap<>();

  private final Issued own;

  private TestAuthority(Issued own) {
    this.own = own;
  }

  /**
   * A certificate and its key.
   *
   * @param chain the certificate, then those above it without the root
   */
  public record Issued(List<X509Certificate> chain, PrivateKey key) {
    /** The certificate itself. */
    public X509Certificate certificate() {
      return chain.get(0);
    }

    /** The chain in PEM. */
    public String chainPem() {
      return pem(chain.toArray());
    }

    /** The key in PEM, in PKCS#1 or SEC1 as OpenSSL wrote it for long. */
    public String keyPem() {
      if (!(key instanceof ECPrivateKey curve)) {
        return pem(key);
      }
      try {
        byte[] sec1 =
            new org.bouncycastle.asn1.sec.ECPrivateKey(
                    256, curve.getS(), SECObjectIdentifiers.secp256r1)
                .getEncoded();
        return block("EC PRIVATE KEY", sec1);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The key in PEM, in PKCS#8. */
    public String pkcs8Pem() {
      return block("PRIVATE KEY", key.getEncoded());
    }

    /** Writes chain and key into one new file {@code name} of {@code folder}. */
    public Path write(Path folder, String name) {
      return TestAuthority.write(folder, name, chainPem() + keyPem());
    }

    /** Writes a key store. */
    public Path store(Path folder, String name, String type, char[] password) {
      try {
        KeyStore store = KeyStore.getInstance(type);
        store.load(null, password);
        store.setKeyEntry("own", key, password, chain.toArray(new Certificate[0]));
        Path file = folder.resolve(name);
        try (var out = Files.newOutputStream(file)) {
          store.store(out, password);
        }
        return file;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The properties of a certificate to be issued. */
  public static final class Wanted {
    private final String subject;
    private final List<GeneralName> names = new ArrayList<>();
    private boolean rsa;
    private int rsaBits = 2048;
    private Instant from = Instant.now().minus(Duration.ofHours(1));
    private Instant to = Instant.now().plus(Duration.ofDays(90));
    private boolean authority;
    private String responder;

    private Wanted(String subject) {
      this.subject = subject;
    }

    /** With a key of RSA; else one of P-256. */
    public Wanted rsa() {
      rsa = true;
      return this;
    }

    /** For these names or addresses. */
    public Wanted names(String... values) {
      for (String value : values) {
        boolean address = value.matches("[0-9.]+|.*:.*");
        names.add(new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, value));
      }
      return this;
    }

    /** With the URL of an OCSP responder. */
    public Wanted responder(String url) {
      responder = url;
      return this;
    }

    /** Valid in this time. */
    public Wanted valid(Instant first, Instant last) {
      from = first;
      to = last;
      return this;
    }

    /** Expired an hour ago. */
    public Wanted expired() {
      return valid(
          Instant.now().minus(Duration.ofDays(9)), Instant.now().minus(Duration.ofHours(1)));
    }
  }

  /** A certificate with this common name. */
  public static Wanted named(String commonName) {
    return new Wanted("CN=" + commonName);
  }

  /** A certificate for a server with these names or addresses, the first of which is common. */
  public static Wanted server(String... names) {
    return named(names[0]).names(names);
  }

  /** A new root, signed by itself. */
  public static TestAuthority root(String commonName) {
    Wanted wanted = named(commonName);
    wanted.authority = true;
    return new TestAuthority(sign(wanted, null));
  }

  /** A certificate signed by itself. */
  public static Issued selfSigned(Wanted wanted) {
    return sign(wanted, null);
  }

  /** An authority below this one. */
  public TestAuthority intermediate(String commonName) {
    Wanted wanted = named(commonName);
    wanted.authority = true;
    return new TestAuthority(sign(wanted, this));
  }

  /** Its own certificate. */
  public X509Certificate certificate() {
    return own.certificate();
  }

  /** Issues a certificate. */
  public Issued issue(Wanted wanted) {
    return sign(wanted, this);
  }

  /** Its certificate in PEM. */
  public String pem() {
    return pem(certificate());
  }

  /** Writes its certificate into a new file {@code name} of {@code folder}. */
  public Path write(Path folder, String name) {
    return write(folder, name, pem());
  }

  /** Writes its certificate and its key into a new file {@code name} of {@code folder}. */
  public Path writePair(Path folder, String name) {
    return own.write(folder, name);
  }

  /** A list that revokes {@code certificates}, in PEM. */
  public String revocationPem(X509Certificate... certificates) {
    try {
      JcaX509v2CRLBuilder list =
          new JcaX509v2CRLBuilder(certificate(), Date.from(Instant.now().minusSeconds(60)));
      list.setNextUpdate(Date.from(Instant.now().plus(Duration.ofDays(1))));
      for (X509Certificate certificate : certificates) {
        list.addCRLEntry(
            certificate.getSerialNumber(),
            Date.from(Instant.now().minusSeconds(60)),
            CRLReason.keyCompromise);
      }
      return pem(list.build(signer(own.key())));
    } catch (OperatorCreationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An OCSP response about {@code certificate}, which this authority has issued. */
  public byte[] ocsp(X509Certificate certificate, boolean revoked, Instant until) {
    try {
      DigestCalculatorProvider digests = new JcaDigestCalculatorProviderBuilder().build();
      X509CertificateHolder issuer = new JcaX509CertificateHolder(certificate());
      BasicOCSPRespBuilder builder =
          new BasicOCSPRespBuilder(
              issuer.getSubjectPublicKeyInfo(), digests.get(CertificateID.HASH_SHA1));
      builder.addResponse(
          new CertificateID(
              digests.get(CertificateID.HASH_SHA1), issuer, certificate.getSerialNumber()),
          revoked ? new RevokedStatus(Date.from(Instant.now())) : CertificateStatus.GOOD,
          Date.from(Instant.now().minusSeconds(60)),
          Date.from(until));
      return new OCSPRespBuilder()
          .build(
              OCSPRespBuilder.SUCCESSFUL,
              builder.build(
                  signer(own.key()), new X509CertificateHolder[0], Date.from(Instant.now())))
          .getEncoded();
    } catch (OCSPException | OperatorCreationException | GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Issued sign(Wanted wanted, TestAuthority issuer) {
    try {
      java.security.KeyPair pair = generate(wanted);
      X500Name subject = new X500Name(wanted.subject);
      X500Name by =
          issuer == null
              ? subject
              : X500Name.getInstance(issuer.certificate().getSubjectX500Principal().getEncoded());
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              by,
              BigInteger.valueOf(SERIAL.incrementAndGet()),
              Date.from(wanted.from),
              Date.from(wanted.to),
              subject,
              pair.getPublic());
      builder.addExtension(
          Extension.basicConstraints, true, new BasicConstraints(wanted.authority));
      if (!wanted.names.isEmpty()) {
        builder.addExtension(
            Extension.subjectAlternativeName,
            false,
            new GeneralNames(wanted.names.toArray(new GeneralName[0])));
      }
      if (wanted.responder != null) {
        builder.addExtension(
            Extension.authorityInfoAccess,
            false,
            new AuthorityInformationAccess(
                AccessDescription.id_ad_ocsp,
                new GeneralName(GeneralName.uniformResourceIdentifier, wanted.responder)));
      }
      PrivateKey signs = issuer == null ? pair.getPrivate() : issuer.own.key();
      List<X509Certificate> chain = new ArrayList<>();
      chain.add(new JcaX509CertificateConverter().getCertificate(builder.build(signer(signs))));
      if (issuer != null) {
        chain.addAll(issuer.belowRoot());
      }
      return new Issued(List.copyOf(chain), pair.getPrivate());
    } catch (CertIOException | OperatorCreationException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<X509Certificate> belowRoot() {
    X509Certificate certificate = certificate();
    boolean root =
        certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
    return root ? List.of() : own.chain();
  }

  private static java.security.KeyPair generate(Wanted wanted) throws GeneralSecurityException {
    if (wanted.rsa) {
      return rsaPair(wanted.rsaBits);
    }
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  /** The next of a few pairs that come again: it takes long to make one. */
  private static java.security.KeyPair rsaPair(int bits) throws GeneralSecurityException {
    synchronized (RSA_PAIRS) {
      Deque<java.security.KeyPair> pairs =
          RSA_PAIRS.computeIfAbsent(bits, any -> new ArrayDeque<>());
      java.security.KeyPair next;
      if (pairs.size() < MOST_RSA_PAIRS) {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(bits);
        next = generator.generateKeyPair();
      } else {
        next = pairs.remove();
      }
      pairs.add(next);
      return next;
    }
  }

  private static ContentSigner signer(PrivateKey key) throws OperatorCreationException {
    String name = key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
    return new JcaContentSignerBuilder(name).build(key);
  }

  private static String block(String label, byte[] der) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n";
  }

  static String pem(Object... objects) {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      for (Object object : objects) {
        writer.writeObject(object);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** Writes {@code text} into the file {@code name} of {@code folder}. */
  public static Path write(Path folder, String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
