package io.loligo.server.downstream.tls;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.tls.CertificateSigning;
import io.loligo.server.tls.ClientHello;
import io.loligo.server.tls.HostCertificates;
import io.loligo.server.tls.ServerIdentity;
import io.loligo.server.tls.ServerTls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handshake in the place of another server, by a certificate made for it. Confined to the
 * connection's event loop.
 */
public final class HostContexts implements HandshakeContexts {
  private static final Logger LOG = LoggerFactory.getLogger(HostContexts.class);

  /** Kinds of log lines. */
  private enum Event {
    NOT_MADE,
    REFUSED
  }

  private final ClientConnections clients;
  private final ListeningPort listening;
  private final InetSocketAddress client;
  private final HostCertificates hosts;
  private final ServerIdentity server;

  /** The terms of a tunnel of {@code client} to {@code server}. */
  public HostContexts(
      ClientConnections clients,
      ListeningPort listening,
      InetSocketAddress client,
      HostCertificates hosts,
      ServerIdentity server) {
    this.clients = clients;
    this.listening = listening;
    this.client = client;
    this.hosts = hosts;
    this.server = server;
  }

  @Override
  public void handler(
      ClientHello hello, ByteBufAllocator allocator, Consumer<@Nullable SslHandler> then) {
    CompletableFuture<ServerTls> certified = hosts.of(server, hello.ecdsa());
    if (certified.isDone() && !certified.isCompletedExceptionally()) {
      then.accept(certified.join().handler(null, hello.ecdsa(), allocator));
      return;
    }
    certified.whenCompleteAsync(
        (tls, failure) -> {
          if (failure != null) {
            notMade(failure);
          }
          then.accept(tls == null ? null : tls.handler(null, hello.ecdsa(), allocator));
        },
        clients.eventLoop());
  }

  private void notMade(Throwable why) {
    LogRateLimit limit = clients.logLimit(Event.NOT_MADE);
    if (limit.permits()) {
      LOG.error(
          "No certificate could be made for {}, {} so far: the connection is closed; next: look at"
              + " the certificate and key of the port with ssl-bump",
          server.name(),
          limit.count(),
          why);
    }
  }

  @Override
  public ClientConnection next(@Nullable String protocol) {
    return clients.protocols().named(protocol).open(clients, listening, client);
  }

  @Override
  public boolean decrypts() {
    return true;
  }

  @Override
  public void failed(TlsFailure why) {
    if (server.terms().signing() != CertificateSigning.TRUSTED) {
      return; // clients have to refuse it
    }
    switch (why) {
      case REFUSED, CERTIFICATE, GONE -> {
        int count = hosts.refuse(server.name());
        clients.counters().hostCertificateRefused();
        LogRateLimit limit = clients.logLimit(Event.REFUSED);
        if (limit.permits()) {
          LOG.info(
              "A client refused the certificate made for {}, {} times within an hour; {} so far for"
                  + " all servers (loligo_splice_after_refusals)",
              server.name(),
              count,
              limit.count());
        }
      }
      default -> {} // not about the certificate
    }
  }
}
