package io.loligo.server.upstream;

import io.loligo.core.message.Fields;
import io.loligo.server.tunnel.ByteStream;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A running fetch. Confined to the event loop it was started on. */
public interface OriginStream {
  /** Sends request content. Takes {@code content}. Only after {@code readyForContent}. */
  void content(ByteBuf content);

  /** The request's content is complete; {@code trailers} borrowed, may be null. */
  void endContent(@Nullable Fields trailers);

  /** Whether more request content may be given now. */
  boolean writable();

  /** Asks for one more read of the response's content. */
  void read();

  /** The rest is not needed: no event follows. The connection is closed unless it is complete. */
  void cancel();

  /** The bytes of both directions, after a 101 or a connected tunnel. No event follows. */
  ByteStream detach();

  /** The facts for the record so far. */
  FetchTimings timings();
}
