package io.loligo.server.exchange.client;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.record.Shed;
import io.loligo.server.shaping.Limit;
import org.jspecify.annotations.Nullable;

/** Answers requests. One handler serves one event loop, which makes all calls. */
public interface RequestHandler {
  /**
   * The head of a request has arrived.
   *
   * @param head borrowed: valid until this method returns, and longer only if the stream replaced
   *     it by a snapshot in the record
   * @param contentLength bytes of the request's content, see {@link ContentLength}
   * @return the receiver of the client's further events; null if the response is already complete
   */
  @Nullable ClientEvents request(ClientStream stream, RequestHead head, long contentLength);

  /**
   * Refuses a request because of load, with 429 or 503 and Retry-After.
   *
   * @param contentLength bytes of the request's content, see {@link ContentLength}
   * @return null: the response is complete
   */
  @Nullable ClientEvents shed(ClientStream stream, long contentLength, Shed why);

  /** Refuses a message that is not an acceptable request, and closes the connection. */
  void refused(ClientStream stream, ParseFailure failure);

  /**
   * No complete head arrived within {@code request_timeout}: sends 408 and closes the connection.
   */
  void headTimedOut(ClientStream stream);

  /**
   * Applies the rules about fields to the final head of a response.
   *
   * @param head borrowed
   * @param toHead whether the response is one to HEAD
   * @return the head to send, valid until the next call: {@code head} where no rule exists; null:
   *     the hook of the application failed, and the client gets 500 instead
   */
  default @Nullable OutgoingHead ruled(ClientStream stream, OutgoingHead head, boolean toHead) {
    return head;
  }

  /**
   * The limit for sending the response with this final head, and for the tunnel that may follow;
   * null: none. Called once, after {@link #ruled}.
   *
   * @param head borrowed
   */
  default @Nullable Limit limit(ClientStream stream, OutgoingHead head, boolean toHead) {
    return null;
  }

  /** Applies the rules about fields to the lines of an interim response, in place. */
  default void ruleInterim(ClientStream stream, int status, FieldLines lines) {}

  /** The trailers of a response that the rules about fields let pass; borrows {@code trailers}. */
  default Fields ruledTrailers(ClientStream stream, Fields trailers) {
    return trailers;
  }
}
