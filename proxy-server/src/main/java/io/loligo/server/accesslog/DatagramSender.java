package io.loligo.server.accesslog;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Sends datagrams to one receiver without waiting. Confined to the log writer's thread. */
interface DatagramSender {
  /**
   * Sends the rest of {@code datagram}, a direct buffer, borrowed; false if the system does not
   * take it now.
   *
   * @throws IOException if it cannot be sent: there is no receiver, or it is too large
   */
  boolean send(ByteBuffer datagram) throws IOException;

  /** Looks for the receiver again. */
  void reopen() throws IOException;

  void close() throws IOException;
}
