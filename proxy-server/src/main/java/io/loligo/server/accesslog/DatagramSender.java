package io.loligo.server.accesslog;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Sends datagrams to one receiver without waiting. Confined to the log writer's thread. */
interface DatagramSender {
  /**
   * Sends what {@code datagram}, a direct buffer, borrowed, has left; false where the system does
   * not take it now.
   *
   * @throws IOException where it cannot be sent: nobody receives, or it is too large
   */
  boolean send(ByteBuffer datagram) throws IOException;

  /** Looks for the receiver anew. */
  void reopen() throws IOException;

  void close() throws IOException;
}
