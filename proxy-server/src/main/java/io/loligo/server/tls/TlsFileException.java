package io.loligo.server.tls;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** A file of TLS cannot be used. The message names the file and the reason. */
public final class TlsFileException extends IOException {
  private static final long serialVersionUID = 1;

  /** With a reason for the operator. */
  public TlsFileException(String file, String reason) {
    super(file + ": " + reason);
  }

  /** With the reason of {@code cause}. */
  public TlsFileException(String file, Exception cause) {
    super(file + ": " + reason(cause), cause);
  }

  private static String reason(Exception cause) {
    if (cause instanceof NoSuchFileException) {
      return "there is no such file";
    }
    if (cause instanceof AccessDeniedException) {
      return "reading it is not permitted";
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
