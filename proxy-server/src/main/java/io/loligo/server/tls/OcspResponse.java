package io.loligo.server.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.ocsp.BasicOCSPResp;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPReqBuilder;
import org.bouncycastle.cert.ocsp.OCSPResp;
import org.bouncycastle.cert.ocsp.SingleResp;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;

/**
 * A statement of an authority that a certificate is not revoked (RFC 6960). Immutable.
 *
 * @param encoded as it is sent to clients
 * @param from the beginning of its validity
 * @param until the end of its validity
 */
record OcspResponse(byte[] encoded, Instant from, Instant until) {
  /** The validity of a response that does not give its end. */
  private static final Duration SHORT = Duration.ofHours(1);

  /** The difference of clocks that is tolerated. */
  private static final Duration SKEW = Duration.ofMinutes(5);

  /** The question for {@code certificate}, encoded. */
  static byte[] question(X509Certificate certificate, X509Certificate issuer)
      throws IOException, GeneralSecurityException {
    try {
      return new OCSPReqBuilder().addRequest(id(certificate, issuer)).build().getEncoded();
    } catch (OCSPException | OperatorCreationException e) {
      throw new GeneralSecurityException(e);
    }
  }

  private static CertificateID id(X509Certificate certificate, X509Certificate issuer)
      throws OCSPException, OperatorCreationException, GeneralSecurityException {
    return new CertificateID(
        digests().get(CertificateID.HASH_SHA1),
        new JcaX509CertificateHolder(issuer),
        certificate.getSerialNumber());
  }

  private static DigestCalculatorProvider digests() throws OperatorCreationException {
    return new JcaDigestCalculatorProviderBuilder().build();
  }

  /**
   * Reads a response about {@code certificate}.
   *
   * @param issuer of the certificate
   * @throws CertificateException if the response does not say that the certificate is good now
   */
  static OcspResponse read(
      byte[] encoded, X509Certificate certificate, X509Certificate issuer, Instant now)
      throws IOException, GeneralSecurityException {
    try {
      OCSPResp response = new OCSPResp(encoded);
      if (response.getStatus() != OCSPResp.SUCCESSFUL
          || !(response.getResponseObject() instanceof BasicOCSPResp basic)) {
        throw new CertificateException("the responder has no response");
      }
      if (!isSigned(basic, issuer)) {
        throw new CertificateException("the authority of the certificate has not signed it");
      }
      for (SingleResp single : basic.getResponses()) {
        if (single.getCertID().getSerialNumber().equals(certificate.getSerialNumber())
            && single.getCertID().matchesIssuer(new JcaX509CertificateHolder(issuer), digests())) {
          return good(single, encoded, now);
        }
      }
      throw new CertificateException("it is about another certificate");
    } catch (OCSPException | OperatorCreationException | IllegalArgumentException e) {
      throw new CertificateException(e);
    }
  }

  private static OcspResponse good(SingleResp single, byte[] encoded, Instant now)
      throws CertificateException {
    if (single.getCertStatus() != CertificateStatus.GOOD) {
      throw new CertificateException("the certificate is revoked, or the responder does not know");
    }
    Instant from = single.getThisUpdate().toInstant();
    Date end = single.getNextUpdate();
    Instant until = end == null ? from.plus(SHORT) : end.toInstant();
    if (from.isAfter(now.plus(SKEW)) || until.isBefore(now)) {
      throw new CertificateException("it is valid from " + from + " until " + until);
    }
    return new OcspResponse(encoded, from, until);
  }

  /** The issuer signs it, or a certificate of the issuer for this purpose. */
  private static boolean isSigned(BasicOCSPResp response, X509Certificate issuer)
      throws OCSPException, OperatorCreationException, GeneralSecurityException {
    if (isSignedBy(response, new JcaX509CertificateHolder(issuer))) {
      return true;
    }
    for (X509CertificateHolder delegate : response.getCerts()) {
      ExtendedKeyUsage usage = ExtendedKeyUsage.fromExtensions(delegate.getExtensions());
      if (usage != null
          && usage.hasKeyPurposeId(KeyPurposeId.id_kp_OCSPSigning)
          && isIssuedBy(delegate, issuer)
          && delegate.isValidOn(response.getProducedAt())
          && isSignedBy(response, delegate)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isIssuedBy(X509CertificateHolder delegate, X509Certificate issuer)
      throws OperatorCreationException, GeneralSecurityException {
    try {
      return Arrays.equals(
              delegate.getIssuer().getEncoded(), issuer.getSubjectX500Principal().getEncoded())
          && delegate.isSignatureValid(
              new JcaContentVerifierProviderBuilder().build(issuer.getPublicKey()));
    } catch (IOException | org.bouncycastle.cert.CertException e) {
      throw new CertificateException(e);
    }
  }

  private static boolean isSignedBy(BasicOCSPResp response, X509CertificateHolder signer)
      throws OCSPException, OperatorCreationException, GeneralSecurityException {
    try {
      return response.isSignatureValid(new JcaContentVerifierProviderBuilder().build(signer));
    } catch (OCSPException wrong) {
      return false; // a key of another kind
    }
  }
}
