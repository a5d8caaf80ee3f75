package io.loligo.cluster.jgroups;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The certificate of this node, and whose certificates it accepts. Immutable.
 *
 * @param chain of this node, its own certificate first
 * @param authorities have signed the certificates of all nodes
 */
public record GroupTls(
    List<X509Certificate> chain, PrivateKey key, List<X509Certificate> authorities) {
  /** Versions of TLS, the best first. */
  static final List<String> VERSIONS = List.of("TLSv1.3", "TLSv1.2");

  /** Keeps copies of the lists. */
  public GroupTls {
    chain = List.copyOf(chain);
    authorities = List.copyOf(authorities);
  }

  /**
   * For both sides of a connection.
   *
   * @throws GeneralSecurityException if key and certificates cannot be used together
   */
  SSLContext context() throws GeneralSecurityException {
    try {
      char[] password = new char[0];
      KeyStore own = KeyStore.getInstance("PKCS12");
      own.load(null, null);
      own.setKeyEntry("node", key, password, chain.toArray(new X509Certificate[0]));
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(own, password);
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      for (int i = 0; i < authorities.size(); i++) {
        trusted.setCertificateEntry("authority-" + i, authorities.get(i));
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new GeneralSecurityException(e);
    }
  }
}
