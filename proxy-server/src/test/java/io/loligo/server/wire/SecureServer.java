package io.loligo.server.wire;

import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The server's side of TLS in tests. Stateless. */
final class SecureServer {
  private SecureServer() {}

  /**
   * A server with this certificate.
   *
   * @param clients the authority of clients, or null
   */
  static SSLContext of(TestAuthority.Issued issued, TestAuthority clients) throws IOException {
    char[] password = new char[0];
    try {
      KeyStore store = KeyStore.getInstance(TestAuthority.QUICK_STORE);
      store.load(null, password);
      store.setKeyEntry("own", issued.key(), password, issued.chain().toArray(new Certificate[0]));
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, password);
      KeyStore trusted = KeyStore.getInstance(TestAuthority.QUICK_STORE);
      trusted.load(null, password);
      if (clients != null) {
        trusted.setCertificateEntry("clients", clients.certificate());
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), clients == null ? null : trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same without certificates of clients. */
  static SSLContext of(TestAuthority.Issued issued) throws IOException {
    return of(issued, null);
  }
}
