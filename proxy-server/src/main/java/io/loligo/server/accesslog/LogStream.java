package io.loligo.server.accesslog;

import java.io.IOException;

/** An open way to a receiver of lines. Used by one thread, except for {@link #cut}. */
interface LogStream {
  /** Opens streams. Used by one thread. */
  interface Opener {
    /** Opens one; may block for some seconds. */
    LogStream open() throws IOException;

    /** The bytes before each line. */
    byte[] prefix();

    /** The command that makes the receiver open its file again; empty: none. */
    byte[] reopening(boolean rotates);

    /** The command after which the receiver writes everything; empty: none. */
    byte[] flushing();
  }

  /** Writes {@code bytes}, borrowed; blocks as long as the receiver takes none. */
  void write(byte[] bytes) throws IOException;

  /** Ends the stream in order, after all bytes; waits some seconds at most. */
  void finish();

  /** Ends it at once, also a {@link #write} that blocks. Any thread. */
  void cut();
}
