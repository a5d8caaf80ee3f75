package io.loligo.server.accesslog;

/** A logformat with an invalid code; the message names the code and its position. */
public final class LogFormatException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String code;
  private final int position;

  LogFormatException(String problem, String code, int position) {
    super(problem + " (at position " + position + ")");
    this.code = code;
    this.position = position;
  }

  /** The offending code, percent sign included. */
  public String code() {
    return code;
  }

  /** Position of its percent sign in the format, counted from 1. */
  public int position() {
    return position;
  }
}
