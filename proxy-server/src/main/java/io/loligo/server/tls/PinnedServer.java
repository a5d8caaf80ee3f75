package io.loligo.server.tls;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts a server that presents a certificate of one of our own files, under whatever name it is
 * reached, and no other. Immutable.
 */
public final class PinnedServer extends X509ExtendedTrustManager {
  private final List<X509Certificate> known;

  private PinnedServer(List<X509Certificate> known) {
    this.known = List.copyOf(known);
  }

  /**
   * The context of a client of the server with these files. Reads the certificates only; blocks.
   *
   * @throws TlsFileException if a file cannot be read, or is not PEM
   */
  public static SSLContext context(List<CertificateFiles> files) throws TlsFileException {
    List<X509Certificate> known = new ArrayList<>();
    for (CertificateFiles each : files) {
      known.addAll(read(each.certificate()));
    }
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new PinnedServer(known)}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has TLS", e);
    }
  }

  private static List<X509Certificate> read(String path) throws TlsFileException {
    try {
      String text = new String(KeyPairFile.bytes(path), StandardCharsets.ISO_8859_1);
      List<X509Certificate> certificates = KeyPairFile.certificates(PemText.blocks(text));
      if (certificates.isEmpty()) {
        throw new TlsFileException(path, "it has no certificate in the form PEM");
      }
      return certificates;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(path, e);
    }
  }

  private void check(X509Certificate[] chain) throws CertificateException {
    if (chain.length == 0 || !known.contains(chain[0])) {
      throw new CertificateException("the certificate is not that of the configuration");
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket)
      throws CertificateException {
    throw new CertificateException("no client is trusted");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("no client is trusted");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
    throw new CertificateException("no client is trusted");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
