package io.loligo.server.exchange.fetch;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.store.memory.Entry;
import org.jspecify.annotations.Nullable;

/**
 * The exchange that began a fetch. It supplies the request's content and the stored response that
 * the fetch may confirm. Called on the event loop of the fetch.
 */
public interface FetchClient {
  /** The origin accepts the first request content. */
  void readyForContent();

  /** The origin accepts request content again. */
  void originWritable();

  /** The fetch sends its request once more, with its content from the start. */
  void rewindContent();

  /** Forwards a 1xx response. Borrows {@code reply}. */
  void interim(ResponseHead reply);

  /**
   * The stored response that cannot be used without validation, borrowed; null if there is none.
   */
  @Nullable Entry stored();

  /**
   * The stored response that has no validator, so that the fetch requests it as if it were not
   * stored. Borrowed; null if there is none, or if the new response does not apply to it.
   */
  @Nullable Entry fetchedAnew();

  /**
   * Whether the stale response may be sent if the origin fails. RFC 9111 section 4.3.3 permits
   * treating a 5xx as if the origin had not responded.
   */
  boolean mayServeStale();

  /**
   * The origin confirmed the stored response. Takes {@code entry}, the response with its updated
   * fields.
   *
   * @param lines field lines of the 304 that only this client gets
   */
  void confirmed(Entry entry, FieldLines lines);

  /**
   * The origin switched protocols with {@code reply}, borrowed. Raw bytes follow. Takes {@code
   * origin}.
   */
  void upgraded(ResponseHead reply, ByteStream origin);

  /**
   * A response could not be shared. This does not apply to other responses if it is a transient
   * error, or if something in this particular request may be the cause.
   *
   * @param status the status of the response
   * @param asked the head of the request that it answers
   */
  void noteUnshared(int status, RequestHead asked);

  /** The response is sent before the disks have confirmed the invalidation that it causes. */
  void noteUnconfirmed();

  /** Whether the client left after it had received all that it wanted. */
  boolean isServed();
}
