package io.loligo.server.tls;

import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** The names in a verified certificate of a client. Immutable. */
public final class PeerCertificate {
  private static final String WHOLE = "DN";

  private final Map<String, String> subject;
  private final Map<String, String> issuer;

  /** The names in {@code certificate}. */
  public PeerCertificate(X509Certificate certificate) {
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
