package io.loligo.server.tls;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Digests of certificates as text. Stateless. */
public final class Fingerprint {
  private static final HexFormat FORM = HexFormat.ofDelimiter(":").withUpperCase();

  private Fingerprint() {}

  /** The SHA-1 digest of the DER form of {@code certificate}, as {@code AA:BB:...}; null: none. */
  public static @Nullable String sha1(X509Certificate certificate) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(certificate.getEncoded());
      return FORM.formatHex(digest);
    } catch (GeneralSecurityException e) {
      return null;
    }
  }
}
