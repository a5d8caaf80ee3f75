package io.loligo.server.exchange.adapt;

import io.loligo.core.message.Fields;
import io.loligo.server.adapt.Original;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.ForwardingStream;
import io.loligo.server.exchange.client.OutgoingHead;
import org.jspecify.annotations.Nullable;

/**
 * A client's stream whose request content comes from the last of the services that adapt it.
 * Confined to the client's event loop.
 */
final class AdaptedStream extends ForwardingStream {
  private final Original source;
  private boolean headSent;

  /**
   * Before {@code client}.
   *
   * @param source the adapted content; cancelled when the response is complete
   */
  AdaptedStream(ClientStream client, Original source) {
    super(client);
    this.source = source;
  }

  /** Whether the response has begun. */
  boolean isHeadSent() {
    return headSent;
  }

  @Override
  public void readContent() {
    source.read();
  }

  @Override
  public boolean rewindContent() {
    return false;
  }

  @Override
  public void head(OutgoingHead head) {
    headSent = true;
    super.head(head);
    if (head.last()) {
      source.cancel();
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    super.end(trailers);
    source.cancel();
  }

  @Override
  public void failed(Throwable cause) {
    super.failed(cause);
    source.cancel();
  }

  @Override
  public void abort(String why) {
    super.abort(why);
    source.cancel();
  }
}
