package io.loligo.server.tls;

import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** A verified certificate of a client, and the names in it. Immutable. */
public final class PeerCertificate {
  private static final String WHOLE = "DN";

  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private final List<X509Certificate> chain;
  private final Map<String, String> subject;
  private final Map<String, String> issuer;

  /** A certificate without others. */
  public PeerCertificate(X509Certificate certificate) {
    this(List.of(certificate));
  }

  /** The first of {@code chain}, which is not empty; the client has sent all of it. */
  PeerCertificate(List<X509Certificate> chain) {
    this.chain = List.copyOf(chain);
    X509Certificate certificate = chain.get(0);
    subject = parts(certificate.getSubjectX500Principal());
    issuer = parts(certificate.getIssuerX500Principal());
  }

  /** The first value of each attribute, and the whole name as OpenSSL writes it in one line. */
  private static Map<String, String> parts(X500Principal name) {
    Map<String, String> parts = new HashMap<>();
    StringBuilder whole = new StringBuilder();
    try {
      for (Rdn part : new LdapName(name.getName()).getRdns()) {
        String type = part.getType().toUpperCase(Locale.ROOT);
        String value = String.valueOf(part.getValue());
        parts.putIfAbsent(type, value);
        whole.append('/').append(type).append('=').append(value);
      }
    } catch (InvalidNameException e) {
      return Map.of();
    }
    parts.put(WHOLE, whole.toString());
    return Map.copyOf(parts);
  }

  /**
   * The certificate in PEM, with a line end at its end.
   *
   * @param whole whether the others that the client has sent follow
   */
  public String pem(boolean whole) {
    StringBuilder text = new StringBuilder();
    for (X509Certificate one : whole ? chain : chain.subList(0, 1)) {
      try {
        text.append("-----BEGIN CERTIFICATE-----\n")
            .append(LINES.encodeToString(one.getEncoded()))
            .append("\n-----END CERTIFICATE-----\n");
      } catch (CertificateEncodingException e) {
        throw new IllegalStateException("it was decoded before", e);
      }
    }
    return text.toString();
  }

  /** The whole name of the subject, such as {@code /O=Example/CN=client}. */
  public String subject() {
    return subject.getOrDefault(WHOLE, "");
  }

  /** The same of the issuer. */
  public String issuer() {
    return issuer.getOrDefault(WHOLE, "");
  }

  /**
   * An attribute of the subject or the issuer, or null.
   *
   * @param attribute {@code DN} for the whole name, {@code CN}, {@code O}, an object identifier
   */
  public @Nullable String attribute(boolean ofIssuer, String attribute) {
    return (ofIssuer ? issuer : subject).get(attribute.toUpperCase(Locale.ROOT));
  }
}
