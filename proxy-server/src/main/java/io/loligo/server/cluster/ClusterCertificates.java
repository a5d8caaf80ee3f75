package io.loligo.server.cluster;

import io.loligo.cluster.jgroups.GroupTls;
import io.loligo.server.tls.Authorities;
import io.loligo.server.tls.CertificateFiles;
import io.loligo.server.tls.KeyPair;
import io.loligo.server.tls.KeyPairFile;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * The files of a line of {@code loligo_cluster_tls}, as they were read. Immutable.
 *
 * @param pair of this node
 * @param authorities have signed the certificates of all nodes
 */
public record ClusterCertificates(KeyPair pair, List<X509Certificate> authorities) {
  /** Keeps a copy of the list. */
  public ClusterCertificates {
    authorities = List.copyOf(authorities);
  }

  /**
   * Reads the files; blocks.
   *
   * @param now a certificate that has expired by then is not used
   * @throws IOException if a file cannot be used; names the line, the file and the reason
   */
  public static ClusterCertificates read(ClusterTlsLine line, Instant now) throws IOException {
    try {
      KeyPair pair = KeyPairFile.read(new CertificateFiles(line.cert(), line.key()), null, now);
      List<X509Certificate> authorities = Authorities.certificates(line.ca());
      if (authorities.isEmpty()) {
        throw new IOException(line.ca() + ": it has no certificate");
      }
      return new ClusterCertificates(pair, authorities);
    } catch (IOException e) {
      throw new IOException(line.source() + ": loligo_cluster_tls: " + e.getMessage(), e);
    }
  }

  GroupTls tls() {
    return new GroupTls(pair.chain(), pair.key(), authorities);
  }
}
