package io.loligo.server.accesslog;

import java.io.IOException;

/** Where lines of a log go. Confined to the log writer's thread. */
interface LogOutput {
  /** Borrows a line in two parts, its end included; may hold it back until {@link #flush}. */
  void line(byte[] bytes, int start, int length, int secondStart, int secondLength)
      throws IOException;

  /** Hands over what was held back. */
  void flush() throws IOException;

  /** Opens its place anew, after keeping {@code generations} old ones by number; 0 keeps none. */
  void reopen(int generations) throws IOException;

  /** Lines that were given and could not be written. */
  long lostLines();

  /** Hands over everything, makes it durable and lets go. */
  void close() throws IOException;
}
