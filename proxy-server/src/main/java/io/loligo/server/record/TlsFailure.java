package io.loligo.server.record;

import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** Why a client's connection ended within its TLS handshake, or because of a broken record. */
public enum TlsFailure {
  /** The client speaks no TLS. */
  PLAINTEXT("the client speaks no TLS"),
  /** Bytes that are no TLS, or a broken record. */
  MALFORMED("malformed TLS"),
  /** A first message above the limit. */
  OVERSIZED("the first message is too large"),
  /** A server name with forbidden characters. */
  SERVER_NAME("the server name has forbidden characters"),
  /** No version of TLS in common. */
  VERSION("the client has no version of TLS in common"),
  /** No cipher suite in common. */
  CIPHER("the client has no cipher suite in common"),
  /** The client's certificate is missing, or not trusted. */
  CERTIFICATE("the client's certificate is missing or not trusted"),
  /** The client refused, as a rule because it does not trust the certificate. */
  REFUSED("the client refused the certificate or the parameters"),
  /** The client asked for another handshake on the same connection. */
  RENEGOTIATION("the client asked for another handshake"),
  /** The handshake took too long. */
  TIMEOUT("the handshake took too long"),
  /** The client left. */
  GONE("the client left within the handshake"),
  /** Anything else. */
  OTHER("the handshake failed");

  private final String text;

  TlsFailure(String text) {
    this.text = text;
  }

  /** For the operator. */
  public String text() {
    return text;
  }

  /** The kind of failure that {@code cause}, an exception of the provider, is. */
  public static TlsFailure of(Throwable cause) {
    if (cause instanceof NotSslRecordException) {
      return MALFORMED;
    }
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof CertificateException) {
        return CERTIFICATE;
      }
      if (at instanceof IOException && !(at instanceof SSLException)) {
        return GONE; // of the socket, such as a reset
      }
    }
    String text = String.valueOf(cause.getMessage()).toUpperCase(Locale.ROOT).replace('_', ' ');
    if (text.contains("RENEGOTIATION")) {
      return RENEGOTIATION;
    }
    // OpenSSL sends the alert in clear text, although the handshake is encrypted by then
    if (text.contains("ALERT") || text.contains("BAD PACKET LENGTH")) {
      return REFUSED;
    } else if (text.contains("CERTIFICATE")) {
      return CERTIFICATE;
    } else if (text.contains("FALLBACK")) {
      return VERSION;
    } else if (text.contains("PROTOCOL") && !text.contains("CLOSED")) {
      return VERSION;
    } else if (text.contains("CIPHER")) {
      return CIPHER;
    } else if (text.contains("CLOSED")) {
      return GONE;
    }
    boolean malformed =
        text.contains("RECORD")
            || text.contains("DECODE")
            || text.contains("DECRYPT")
            || text.contains("PARSE")
            || text.contains("UNEXPECTED");
    return malformed ? MALFORMED : OTHER;
  }
}
