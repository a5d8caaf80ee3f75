package io.loligo.server.exchange.client;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Events from the client while its exchange runs. Called on the client's event loop. */
public interface ClientEvents {
  /** Delivers content that {@link ClientStream#readContent} requested. Takes {@code content}. */
  void content(ByteBuf content);

  /** The content of the request is complete; {@code trailers} borrowed, may be null. */
  void contentEnd(@Nullable Fields trailers);

  /**
   * The content of the request is malformed. No more content follows, and the connection will
   * close.
   */
  void contentFailed(ParseFailure failure);

  /** The stream accepts response content again. */
  void writable();

  /** The client left before its response was complete. The stream must not be used any more. */
  void gone();
}
