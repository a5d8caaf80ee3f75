package io.loligo.server.upstream.tls;

import io.loligo.server.tls.TlsFault;
import java.net.Socket;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the certificates of servers: first the chain, then the name. A fault ends the handshake
 * unless it is tolerated. Immutable; any thread.
 *
 * <p>The engine of the handshake was made with the name of the server and with a number, in the
 * place of its port, that stands for the tolerance.
 */
final class ServerVerifier extends X509ExtendedTrustManager {
  private static final X509Certificate[] NONE = {};

  private final X509TrustManager authorities;
  private final List<X509Certificate> intermediates;
  private final IntFunction<Tolerance> tolerances;

  /**
   * A verifier.
   *
   * @param authorities verifies chains
   * @param intermediates complete the chains that servers send
   * @param tolerances the tolerance of each number
   */
  ServerVerifier(
      X509TrustManager authorities,
      List<X509Certificate> intermediates,
      IntFunction<Tolerance> tolerances) {
    this.authorities = authorities;
    this.intermediates = intermediates;
    this.tolerances = tolerances;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    Tolerance tolerance = tolerances.apply(engine.getPeerPort());
    tolerateOrThrow(tolerance, chainFault(chain, authType));
    tolerateOrThrow(tolerance, nameFault(chain[0], engine.getPeerHost()));
  }

  /** The faults of {@code chain}, of which the key exchange is not known: none, one or two. */
  List<TlsFault> faults(X509Certificate[] chain, String server) {
    return Stream.of(chainFault(chain, "UNKNOWN"), nameFault(chain[0], server))
        .filter(Objects::nonNull)
        .map(UntrustedCertificate::fault)
        .toList();
  }

  private static void tolerateOrThrow(Tolerance tolerance, @Nullable UntrustedCertificate found)
      throws UntrustedCertificate {
    if (found != null && !tolerance.tolerates(found.fault())) {
      throw found;
    }
  }

  private @Nullable UntrustedCertificate chainFault(X509Certificate[] chain, String authType) {
    try {
      authorities.checkServerTrusted(completed(chain), authType);
      return null;
    } catch (CertificateException | RuntimeException e) {
      return new UntrustedCertificate(fault(chain, e), described(chain[0]));
    }
  }

  private X509Certificate[] completed(X509Certificate[] chain) {
    if (intermediates.isEmpty()) {
      return chain;
    }
    List<X509Certificate> all = new ArrayList<>(List.of(chain));
    all.addAll(intermediates);
    return all.toArray(new X509Certificate[0]);
  }

  private static @Nullable UntrustedCertificate nameFault(
      X509Certificate certificate, @Nullable String server) {
    ServerNames names = ServerNames.of(certificate);
    return server != null && names.include(server)
        ? null
        : new UntrustedCertificate(TlsFault.DOMAIN_MISMATCH, names + " (expected: " + server + ")");
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

  private static TlsFault fault(X509Certificate[] chain, Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      TlsFault fault = fault(cause);
      if (fault != null) {
        return fault;
      }
    }
    try {
      chain[0].checkValidity();
    } catch (CertificateExpiredException e) {
      return TlsFault.CERT_HAS_EXPIRED;
    } catch (CertificateNotYetValidException e) {
      return TlsFault.CERT_NOT_YET_VALID;
    }
    boolean selfSigned = isSelfSigned(chain[chain.length - 1]);
    if (!selfSigned) {
      return TlsFault.UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
    }
    return chain.length == 1
        ? TlsFault.DEPTH_ZERO_SELF_SIGNED_CERT
        : TlsFault.SELF_SIGNED_CERT_IN_CHAIN;
  }

  private static @Nullable TlsFault fault(Throwable cause) {
    if (cause instanceof CertificateExpiredException) {
      return TlsFault.CERT_HAS_EXPIRED;
    }
    if (cause instanceof CertificateNotYetValidException) {
      return TlsFault.CERT_NOT_YET_VALID;
    }
    if (!(cause instanceof CertPathValidatorException invalid)
        || !(invalid.getReason() instanceof BasicReason reason)) {
      return null;
    }
    return switch (reason) {
      case EXPIRED -> TlsFault.CERT_HAS_EXPIRED;
      case NOT_YET_VALID -> TlsFault.CERT_NOT_YET_VALID;
      case REVOKED -> TlsFault.CERT_REVOKED;
      case UNDETERMINED_REVOCATION_STATUS -> TlsFault.UNABLE_TO_GET_CRL;
      case INVALID_SIGNATURE -> TlsFault.CERT_SIGNATURE_FAILURE;
      case ALGORITHM_CONSTRAINED -> TlsFault.CA_MD_TOO_WEAK;
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
