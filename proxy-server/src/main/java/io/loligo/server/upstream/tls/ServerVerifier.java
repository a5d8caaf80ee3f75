package io.loligo.server.upstream.tls;

import java.net.Socket;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the certificates of servers: first the chain, then the name. Immutable; any thread.
 *
 * <p>The name is the one with which the engine of the handshake was made.
 */
final class ServerVerifier extends X509ExtendedTrustManager {
  private static final X509Certificate[] NONE = {};

  private final @Nullable X509TrustManager authorities;
  private final boolean verifiesName;

  /**
   * A verifier.
   *
   * @param authorities verifies chains; null: nothing is verified
   * @param verifiesName whether the certificate must be for the server
   */
  ServerVerifier(@Nullable X509TrustManager authorities, boolean verifiesName) {
    this.authorities = authorities;
    this.verifiesName = verifiesName && authorities != null;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    if (authorities != null) {
      verifyChain(authorities, chain, authType);
    }
    if (verifiesName) {
      verifyName(chain[0], engine.getPeerHost());
    }
  }

  private static void verifyChain(
      X509TrustManager authorities, X509Certificate[] chain, String authType)
      throws UntrustedCertificate {
    try {
      authorities.checkServerTrusted(chain, authType);
    } catch (CertificateException | RuntimeException e) {
      throw new UntrustedCertificate(error(chain, e), described(chain[0]));
    }
  }

  private static void verifyName(X509Certificate certificate, @Nullable String server)
      throws UntrustedCertificate {
    ServerNames names = ServerNames.of(certificate);
    if (server == null || !names.include(server)) {
      throw new UntrustedCertificate(
          CertificateError.DOMAIN_MISMATCH, names + " (expected: " + server + ")");
    }
  }

  private static String described(X509Certificate certificate) {
    String subject = certificate.getSubjectX500Principal().getName();
    String issuer = certificate.getIssuerX500Principal().getName();
    return bounded(subject) + " of " + bounded(issuer);
  }

  /** The server determines the text. */
  private static String bounded(String text) {
    return text.length() > 100 ? text.substring(0, 100) + "..." : text;
  }

  private static CertificateError error(X509Certificate[] chain, Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      CertificateError error = error(cause);
      if (error != null) {
        return error;
      }
    }
    try {
      chain[0].checkValidity();
    } catch (CertificateExpiredException e) {
      return CertificateError.CERT_HAS_EXPIRED;
    } catch (CertificateNotYetValidException e) {
      return CertificateError.CERT_NOT_YET_VALID;
    }
    boolean selfSigned = isSelfSigned(chain[chain.length - 1]);
    if (!selfSigned) {
      return CertificateError.UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
    }
    return chain.length == 1
        ? CertificateError.DEPTH_ZERO_SELF_SIGNED_CERT
        : CertificateError.SELF_SIGNED_CERT_IN_CHAIN;
  }

  private static @Nullable CertificateError error(Throwable cause) {
    if (cause instanceof CertificateExpiredException) {
      return CertificateError.CERT_HAS_EXPIRED;
    }
    if (cause instanceof CertificateNotYetValidException) {
      return CertificateError.CERT_NOT_YET_VALID;
    }
    if (!(cause instanceof CertPathValidatorException invalid)
        || !(invalid.getReason() instanceof BasicReason reason)) {
      return null;
    }
    return switch (reason) {
      case EXPIRED -> CertificateError.CERT_HAS_EXPIRED;
      case NOT_YET_VALID -> CertificateError.CERT_NOT_YET_VALID;
      case REVOKED -> CertificateError.CERT_REVOKED;
      case UNDETERMINED_REVOCATION_STATUS -> CertificateError.UNABLE_TO_GET_CRL;
      case INVALID_SIGNATURE -> CertificateError.CERT_SIGNATURE_FAILURE;
      case ALGORITHM_CONSTRAINED -> CertificateError.CA_MD_TOO_WEAK;
      case UNSPECIFIED -> null;
    };
  }

  private static boolean isSelfSigned(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return NONE;
  }

  // engines are the only users, and servers the only peers

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw new CertificateException("not for sockets");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("the server is not known");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw new CertificateException("not for clients");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("not for clients");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("not for clients");
  }
}
