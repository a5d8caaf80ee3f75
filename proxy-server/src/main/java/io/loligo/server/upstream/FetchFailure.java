package io.loligo.server.upstream;

import io.loligo.server.tls.TlsFault;
import org.jspecify.annotations.Nullable;

/**
 * The reason why no response, or no complete one, came from the next hop.
 *
 * @param kind the kind of failure
 * @param detail for the operator: address, cause
 * @param refusal of a tunnel by a parent; null with any other kind
 * @param fault of the handshake; null with any other kind
 */
public record FetchFailure(
    Kind kind, String detail, @Nullable TunnelRefusal refusal, @Nullable TlsFault fault) {
  /** Kinds, with the status of the response to the client and Squid's error name. */
  public enum Kind {
    NO_ROUTE(503, "ERR_CANNOT_FORWARD"),
    DNS_FAILED(503, "ERR_DNS_FAIL"),
    /** The rules refuse every resolved address. */
    ADDRESS_DENIED(403, "ERR_ACCESS_DENIED"),
    /** The content is chunked, and the server supports HTTP/1.0 only. */
    LENGTH_REQUIRED(411, "ERR_INVALID_REQ"),
    /** The head is larger than the server's SETTINGS_MAX_HEADER_LIST_SIZE: it was not sent. */
    REQUEST_HEAD_TOO_LARGE(431, "ERR_TOO_BIG"),
    /** This proxy has no credentials for the parent: no Kerberos token. */
    LOGIN_FAILED(502, "ERR_CANNOT_FORWARD"),
    CONNECT_FAILED(503, "ERR_CONNECT_FAIL"),
    CONNECT_TIMEOUT(504, "ERR_CONNECT_FAIL"),
    /** The handshake of TLS failed, or the server's certificate is not trusted. */
    SECURE_CONNECT_FAILED(503, "ERR_SECURE_CONNECT_FAIL"),
    /** The handshake of TLS did not end in time. */
    SECURE_CONNECT_TIMEOUT(504, "ERR_SECURE_CONNECT_FAIL"),
    /** The connection was closed before the first byte of a response. */
    NO_ANSWER(502, "ERR_ZERO_SIZE_OBJECT"),
    /** The other end says that it has not looked at the request, so it may be sent again. */
    NOT_PROCESSED(502, "ERR_ZERO_SIZE_OBJECT"),
    /** The same, and that it wants the request over HTTP/1.1. */
    HTTP_1_REQUIRED(502, "ERR_ZERO_SIZE_OBJECT"),
    READ_TIMEOUT(504, "ERR_READ_TIMEOUT"),
    WRITE_FAILED(502, "ERR_WRITE_ERROR"),
    INVALID_RESPONSE(502, "ERR_INVALID_RESP"),
    /** A parent answered CONNECT with a status other than 2xx. */
    TUNNEL_REFUSED(502, "ERR_RELAY_REMOTE"),
    HEAD_TOO_LARGE(502, "ERR_TOO_BIG"),
    /** The response ended before its content was complete. */
    TRUNCATED(502, "ERR_READ_ERROR"),
    /** This proxy has no memory left, regardless of the next hop's response. */
    NO_MEMORY(503, "ERR_OVERLOADED"),
    /** A service that adapts responses failed. */
    ADAPTATION_FAILED(500, "ERR_ICAP_FAILURE"),
    /** The hook of the application that changes requests failed. */
    HOOK_FAILED(500, "ERR_INTERNAL"),
    /** The node of the cluster gave no sign of life in time. */
    NOT_ACKNOWLEDGED(503, "ERR_CANNOT_FORWARD"),
    /** Nodes of the cluster failed, and too many such requests go to origins already. */
    NO_FALL_BACK(503, "ERR_CANNOT_FORWARD"),
    /** It has its maximum of connections. */
    OVERLOADED(503, "ERR_OVERLOADED");

    private final int status;
    private final String errorCode;

    Kind(int status, String errorCode) {
      this.status = status;
      this.errorCode = errorCode;
    }

    public int status() {
      return status;
    }

    public String errorCode() {
      return errorCode;
    }
  }

  /** A failure of any kind but {@link Kind#TUNNEL_REFUSED} and those of a handshake. */
  public FetchFailure(Kind kind, String detail) {
    this(kind, detail, null, null);
  }

  /** The status that the client gets. */
  public int status() {
    return refusal == null ? kind.status() : refusal.status();
  }

  /** {@link #detail}: logs and {@code %err_detail} show it. */
  @Override
  public String toString() {
    return detail;
  }
}
