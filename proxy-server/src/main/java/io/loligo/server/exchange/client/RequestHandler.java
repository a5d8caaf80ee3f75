package io.loligo.server.exchange.client;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.record.Shed;

/** Answers requests. One per event loop, called on it. */
public interface RequestHandler {
  /**
   * A request's head arrived.
   *
   * @param head borrowed: valid until this returns and, unless the stream replaced it by a snapshot
   *     in the record, not longer
   * @param contentLength bytes of its content, see {@link ContentLength}
   * @return who is told of the client's further doings; null where the answer is already complete
   */
  ClientEvents request(ClientStream stream, RequestHead head, long contentLength);

  /**
   * A request that is not taken on: answer 429 or 503, with Retry-After.
   *
   * @return null: the answer is complete
   */
  ClientEvents shed(ClientStream stream, long contentLength, Shed why);

  /** What arrived is not a request we accept: answer and close. */
  void refused(ClientStream stream, ParseFailure failure);

  /** No complete head arrived in time ({@code request_timeout}): answer 408 and close. */
  void headTimedOut(ClientStream stream);
}
