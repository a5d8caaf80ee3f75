package io.loligo.server.tls;

import io.loligo.core.message.IpText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
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
import org.bouncycastle.crypto.params.AsymmetricKeyParameter;
import org.bouncycastle.crypto.util.PrivateKeyFactory;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.DefaultDigestAlgorithmIdentifierFinder;
import org.bouncycastle.operator.DefaultSignatureAlgorithmIdentifierFinder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.bc.BcECContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Makes the certificates of servers in whose place the proxy stands: names, dates and kind of key
 * are those of the server's certificate (RFC 5280), unless its terms say otherwise. All have the
 * same two keys, one of each kind. Thread-safe; each call takes up to a few milliseconds of CPU.
 */
final class CertificateMaker {
  private static final int RSA_BITS = 2_048;
  private static final int SERIAL_BITS = 127;

  private static final AlgorithmIdentifier WITH_ECDSA =
      new DefaultSignatureAlgorithmIdentifierFinder().find("SHA256withECDSA");
  private static final AlgorithmIdentifier SHA_256 =
      new DefaultDigestAlgorithmIdentifierFinder().find(WITH_ECDSA);

  /** The validity of a certificate without an example begins so long ago: clocks differ. */
  private static final Duration BEFORE = Duration.ofDays(1);

  private static final Duration AFTER = Duration.ofDays(90);

  /** The longest common name of RFC 5280. */
  private static final int MOST_COMMON_NAME = 64;

  private final KeyPair authority;
  private final Signer trusted;

