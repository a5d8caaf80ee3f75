package io.loligo.server.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * A certificate with its chain and its private key, which belong together. Immutable.
 *
 * @param chain the certificate, and those of the authorities above it
 * @param key of RSA or EC
 * @param files where it was read
 */
public record KeyPair(List<X509Certificate> chain, PrivateKey key, CertificateFiles files) {
  private static final int DNS_NAME = 2;
  private static final int ADDRESS = 7;

  /** The certificate itself. */
  public X509Certificate certificate() {
    return chain.get(0);
  }

  /** Whether the key is one of an elliptic curve; else it is one of RSA. */
  public boolean isEcdsa() {
    return key.getAlgorithm().equals("EC");
  }

  /** Whether the certificate is one of an authority (RFC 5280 section 4.2.1.9). */
  public boolean isAuthority() {
    return certificate().getBasicConstraints() >= 0;
  }

  /** The end of its validity. */
  public Instant expiry() {
    return certificate().getNotAfter().toInstant();
  }

  /**
   * The names it is for, in lower case: those of subjectAltName, or the common name if there are
   * none.
   */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    try {
      Collection<List<?>> alternatives = certificate().getSubjectAlternativeNames();
      if (alternatives != null) {
        for (List<?> alternative : alternatives) {
          int type = (Integer) alternative.get(0);
          if (type == DNS_NAME || type == ADDRESS) {
            names.add(alternative.get(1).toString().toLowerCase(Locale.ROOT));
          }
        }
      }
    } catch (CertificateParsingException e) {
      return List.of(); // it serves as the default one only
    }
    return names.isEmpty() ? commonName() : List.copyOf(names);
  }

  private List<String> commonName() {
    try {
      for (Rdn part : new LdapName(certificate().getSubjectX500Principal().getName()).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN")) {
          return List.of(part.getValue().toString().toLowerCase(Locale.ROOT));
        }
      }
    } catch (InvalidNameException e) {
      return List.of();
    }
    return List.of();
  }

  /** Whether {@code key} is the one of {@code certified}: a signature of it is verified. */
  static boolean match(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
    if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
      return false;
    }
    byte[] sample = {1, 2, 3};
    String name = key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
    Signature signature = Signature.getInstance(name);
    signature.initSign(key);
    signature.update(sample);
    byte[] signed = signature.sign();
    signature.initVerify(certified);
    signature.update(sample);
    try {
      return signature.verify(signed);
    } catch (java.security.SignatureException other) {
      return false; // a curve or a length of another key
    }
  }
}
