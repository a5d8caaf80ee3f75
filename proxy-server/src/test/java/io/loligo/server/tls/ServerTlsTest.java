package io.loligo.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.tls.TestAuthority.Issued;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.ClientAuth;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The TLS of a port. */
class ServerTlsTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");

  /** Closed at the end: the client forgets the session of a connection that is cut. */
  private final List<Socket> open = new ArrayList<>();

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private volatile ServerTls inUse;
  private int port;

  @AfterEach
  void close() throws Exception {
    for (Socket socket : open) {
      socket.close();
    }
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
  }

  private static TlsOptions of(Set<TlsVersion> versions, List<String> suites) {
    return TlsOptions.builder().versions(versions).suites(suites).build();
  }

  private static ServerTls server(TlsOptions options, Issued issued) throws TlsFileException {
    CertificateFiles files = new CertificateFiles("a.pem", "a.pem");
    KeyPair pair = new KeyPair(issued.chain(), issued.key(), files);
    return new ServerTls(
        TlsProvider.choose("auto"),
        options,
        List.of(pair),
        ClientAuth.NONE,
        null,
        List.of("http/1.1"),
        null);
  }

  private static SSLContext clients() throws Exception {
    KeyStore trusted = KeyStore.getInstance(TestAuthority.QUICK_STORE);
    trusted.load(null, null);
    trusted.setCertificateEntry("root", ROOT.certificate());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLSv1.2");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private int listen() throws InterruptedException {
    Channel listening =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(inUse.handler("a.test", true, channel.alloc()));
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** Handshakes once; returns the time when the client's session was created. */
  private long session(SSLContext clients, ServerTls server) throws Exception {
    inUse = server;
    if (port == 0) {
      port = listen();
    }
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
    open.add(plain);
    SSLSocket socket =
        (SSLSocket) clients.getSocketFactory().createSocket(plain, "a.test", port, true);
    socket.startHandshake();
    return socket.getSession().getCreationTime();
  }

  @Test
  void ticketsOfTheTwoKeysBeforeThePresentOneAreAccepted() throws Exception {
    Issued issued = ROOT.issue(TestAuthority.server("a.test"));
    try (ServerTls server = server(TlsOptions.DEFAULT, issued)) {
      SSLContext clients = clients();
      long first = session(clients, server);
      assertThat(session(clients, server)).isEqualTo(first);
      server.rotateTickets();
      server.rotateTickets();
      assertThat(session(clients, server)).isEqualTo(first);
      server.rotateTickets();
      server.rotateTickets();
      server.rotateTickets();
      assertThat(session(clients, server)).isNotEqualTo(first);
    }
  }

  @Test
  void ticketsContinueWithAnotherCertificateOfTheSamePort() throws Exception {
    try (ServerTls before = server(TlsOptions.DEFAULT, ROOT.issue(TestAuthority.server("a.test")));
        ServerTls after = server(TlsOptions.DEFAULT, ROOT.issue(TestAuthority.server("a.test")))) {
      SSLContext clients = clients();
      long first = session(clients, before);
      after.continueTickets(before);
      assertThat(session(clients, after)).isEqualTo(first);
    }
  }

  @Test
  void suitesOfTheOtherKindOfKeyAreNoReasonToFailWithTls13() throws Exception {
    List<String> rsa = List.of("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
    Issued ecdsa = ROOT.issue(TestAuthority.server("a.test"));
    server(of(Set.of(TlsVersion.values()), rsa), ecdsa).close();
    assertThatThrownBy(() -> server(of(Set.of(TlsVersion.TLS_1_2), rsa), ecdsa))
        .isInstanceOf(TlsFileException.class)
        .hasMessageContaining("cipher= has no suite");
  }
}
