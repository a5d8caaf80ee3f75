package io.loligo.server.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The OCSP responses that TLS ports send with their certificates (RFC 6066 section 8). A response
 * comes from the file beside the certificate, {@code FILE.ocsp}, or from the responder that the
 * certificate names. Thread-safe; {@link #refresh} blocks.
 */
public final class OcspStaples {
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final int MAX_BYTES = 64 << 10;

  /** Time between two questions about a certificate whose responder fails. */
  private static final Duration AGAIN = Duration.ofHours(1);

  private static final Logger LOG = LoggerFactory.getLogger(OcspStaples.class);

  private final Supplier<Instant> clock;
  private final Map<X509Certificate, OcspResponse> responses = new ConcurrentHashMap<>();
  private final Map<X509Certificate, Instant> failed = new ConcurrentHashMap<>();

  /** No responses yet. */
  public OcspStaples(Supplier<Instant> clock) {
    this.clock = clock;
  }

  /** The response about {@code certificate} to send, not a copy; null: there is none. */
  byte @Nullable [] of(X509Certificate certificate) {
    OcspResponse response = responses.get(certificate);
    return response == null || response.until().isBefore(clock.get()) ? null : response.encoded();
  }

  /**
   * Gets responses about the certificates of {@code pairs} that have none, or an old one. Forgets
   * those of other certificates.
   */
  public void refresh(Collection<KeyPair> pairs) {
    List<X509Certificate> certificates = pairs.stream().map(KeyPair::certificate).toList();
    responses.keySet().retainAll(certificates);
    failed.keySet().retainAll(certificates);
    for (KeyPair pair : pairs) {
      X509Certificate issuer = issuer(pair);
      if (issuer != null) {
        refresh(pair, issuer);
      }
    }
  }

  /** The certificate that has issued the one of {@code pair}; null: the chain lacks it. */
  private static @Nullable X509Certificate issuer(KeyPair pair) {
    return pair.chain().size() < 2 ? null : pair.chain().get(1);
  }

  private void refresh(KeyPair pair, X509Certificate issuer) {
    X509Certificate certificate = pair.certificate();
    Path file = Path.of(pair.files().certificate() + ".ocsp");
    try {
      if (Files.exists(file)) {
        take(certificate, OcspResponse.read(Files.readAllBytes(file), certificate, issuer, now()));
        return;
      }
      String responder = responder(certificate);
      if (responder != null && isDue(certificate)) {
        byte[] answer = ask(responder, OcspResponse.question(certificate, issuer));
        take(certificate, OcspResponse.read(answer, certificate, issuer, now()));
      }
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      Instant before = failed.put(certificate, now());
      if (before == null) {
        LOG.warn(
            "{}: no OCSP response is sent to clients: {}; next: look at the responder of its CA, or"
                + " at the .ocsp file beside it",
            pair.files().certificate(),
            e.toString());
      }
    }
  }

  private Instant now() {
    return clock.get();
  }

  private void take(X509Certificate certificate, OcspResponse response) {
    responses.put(certificate, response);
    failed.remove(certificate);
  }

  /** A response is renewed when half of its validity is over. */
  private boolean isDue(X509Certificate certificate) {
    Instant now = now();
    Instant before = failed.get(certificate);
    if (before != null && before.plus(AGAIN).isAfter(now)) {
      return false;
    }
    OcspResponse known = responses.get(certificate);
    return known == null
        || known
            .from()
            .plus(Duration.between(known.from(), known.until()).dividedBy(2))
            .isBefore(now);
  }

  /** The URL of the responder; null: the certificate names none. */
  private static @Nullable String responder(X509Certificate certificate) throws IOException {
    byte[] extension = certificate.getExtensionValue(Extension.authorityInfoAccess.getId());
    if (extension == null) {
      return null;
    }
    byte[] content = ASN1OctetString.getInstance(extension).getOctets();
    for (AccessDescription access :
        AuthorityInformationAccess.getInstance(content).getAccessDescriptions()) {
      GeneralName location = access.getAccessLocation();
      if (access.getAccessMethod().equals(AccessDescription.id_ad_ocsp)
          && location.getTagNo() == GeneralName.uniformResourceIdentifier) {
        return location.getName().toString();
      }
    }
    return null;
  }

  private static byte[] ask(String responder, byte[] question) throws IOException {
    if (!responder.startsWith("http://")) {
      throw new IOException("the responder has no http:// URL: " + responder);
    }
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(responder).toURL().openConnection();
    try {
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      connection.setInstanceFollowRedirects(false);
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/ocsp-request");
      connection.setFixedLengthStreamingMode(question.length);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(question);
      }
      if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
        throw new IOException(responder + " has responded " + connection.getResponseCode());
      }
      try (InputStream in = connection.getInputStream()) {
        byte[] answer = in.readNBytes(MAX_BYTES + 1);
        if (answer.length > MAX_BYTES) {
          throw new IOException("the response of " + responder + " is too large");
        }
        return answer;
      }
    } finally {
      connection.disconnect();
    }
  }
}
