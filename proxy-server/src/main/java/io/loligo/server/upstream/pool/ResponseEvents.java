package io.loligo.server.upstream.pool;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.upstream.FetchFailure;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The events of one lease; {@code end} or {@code failed} is the last call. The meaning of each is
 * that of {@code OriginEvents}.
 */
public interface ResponseEvents {
  /** The request's content may be sent. */
  void readyForContent();

  /** A 1xx response to be passed on. Borrows {@code head}. */
  void interim(ResponseHead head);

  /**
   * The final head, or 101. Borrows {@code head}.
   *
   * @param contentLength bytes of its content, see {@link ContentLength}
   */
  void head(ResponseHead head, long contentLength);

  /** A tunnel was opened by the parent; {@link Lease#detach} is next. */
  void tunnelOpen();

  /** Content of the response. Takes {@code content}. */
  void received(ByteBuf content);

  /** One read's worth of content was delivered. */
  void readComplete();

  /** The response is complete; {@code trailers} borrowed, may be null. */
  void end(@Nullable Fields trailers);

  /** Request content is accepted again. */
  void drained();

  /**
   * Nothing more comes.
   *
   * @param answered whether any byte of a response arrived
   */
  void failed(FetchFailure failure, boolean answered);
}
