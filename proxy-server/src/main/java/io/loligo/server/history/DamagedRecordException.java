package io.loligo.server.history;

import java.io.IOException;

/** Bytes that are no record of a history. */
final class DamagedRecordException extends IOException {
  private static final long serialVersionUID = 1;

  DamagedRecordException(String message) {
    super(message);
  }
}