  /** Has a key of its own, of which no certificate exists. */
  private final Signer untrusted;

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
    X509Certificate signs = authority.certificate();
    X500Name name = X500Name.getInstance(signs.getSubjectX500Principal().getEncoded());
    trusted = Signer.of(name, signs.getPublicKey(), authority.key());
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"), random);
    ecdsa = generator.generateKeyPair();
    java.security.KeyPair unknown = generator.generateKeyPair();
    untrusted = Signer.of(notTrustedBy(name), unknown.getPublic(), unknown.getPrivate());
  }

  /**
   * The issuer of a certificate, and its key.
   *
   * @param elliptic the key for Bouncy Castle, whose ECDSA takes a sixth of the CPU of Java 17;
   *     null: it is one of RSA
   */
  private record Signer(
      X500Name name,
      AuthorityKeyIdentifier identifier,
      PrivateKey key,
      @Nullable AsymmetricKeyParameter elliptic) {

    /** The issuer called {@code name}, whose certificate has the key {@code certified}. */
    static Signer of(X500Name name, PublicKey certified, PrivateKey key)
        throws GeneralSecurityException {
      try {
        return new Signer(
            name,
            new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(certified),
            key,
            key.getAlgorithm().equals("EC") ? PrivateKeyFactory.createKey(key.getEncoded()) : null);
      } catch (IOException e) {
        throw new GeneralSecurityException(e);
      }
    }

    /** Of one signature. */
    ContentSigner begin() throws OperatorCreationException {
      return elliptic == null
          ? new JcaContentSignerBuilder("SHA256withRSA").build(key)
          : new BcECContentSignerBuilder(WITH_ECDSA, SHA_256).build(elliptic);
    }
  }

  /** The name of an authority that is not the one called {@code name}. */
  private static X500Name notTrustedBy(X500Name name) {
    RDN[] common = name.getRDNs(BCStyle.CN);
    String text =
        common.length == 0 ? "" : IETFUtils.valueToString(common[0].getFirst().getValue());
    String whole = "Not trusted by " + text;
    int length = Math.min(whole.length(), MOST_COMMON_NAME);
    return new X500NameBuilder(BCStyle.INSTANCE)
        .addRDN(BCStyle.CN, whole.substring(0, length))
        .build();
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
      List<X509Certificate> chain = new ArrayList<>();
      chain.add(make(server, example, keys, now));
      if (server.terms().signing() == CertificateSigning.TRUSTED) {
        chain.addAll(authority.chain());
      }
      return new KeyPair(List.copyOf(chain), keys.getPrivate(), authority.files());
    } catch (IOException | OperatorCreationException e) {
      throw new GeneralSecurityException(e);
    }
  }

  private X509Certificate make(
      ServerIdentity server,
      @Nullable X509Certificate example,
      java.security.KeyPair keys,
      Instant now)
      throws IOException, OperatorCreationException, GeneralSecurityException {
    CertificateTerms terms = server.terms();
    PublicKey key = keys.getPublic();
    X509Certificate dates = authority.certificate();
    Date from =
        terms.authoritysBegin()
            ? dates.getNotBefore()
            : example == null ? Date.from(now.minus(BEFORE)) : example.getNotBefore();
    Date until =
        terms.authoritysEnd()
            ? dates.getNotAfter()
            : example == null ? Date.from(now.plus(AFTER)) : example.getNotAfter();
    X500Name subject = subject(server, example);
    Signer signer =
        switch (terms.signing()) {
          case TRUSTED -> trusted;
          case UNTRUSTED -> untrusted;
          case SELF -> Signer.of(subject, key, keys.getPrivate());
        };
    BigInteger serial = new BigInteger(SERIAL_BITS, random).setBit(0);
    SubjectPublicKeyInfo info = SubjectPublicKeyInfo.getInstance(key.getEncoded());
    X509v3CertificateBuilder builder =
        new X509v3CertificateBuilder(signer.name(), serial, from, until, subject, info);
    List<GeneralName> names = names(server, example);
    if (!names.isEmpty()) {
      builder.addExtension(
          Extension.subjectAlternativeName,
          subject.size() == 0,
          new GeneralNames(names.toArray(new GeneralName[0])));
    }
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
    int usage =
        KeyUsage.digitalSignature
            | (key.getAlgorithm().equals("RSA") ? KeyUsage.keyEncipherment : 0);
    builder.addExtension(Extension.keyUsage, true, new KeyUsage(usage));
    builder.addExtension(
        Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
    builder.addExtension(Extension.authorityKeyIdentifier, false, signer.identifier());
    builder.addExtension(
        Extension.subjectKeyIdentifier,
        false,
        new JcaX509ExtensionUtils().createSubjectKeyIdentifier(info));
    byte[] encoded = builder.build(signer.begin()).getEncoded();
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded));
  }

  /** That of the example, with the common name of the terms. */
  private static X500Name subject(ServerIdentity server, @Nullable X509Certificate example) {
    String commonName = server.terms().commonName();
    if (example == null) {
      return named(new X500NameBuilder(BCStyle.INSTANCE), server.name());
    }
    X500Name whole = X500Name.getInstance(example.getSubjectX500Principal().getEncoded());
    if (commonName == null) {
      return whole;
    }
    X500NameBuilder others = new X500NameBuilder(BCStyle.INSTANCE);
    for (RDN part : whole.getRDNs()) {
      if (!part.getFirst().getType().equals(BCStyle.CN)) {
        others.addMultiValuedRDN(part.getTypesAndValues());
      }
    }
    return named(others, commonName);
  }

  private static X500Name named(X500NameBuilder name, String commonName) {
    if (commonName.length() <= MOST_COMMON_NAME) {
      name.addRDN(BCStyle.CN, commonName);
    }
    return name.build();
  }

  /** The name of the terms, else those of the example, else the one that the client asked for. */
  private static List<GeneralName> names(ServerIdentity server, @Nullable X509Certificate example) {
    String only = example == null ? server.name() : server.terms().commonName();
    if (only != null) {
      boolean address = IpText.parse(only) != null;
      return List.of(new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, only));
    }
    assert example != null : "it has the name of the client otherwise";
    List<GeneralName> names = new ArrayList<>();
    try {
      Collection<List<?>> alternatives = example.getSubjectAlternativeNames();
      for (List<?> alternative : alternatives == null ? List.<List<?>>of() : alternatives) {
        int type = (Integer) alternative.get(0);
        if (type == GeneralName.dNSName || type == GeneralName.iPAddress) {
          names.add(new GeneralName(type, alternative.get(1).toString()));
        }
      }
    } catch (CertificateParsingException | IllegalArgumentException e) {
      return List.of(); // the server determines them: no client may accept such a certificate
    }
    return names;
  }
}
