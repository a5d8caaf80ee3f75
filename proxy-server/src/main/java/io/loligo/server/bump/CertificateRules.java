package io.loligo.server.bump;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.server.tls.CertificateSigning;
import io.loligo.server.tls.CertificateTerms;
import io.loligo.server.tls.TlsFault;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code sslproxy_cert_sign} and {@code sslproxy_cert_adapt}: the terms of the certificates that
 * are made for decrypted tunnels. Immutable.
 *
 * @param signing the first line that matches decides; if none does, the faults of the server's
 *     certificate
 * @param adaptation for each kind of change, the first line that matches counts
 */
public record CertificateRules(List<SigningLine> signing, List<AdaptationLine> adaptation) {
  /** Faults after which clients get a certificate that is not trusted either. */
  private static final Set<String> UNTRUSTED =
      Set.of(
          TlsFault.SELF_SIGNED_CERT_IN_CHAIN.squidName(),
          TlsFault.UNABLE_TO_GET_ISSUER_CERT_LOCALLY.squidName(),
          TlsFault.CERT_UNTRUSTED.squidName());

  private static final String SELF_SIGNED = TlsFault.DEPTH_ZERO_SELF_SIGNED_CERT.squidName();

  /** A change of a made certificate. */
  enum Adaptation {
    VALID_AFTER("setValidAfter"),
    VALID_BEFORE("setValidBefore"),
    COMMON_NAME("setCommonName");

    private final String word;

    Adaptation(String word) {
      this.word = word;
    }

    /** The word in a configuration. */
    String word() {
      return word;
    }
  }

  /**
   * A line about the signer.
   *
   * @param condition allows if all ACLs match
   */
  record SigningLine(CertificateSigning signing, AclList condition) {}

  /**
   * A line about a change.
   *
   * @param name that {@code COMMON_NAME} sets; null: the host in CONNECT
   * @param condition allows if all ACLs match
   */
  record AdaptationLine(Adaptation change, @Nullable String name, AclList condition) {}

  /** Copies the lists. */
  public CertificateRules {
    signing = List.copyOf(signing);
    adaptation = List.copyOf(adaptation);
  }

  /** Whether a line asks about the addresses of the destination. */
  public boolean needsDestination() {
    return signing.stream().anyMatch(line -> line.condition().needsDestination())
        || adaptation.stream().anyMatch(line -> line.condition().needsDestination());
  }

  /** The terms for {@code tunnel}, of whose server the certificate is known. */
  public CertificateTerms of(AclInput tunnel) {
    AdaptationLine name = first(Adaptation.COMMON_NAME, tunnel);
    String commonName = name == null ? null : name.name() == null ? tunnel.host() : name.name();
    return new CertificateTerms(
        signer(tunnel),
        first(Adaptation.VALID_BEFORE, tunnel) != null,
        first(Adaptation.VALID_AFTER, tunnel) != null,
        commonName);
  }

  private CertificateSigning signer(AclInput tunnel) {
    for (SigningLine line : signing) {
      if (line.condition().evaluate(tunnel).allowed()) {
        return line.signing();
      }
    }
    List<String> faults = tunnel.certificateFaults();
    if (faults.stream().anyMatch(UNTRUSTED::contains)) {
      return CertificateSigning.UNTRUSTED;
    }
    return faults.contains(SELF_SIGNED) ? CertificateSigning.SELF : CertificateSigning.TRUSTED;
  }

  private @Nullable AdaptationLine first(Adaptation change, AclInput tunnel) {
    for (AdaptationLine line : adaptation) {
      if (line.change() == change && line.condition().evaluate(tunnel).allowed()) {
        return line;
      }
    }
    return null;
  }
}
