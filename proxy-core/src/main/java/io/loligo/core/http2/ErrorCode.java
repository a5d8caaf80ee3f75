package io.loligo.core.http2;

/** Error codes (RFC 9113 section 7), in the order of their numbers. */
public enum ErrorCode {
  NO_ERROR,
  PROTOCOL_ERROR,
  INTERNAL_ERROR,
  FLOW_CONTROL_ERROR,
  SETTINGS_TIMEOUT,
  STREAM_CLOSED,
  FRAME_SIZE_ERROR,
  REFUSED_STREAM,
  CANCEL,
  COMPRESSION_ERROR,
  CONNECT_ERROR,
  ENHANCE_YOUR_CALM,
  INADEQUATE_SECURITY,
  HTTP_1_1_REQUIRED;

  private static final ErrorCode[] ALL = values();

  /** The number on the wire. */
  public int number() {
    return ordinal();
  }

  /** The code of {@code number}; an unknown one counts as {@link #INTERNAL_ERROR}. */
  public static ErrorCode of(int number) {
    return number >= 0 && number < ALL.length ? ALL[number] : INTERNAL_ERROR;
  }
}
