package io.loligo.core.message;

/**
 * Why a message was refused, or its error: a value, not an exception, because bad input from a peer
 * is not exceptional. Constants contain no request data, so {@link #text} may be shown to the peer.
 */
public enum ParseFailure {
  BAD_REQUEST_LINE(400, "malformed request line"),
  BAD_METHOD(400, "method is not a token"),
  BAD_TARGET(400, "request-target holds a forbidden byte"),
  TARGET_TOO_LONG(414, "request-target exceeds the limit"),
  UNSUPPORTED_VERSION(505, "HTTP version is not 1.0 or 1.1"),
  BAD_STATUS_LINE(502, "malformed status line"),
  BAD_FIELD_NAME(400, "field name is not a token, or white space stands before the colon"),
  BAD_FIELD_VALUE(400, "field value holds a forbidden byte"),
  OBSOLETE_FOLDING(400, "field line is folded"),
  BARE_CR(400, "carriage return without line feed"),
  BARE_LF(400, "line feed without carriage return"),
  HEAD_TOO_LARGE(431, "head exceeds the limit"),
  TOO_MANY_FIELDS(431, "more field lines than the limit"),
  BAD_CONTENT_LENGTH(400, "Content-Length is not one decimal number"),
  CONFLICTING_CONTENT_LENGTH(400, "Content-Length values differ"),
  CONTENT_LENGTH_WITH_TRANSFER_ENCODING(400, "Content-Length beside Transfer-Encoding"),
  BAD_TRANSFER_ENCODING(400, "Transfer-Encoding is not exactly chunked"),
  UNSUPPORTED_TRANSFER_ENCODING(501, "transfer coding is not supported"),
  TRANSFER_ENCODING_IN_HTTP10(400, "Transfer-Encoding in an HTTP/1.0 message"),
  MISSING_HOST(400, "HTTP/1.1 request without Host"),
  BAD_HOST(400, "Host is repeated or invalid"),
  BAD_CHUNK_SIZE(400, "malformed chunk size"),
  BAD_CHUNK_EXTENSION(400, "malformed chunk extension"),
  CHUNK_EXTENSION_TOO_LARGE(400, "chunk extensions exceed the limit"),
  BAD_CHUNK_END(400, "chunk data is not followed by CRLF"),
  BAD_TRAILER(400, "malformed trailer section"),
  TRAILER_TOO_LARGE(431, "trailer section exceeds the limit"),
  CONTENT_OF_CONNECT(400, "CONNECT with content"),
  CONTENT_OF_TRACE(400, "TRACE with content"),
  BAD_PSEUDO_FIELD(400, "pseudo-header field is missing, unknown, repeated or late"),
  UNSUPPORTED_PROTOCOL(501, "the :protocol of an extended CONNECT is not supported"),
  FIELD_OF_CONNECTION(400, "field of a connection in an HTTP/2 message"),
  CONTENT_LENGTH_OF_DATA(400, "Content-Length differs from the length of the DATA frames"),
  BAD_FRAME(502, "frame that the rules of HTTP/2 forbid"),
  BAD_FIELD_BLOCK(502, "malformed field block"),
  TOO_MANY_FRAMES(502, "more frames without content than the limit"),
  TOO_MANY_INTERIM(502, "more interim responses than the limit"),
  UNASKED_SWITCH(502, "101 without a request to upgrade"),
  TRUNCATED(502, "closed before the end of the message"),
  TOO_SLOW(408, "the message arrives too slowly"),
  SURPLUS(502, "bytes that belong to no response");

  private final int status;
  private final String text;

  ParseFailure(int status, String text) {
    this.status = status;
    this.text = text;
  }

  /** The status of the response to a client; a failure in an origin's response always gives 502. */
  public int status() {
    return status;
  }

  public String text() {
    return text;
  }
}
