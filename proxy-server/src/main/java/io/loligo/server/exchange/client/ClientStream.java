package io.loligo.server.exchange.client;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.tunnel.ByteStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;

/**
 * The client's side of one exchange, in any HTTP version. The exchange writes its response here,
 * and gets events by {@link ClientEvents}. Confined to {@link #loop()}.
 *
 * <p>Order: {@link #interim} any number of times, {@link #head} once, then {@link #content} and one
 * of {@link #end}, {@link #abort} or {@link #detach}. The stream completes the record and hands it
 * over exactly once: when the last byte was written, or the connection broke. The exchange has
 * filled its part of {@link #record()} by then.
 */
public interface ClientStream {
  EventLoop loop();

  ByteBufAllocator allocator();

  /** The port the request came in by. */
  HttpPort port();

  /** The record of this exchange. */
  ExchangeRecord record();

  /** Open connections from this client's address, this one included. */
  int clientConnections();

  /** Passes a 1xx response on (not to an HTTP/1.0 client). Borrows {@code head}. */
  void interim(ResponseHead head, FieldLines own);

  /** Sends 100 (Continue) if the client waits for it and has not sent content yet. */
  void sendContinue();

  /** The connection ends after this response. Before {@link #head}. */
  void closeAfter();

  /**
   * Sends the final head, and content that stands in the same block. The stream adds Connection,
   * framing and the other lines that belong to the connection; {@code head} has no hop-by-hop
   * field. The stream reads all of {@code head}, borrowed, before it calls anything else.
   */
  void head(OutgoingHead head);

  /** Sends content. Takes {@code content}. Not for responses to HEAD. */
  void content(ByteBuf content);

  /** The response is complete; {@code trailers} may be null, borrowed. */
  void end(Fields trailers);

  /** Hands the bytes sent so far to the socket. */
  void flush();

  /** Whether more content may be given now; if not, {@link ClientEvents#writable} will tell. */
  boolean writable();

  /** Asks for more of the request's content: one {@link ClientEvents#content} or its end. */
  void readContent();

  /**
   * Starts again with the request's content, and returns true, where all of it is at hand. The next
   * {@link #readContent} then brings its first byte.
   */
  default boolean rewindContent() {
    return false;
  }

  /**
   * Whether the client has all that it wanted of the response. The rest of a slice is then worth
   * fetching.
   */
  default boolean isServed() {
    return false;
  }

  /**
   * The exchange failed with {@code cause} outside of a call from here, or had no memory. The
   * client gets 500 or 503 where the response has not begun; else the response is cut. The exchange
   * is told that the client is gone.
   */
  void failed(Throwable cause);

  /** Cuts the response: the connection is closed so that no client takes it for complete. */
  void abort(String why);

  /**
   * Gives the bytes of both directions away after a 200 to CONNECT or a 101. This stream reads and
   * writes nothing more, but still owns the record: see {@link #tunnelEnded}. Null where there was
   * no memory to write that response.
   */
  ByteStream detach();

  /**
   * The bytes are one end of a tunnel.
   *
   * @param end ends all of it at once, on {@link #loop()}: whoever would close the connection does
   *     that in its place
   */
  void tunnelBegun(Runnable end);

  /** The tunnel is over: finishes the record with these bytes moved. */
  void tunnelEnded(long bytesFromClient, long bytesToClient);
}
