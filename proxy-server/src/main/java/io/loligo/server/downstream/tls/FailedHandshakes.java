package io.loligo.server.downstream.tls;

import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.LoopState;
import io.loligo.server.record.TlsFailure;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the failed handshakes of one event loop, and tells the operator of each kind now and then.
 * Confined to that loop.
 */
final class FailedHandshakes implements LoopState {
  /** Time between two log lines about one kind. */
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(FailedHandshakes.class);

  private final ClientConnections clients;
  private final long[] counts = new long[TlsFailure.values().length];
  private final long[] toldNanos = new long[TlsFailure.values().length];

  private FailedHandshakes(ClientConnections clients) {
    this.clients = clients;
  }

  /** Those of the loop of {@code clients}. */
  static FailedHandshakes of(ClientConnections clients) {
    return clients.shared(FailedHandshakes.class, () -> new FailedHandshakes(clients));
  }

  @Override
  public void use(ClientSettings settings) {
    // none of them concerns it
  }

  /**
   * A handshake has failed.
   *
   * @param port for the operator
   * @param detail of the provider; null: none
   */
  void failed(TlsFailure why, InetSocketAddress client, String port, @Nullable Throwable detail) {
    clients.counters().tlsFailed(why);
    int kind = why.ordinal();
    counts[kind]++;
    if (counts[kind] == 1 || clients.time().since(toldNanos[kind]) > TELL_NANOS) {
      toldNanos[kind] = clients.time().nanos();
      LOG.warn(
          "TLS on port {}: {}: connection of {} closed, {} so far{}",
          port,
          why.text(),
          NetUtil.toSocketAddressString(client),
          counts[kind],
          detail == null ? "" : ": " + detail.getMessage());
    }
  }

  /** The kind of failure that {@code cause} is. */
  static TlsFailure kind(Throwable cause) {
    if (cause instanceof NotSslRecordException) {
      return TlsFailure.MALFORMED;
    }
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof CertificateException) {
        return TlsFailure.CERTIFICATE;
      }
    }
    String text = String.valueOf(cause.getMessage()).toUpperCase(Locale.ROOT).replace('_', ' ');
    // OpenSSL sends the alert in clear text, although the handshake is encrypted by then
    if (text.contains("ALERT") || text.contains("BAD PACKET LENGTH")) {
      return TlsFailure.REFUSED;
    } else if (text.contains("CERTIFICATE")) {
      return TlsFailure.CERTIFICATE;
    } else if (text.contains("PROTOCOL") && !text.contains("CLOSED")) {
      return TlsFailure.VERSION;
    } else if (text.contains("CIPHER")) {
      return TlsFailure.CIPHER;
    } else if (text.contains("CLOSED")) {
      return TlsFailure.GONE;
    }
    boolean malformed =
        text.contains("RECORD")
            || text.contains("DECODE")
            || text.contains("PARSE")
            || text.contains("UNEXPECTED");
    return malformed ? TlsFailure.MALFORMED : TlsFailure.OTHER;
  }
}
