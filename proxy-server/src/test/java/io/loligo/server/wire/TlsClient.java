package io.loligo.server.wire;

import io.loligo.server.tls.TestAuthority;
import io.loligo.server.tls.TestAuthority.Issued;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Clients of the Java runtime's TLS, which trust one authority. Confined to one thread. */
final class TlsClient {
  private final SSLContext context;
  private final List<String> versions = new ArrayList<>();
  private String serverName;
  private String[] suites;
  private String[] protocols = {};
  private boolean verifies = true;

  private TlsClient(SSLContext context) {
    this.context = context;
  }

  /** One without a certificate. */
  static TlsClient trusting(TestAuthority authority) throws GeneralSecurityException, IOException {
    return trusting(authority, null);
  }

  /** One with a certificate, or null. */
  static TlsClient trusting(TestAuthority authority, Issued own)
      throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance(TestAuthority.QUICK_STORE);
    trusted.load(null, null);
    trusted.setCertificateEntry("root", authority.certificate());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own == null ? null : keys(own), trust.getTrustManagers(), null);
    return new TlsClient(context);
  }

  /** One that accepts every certificate. */
  static TlsClient trustingAnything() throws GeneralSecurityException, IOException {
    return trustingAnything(null);
  }

  /** The same with a certificate, or null. */
  static TlsClient trustingAnything(Issued own) throws GeneralSecurityException, IOException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own == null ? null : keys(own), new TrustManager[] {new TrustsAnything()}, null);
    TlsClient client = new TlsClient(context);
    client.verifies = false;
    return client;
  }

  private static final class TrustsAnything extends X509ExtendedTrustManager {
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  private static KeyManager[] keys(Issued own) throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(TestAuthority.QUICK_STORE);
    store.load(null, null);
    store.setKeyEntry("own", own.key(), new char[0], own.chain().toArray(new Certificate[0]));
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, new char[0]);
    return factory.getKeyManagers();
  }

  /** Asks for this name, and verifies it. */
  TlsClient name(String name) {
    serverName = name;
    return this;
  }

  /** Offers these versions only. */
  TlsClient versions(String... names) {
    versions.clear();
    versions.addAll(List.of(names));
    return this;
  }

  /** Offers these cipher suites only. */
  TlsClient suites(String... names) {
    suites = names;
    return this;
  }

  /** Offers these protocols by ALPN. */
  TlsClient protocols(String... names) {
    protocols = names;
    return this;
  }

  SSLContext context() {
    return context;
  }

  /** Connects, and finishes the handshake. */
  SSLSocket socket(int port) throws IOException {
    return over(new Socket(InetAddress.getLoopbackAddress(), port), port);
  }

  /** The same over a connection that is open. */
  SSLSocket over(Socket plain, int port) throws IOException {
    SSLSocket socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket(plain, serverName == null ? "127.0.0.1" : serverName, port, true);
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    socket.setTcpNoDelay(true);
    SSLParameters parameters = socket.getSSLParameters();
    if (serverName != null) {
      parameters.setServerNames(List.of(new SNIHostName(serverName)));
    }
    if (verifies) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    if (!versions.isEmpty()) {
      parameters.setProtocols(versions.toArray(new String[0]));
    }
    if (suites != null) {
      parameters.setCipherSuites(suites);
    }
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
    try {
      socket.startHandshake();
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Connects, and sends and reads bytes through TLS. */
  RawClient connect(int port) throws IOException {
    return RawClient.over(socket(port));
  }
}
