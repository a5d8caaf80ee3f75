package io.loligo.server.upstream.connect;

import io.loligo.server.jfr.FlightEvents;
import io.loligo.server.jfr.TlsHandshakeEvent;
import io.loligo.server.jfr.TlsHandshakeEvent.Side;
import io.loligo.server.record.HopTls;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.tls.HandshakeFailure;
import io.loligo.server.upstream.tls.OfferedContexts;
import io.loligo.server.upstream.tls.OriginContext;
import io.loligo.server.upstream.tls.Tolerance;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of TLS on a new connection. Closing the channel ends it. Confined to the event
 * loop.
 */
public final class Handshake implements Tolerance {
  /** Told the result: one call, perhaps before {@link #begin} returns. */
  public interface Outcome {
    /** The connection is secure. */
    void secure(HopTls facts);

    /** It is not, and has to be closed. */
    void failed(HandshakeFailure failure);
  }

  private final Channel channel;
  private final Endpoint endpoint;
  private final OriginContext context;
  private final Tolerance rules;
  private final Outcome outcome;
  private final List<TlsFault> tolerated = new ArrayList<>(2);
  private boolean once;

  /**
   * A handshake with {@code endpoint} on {@code channel}, which is open.
   *
   * @param rules of the request, asked about faults that the options do not tolerate
   */
  public Handshake(Channel channel, Endpoint endpoint, Tolerance rules, Outcome outcome) {
    this.channel = channel;
    this.endpoint = endpoint;
    OriginContext secure = endpoint.security().context();
    assert secure != null : "clear text";
    this.context = secure;
    this.rules = rules;
    this.outcome = outcome;
  }

  /** Begins, perhaps after files were read. */
  public void begin() {
    CompletableFuture<OfferedContexts> ready = context.ready();
    if (ready.isDone() && !ready.isCompletedExceptionally()) {
      begin(ready.join());
      return;
    }
    ready.whenCompleteAsync(
        (loaded, failure) -> {
          if (loaded == null) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            String why = String.valueOf(cause.getMessage());
            outcome.failed(new HandshakeFailure(TlsFault.FILES, why));
          } else {
            begin(loaded);
          }
        },
        channel.eventLoop());
  }

  private void begin(OfferedContexts loaded) {
    if (!channel.isActive()) {
      outcome.failed(new HandshakeFailure(TlsFault.CLOSED, "closed before the handshake"));
      return;
    }
    String serverName = endpoint.security().serverName();
    assert serverName != null : "clear text";
    SslHandler handler;
    try {
      SslContext offering = loaded.offering(endpoint.security().protocols());
      handler = context.handler(offering, channel.alloc(), serverName, endpoint.port(), this);
    } catch (RuntimeException e) {
      outcome.failed(HandshakeFailure.of(e));
      return;
    }
    TlsHandshakeEvent event = FlightEvents.tlsHandshake();
    handler
        .handshakeFuture()
        .addListener(
            shaken -> {
              if (shaken.isSuccess()) {
                record(event, handler, null);
                outcome.secure(facts(handler.engine().getSession(), handler.applicationProtocol()));
              } else {
                HandshakeFailure failure = HandshakeFailure.of(shaken.cause());
                record(event, handler, failure);
                outcome.failed(failure);
              }
            });
    channel.pipeline().addFirst(handler);
    ChannelHandlerContext added = channel.pipeline().context(handler);
    if (added != null) {
      added.read(); // the handler itself reads only after that
    }
  }

  /** {@code failure}: null: it succeeded. {@code event}: null: nothing records it. */
  private void record(
      @Nullable TlsHandshakeEvent event, SslHandler handler, @Nullable HandshakeFailure failure) {
    if (event != null) {
      event.ended(
          Side.SERVER,
          endpoint.socketAddress(),
          endpoint.security().serverName(),
          failure == null ? handler.engine().getSession() : null,
          failure == null ? handler.applicationProtocol() : null,
          failure == null ? null : failure.text());
    }
  }

  @Override
  public boolean tolerates(TlsFault fault) {
    boolean always = context.tolerates(fault);
    if (!always && !rules.tolerates(fault)) {
      return false;
    }
    once |= !always;
    tolerated.add(fault);
    return true;
  }

  private HopTls facts(SSLSession session, @Nullable String protocol) {
    return new HopTls(
        session.getProtocol(),
        session.getCipherSuite(),
        protocol,
        certificate(session),
        List.copyOf(tolerated),
        once);
  }

  private static @Nullable X509Certificate certificate(SSLSession session) {
    try {
      Certificate[] chain = session.getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate first ? first : null;
    } catch (SSLPeerUnverifiedException e) {
      return null;
    }
  }
}
