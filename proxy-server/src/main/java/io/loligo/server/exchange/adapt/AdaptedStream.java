package io.loligo.server.exchange.adapt;

import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.ForwardingStream;
import io.loligo.server.exchange.client.OutgoingHead;

/**
 * A client's stream whose request content comes from the last of the services that adapt it.
 * Confined to the client's event loop.
 */
final class AdaptedStream extends ForwardingStream {
  private final Runnable read;
  private boolean headSent;

  /**
   * Before {@code client}.
   *
   * @param read requests one more read of the adapted content
   */
  AdaptedStream(ClientStream client, Runnable read) {
    super(client);
    this.read = read;
  }

  /** Whether the response has begun. */
  boolean isHeadSent() {
    return headSent;
  }

  @Override
  public void readContent() {
    read.run();
  }

  @Override
  public boolean rewindContent() {
    return false;
  }

  @Override
  public void head(OutgoingHead head) {
    headSent = true;
    super.head(head);
  }
}
