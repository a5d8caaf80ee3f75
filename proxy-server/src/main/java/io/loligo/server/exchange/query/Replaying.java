package io.loligo.server.exchange.query;

import io.loligo.core.message.Fields;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.ForwardingStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.tunnel.ByteStream;
import org.jspecify.annotations.Nullable;

/**
 * A client's stream whose request content comes from a {@link QueryContent}, which was read before.
 * The content is released when the response is complete. Confined to the client's event loop.
 */
final class Replaying extends ForwardingStream {
  private final QueryContent content;

  Replaying(ClientStream stream, QueryContent content) {
    super(stream);
    this.content = content;
  }

  @Override
  public void readContent() {
    content.next();
  }

  @Override
  public boolean rewindContent() {
    return content.rewind();
  }

  @Override
  public void head(OutgoingHead head) {
    boolean last = head.last();
    super.head(head);
    if (last) {
      content.release();
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    super.end(trailers);
    content.release();
  }

  @Override
  public void failed(Throwable cause) {
    super.failed(cause);
    content.release();
  }

  @Override
  public void abort(String why) {
    super.abort(why);
    content.release();
  }

  @Override
  public @Nullable ByteStream detach() {
    content.release();
    return super.detach();
  }
}
