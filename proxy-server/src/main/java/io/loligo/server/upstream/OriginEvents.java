package io.loligo.server.upstream;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The events of a fetch. They come on the event loop that it was started on, and never before
 * {@link Upstream#fetch} has returned. The last one is {@link #end} or {@link #failed}, once.
 */
public interface OriginEvents {
  /** The request's head is being sent: content may be sent (with Expect: once 100 arrived too). */
  void readyForContent();

  /** A 1xx response other than 100 and 101. Borrows {@code head}. */
  void interim(ResponseHead head);

  /**
   * The final response's head, or 101. Borrows {@code head}. Content follows on request by {@link
   * OriginStream#read}.
   *
   * @param head null: a tunnel was opened
   * @param contentLength bytes of its content, see {@link ContentLength}
   */
  void head(@Nullable ResponseHead head, long contentLength);

  /** Content, transfer coding removed. Takes {@code content}. */
  void content(ByteBuf content);

  /** One read's worth of content was delivered; ask again with {@link OriginStream#read}. */
  void readComplete();

  /** The response is complete; {@code trailers} borrowed, null or empty if there were none. */
  void end(@Nullable Fields trailers);

  /** The connection takes request content again. */
  void writable();

  /**
   * Whether the rest of the response, which has begun, would be requested anew if it broke off now.
   */
  default boolean canContinue() {
    return false;
  }

  /** Nothing more comes. */
  void failed(FetchFailure failure);
}
