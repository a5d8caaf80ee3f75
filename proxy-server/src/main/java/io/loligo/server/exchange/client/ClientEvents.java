package io.loligo.server.exchange.client;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.netty.buffer.ByteBuf;

/** What a client does while its exchange runs. Called on the client's event loop. */
public interface ClientEvents {
  /** Content asked for by {@link ClientStream#readContent}. Takes {@code content}. */
  void content(ByteBuf content);

  /** The request's content is complete; {@code trailers} borrowed, may be null. */
  void contentEnd(Fields trailers);

  /**
   * The request's content is malformed: nothing more of it comes, the connection will be closed.
   */
  void contentFailed(ParseFailure failure);

  /** The stream takes content again. */
  void writable();

  /** The client is gone before its answer was complete; the stream is not to be used any more. */
  void gone();
}
