package io.loligo.server.tls;

import io.loligo.core.message.IpText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Makes the certificates of servers in whose place the proxy stands: names, dates and kind of key
 * are those of the server's certificate (RFC 5280). All have the same two keys, one of each kind.
 * Thread-safe; each call takes up to a few milliseconds of CPU.
 */
final class CertificateMaker {
  private static final int RSA_BITS = 2_048;
  private static final int SERIAL_BITS = 127;

  /** The validity of a certificate without an example begins so long ago: clocks differ. */
  private static final Duration BEFORE = Duration.ofDays(1);

  private static final Duration AFTER = Duration.ofDays(90);

  /** The longest common name of RFC 5280. */
  private static final int MOST_COMMON_NAME = 64;

  private final KeyPair authority;
  private final X500Name issuer;
  private final java.security.KeyPair ecdsa;
  private final SecureRandom random = new SecureRandom();

  /** Made when first needed, because that takes long. */
  private java.security.@Nullable KeyPair rsa;

  /**
   * A maker with new keys.
   *
   * @param authority signs the certificates
   */
  CertificateMaker(KeyPair authority) throws GeneralSecurityException {
    this.authority = authority;
    issuer = X500Name.getInstance(authority.certificate().getSubjectX500Principal().getEncoded());
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"), random);
    ecdsa = generator.generateKeyPair();
  }

  private synchronized java.security.KeyPair rsa() throws GeneralSecurityException {
    java.security.KeyPair made = rsa;
    if (made == null) {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(RSA_BITS, random);
      made = generator.generateKeyPair();
      rsa = made;
    }
    return made;
  }

  /**
   * A certificate with its key, for {@code server}.
   *
   * @param acceptsEcdsa whether the client accepts a certificate of ECDSA
   * @param now the time around which a certificate without an example is valid
   */
  KeyPair make(ServerIdentity server, boolean acceptsEcdsa, Instant now)
      throws GeneralSecurityException {
    X509Certificate example = server.certificate();
    boolean elliptic =
        acceptsEcdsa && (example == null || example.getPublicKey().getAlgorithm().equals("EC"));
    java.security.KeyPair keys = elliptic ? ecdsa : rsa();
    try {
      X509Certificate made = make(server, example, keys.getPublic(), now);
      List<X509Certificate> chain = new ArrayList<>();
      chain.add(made);
      chain.addAll(authority.chain());
      return new KeyPair(List.copyOf(chain), keys.getPrivate(), authority.files());
    } catch (IOException | OperatorCreationException e) {
      throw new GeneralSecurityException(e);
    }
  }

  private X509Certificate make(
      ServerIdentity server, @Nullable X509Certificate example, PublicKey key, Instant now)
      throws IOException, OperatorCreationException, GeneralSecurityException {
    Date from = example == null ? Date.from(now.minus(BEFORE)) : example.getNotBefore();
    Date until = example == null ? Date.from(now.plus(AFTER)) : example.getNotAfter();
    X500Name subject =
        example == null
            ? named(server.name())
            : X500Name.getInstance(example.getSubjectX500Principal().getEncoded());
    BigInteger serial = new BigInteger(SERIAL_BITS, random).setBit(0);
    SubjectPublicKeyInfo info = SubjectPublicKeyInfo.getInstance(key.getEncoded());
    X509v3CertificateBuilder builder =
        new X509v3CertificateBuilder(issuer, serial, from, until, subject, info);
    builder.addExtension(
        Extension.subjectAlternativeName, subject.size() == 0, names(server, example));
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
    int usage =
        KeyUsage.digitalSignature
            | (key.getAlgorithm().equals("RSA") ? KeyUsage.keyEncipherment : 0);
    builder.addExtension(Extension.keyUsage, true, new KeyUsage(usage));
    builder.addExtension(
        Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
    JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
    builder.addExtension(
        Extension.authorityKeyIdentifier,
        false,
        identifiers.createAuthorityKeyIdentifier(authority.certificate().getPublicKey()));
    builder.addExtension(
        Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(info));
    String algorithm = authority.isEcdsa() ? "SHA256withECDSA" : "SHA256withRSA";
    ContentSigner signer = new JcaContentSignerBuilder(algorithm).build(authority.key());
    byte[] encoded = builder.build(signer).getEncoded();
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded));
  }

  private static X500Name named(String server) {
    X500NameBuilder name = new X500NameBuilder(BCStyle.INSTANCE);
    if (server.length() <= MOST_COMMON_NAME) {
      name.addRDN(BCStyle.CN, server);
    }
    return name.build();
  }

  /** The names of the example, and the one that the client asked for if it does not cover that. */
  private static GeneralNames names(ServerIdentity server, @Nullable X509Certificate example)
      throws GeneralSecurityException {
    List<GeneralName> names = new ArrayList<>();
    boolean covered = false;
    if (example != null && example.getSubjectAlternativeNames() != null) {
      for (List<?> alternative : example.getSubjectAlternativeNames()) {
        int type = (Integer) alternative.get(0);
        if (type == GeneralName.dNSName || type == GeneralName.iPAddress) {
          names.add(new GeneralName(type, alternative.get(1).toString()));
          covered = true;
        }
      }
    }
    if (!covered) {
      boolean address = IpText.parse(server.name()) != null;
      names.add(
          new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, server.name()));
    }
    return new GeneralNames(names.toArray(new GeneralName[0]));
  }
}
