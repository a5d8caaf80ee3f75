package io.loligo.server.upstream.tls;

import io.loligo.server.tls.TlsFault;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Why a handshake with a server failed. Immutable.
 *
 * @param text for the operator
 */
public record HandshakeFailure(TlsFault fault, String text) {
  private static final int MAX_LENGTH = 300;

  /** The reason in {@code cause}. */
  public static HandshakeFailure of(Throwable cause) {
    String text = null;
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof UntrustedCertificate untrusted) {
        return new HandshakeFailure(untrusted.fault(), visible(untrusted.getMessage()));
      }
      if (at instanceof NotSslRecordException) {
        return new HandshakeFailure(TlsFault.PLAINTEXT, "the server does not speak TLS");
      }
      if (at instanceof ClosedChannelException
          || String.valueOf(at.getMessage()).startsWith("Connection closed while SSL")) {
        return new HandshakeFailure(TlsFault.CLOSED, TlsFault.CLOSED.text());
      }
      if (at instanceof SSLException) {
        text = String.valueOf(at.getMessage());
      }
      if (text == null && at instanceof IOException) {
        return new HandshakeFailure(
            TlsFault.CLOSED, "cut within the handshake: " + at.getMessage());
      }
    }
    return new HandshakeFailure(
        TlsFault.PROTOCOL, "handshake: " + visible(text == null ? "" + cause : text));
  }

  /** The server determines parts of it. */
  private static String visible(@Nullable String text) {
    StringBuilder visible = new StringBuilder(MAX_LENGTH);
    String all = String.valueOf(text);
    for (int i = 0; i < all.length() && i < MAX_LENGTH; i++) {
      char c = all.charAt(i);
      visible.append(c >= ' ' && c != 0x7f ? c : '?');
    }
    return visible.toString();
  }
}
