package io.loligo.server.exchange.fetch;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.store.memory.Entry;

/**
 * The exchange that a fetch was begun for: it has the request's content, and a stored response that
 * the fetch may confirm. Called on the event loop of the fetch.
 */
public interface FetchClient {
  /** The origin takes content. */
  void readyForContent();

  /** The origin takes content again. */
  void originWritable();

  /** The request is made once more, with its content. */
  void rewindContent();

  /** Passes a 1xx answer on. Borrows {@code reply}. */
  void interim(ResponseHead reply);

  /** The stored response that could not be used as it is, borrowed, or null. */
  Entry stored();

  /**
   * The stored response that is asked for as if it were not there, as it has no validator,
   * borrowed; null where there is none, or where the new response says nothing of it.
   */
  Entry fetchedAnew();

  /**
   * Whether the stale response may stand in for a failure of the origin: RFC 9111 section 4.3.3
   * lets it act on a 5xx as if the origin had not answered at all.
   */
  boolean mayServeStale();

  /**
   * The origin confirmed the stored response: {@code entry}, taken, is it with its new fields.
   *
   * @param lines of the 304 that are for this client only
   */
  void confirmed(Entry entry, FieldLines lines);

  /** The origin switched protocols: from here on bytes only. Takes {@code origin}. */
  void upgraded(ResponseHead reply, ByteStream origin);

  /**
   * A response could not be shared. That says nothing of other responses where it is an error that
   * may pass soon, or that something in this one request may be the cause of.
   *
   * @param asked the request that it answers
   */
  void noteUnshared(int status, RequestHead asked);

  /** The answer goes on before disks have forgotten the responses that it makes invalid. */
  void noteUnforgotten();

  /** Whether the client left with all that it wanted. */
  boolean isServed();
}
