package io.loligo.server.tls;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509TrustManager;

/**
 * Trusts no certificate of a client: for contexts that ask for none. Without it, each context would
 * read the authorities of the Java runtime and hand them to BoringSSL, which is most of its cost.
 * Stateless.
 */
final class NoClients implements X509TrustManager {
  static final X509TrustManager TRUSTED = new NoClients();

  private NoClients() {}

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("no certificate was asked for");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("the context is that of a server");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
