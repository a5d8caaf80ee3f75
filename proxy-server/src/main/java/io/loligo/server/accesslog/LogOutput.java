package io.loligo.server.accesslog;

import java.io.IOException;

/** The destination of log lines. Confined to the log writer's thread. */
interface LogOutput {
  /** Borrows a line in two parts, its end included; may keep it until {@link #flush}. */
  void line(byte[] bytes, int start, int length, int secondStart, int secondLength)
      throws IOException;

  /** Writes the kept lines. */
  void flush() throws IOException;

  /**
   * Reopens its place.
   *
   * @param rotates whether old files are kept by number first, as many as it is made for
   */
  void reopen(boolean rotates) throws IOException;

  /** Lines that could not be written. */
  long lostLines();

  /** Writes everything, forces it to the disk and releases the place. */
  void close() throws IOException;
}
