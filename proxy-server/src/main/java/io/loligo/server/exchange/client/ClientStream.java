package io.loligo.server.exchange.client;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.Notes;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.login.ConnectionLogin;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.shaping.Limit;
import io.loligo.server.transport.SocketEnds;
import io.loligo.server.tunnel.ByteStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of one exchange, in any HTTP version. The exchange writes its response here and
 * receives events through {@link ClientEvents}. Confined to {@link #loop()}.
 *
 * <p>Order: {@link #interim} any number of times, {@link #head} once, then {@link #content} and one
 * of {@link #end}, {@link #abort} or {@link #detach}. The stream completes the record and hands it
 * over exactly once: after the last byte was written, or after the connection broke. By then the
 * exchange has filled its part of {@link #record()}.
 */
public interface ClientStream {
  /** The event loop of the client's connection. All calls and events happen on it. */
  EventLoop loop();

  /** The allocator of the client's connection. */
  ByteBufAllocator allocator();

  /** The port on which the request arrived. */
  HttpPort port();

  /**
   * The server that the client means by its connection; null: the connection is neither intercepted
   * nor decrypted.
   */
  @Nullable Destination destination();

  /**
   * The login of the client's connection; null: it carries several requests at a time, so it can
   * have none.
   */
  default @Nullable ConnectionLogin login() {
    return null;
  }

  /** The record of this exchange. */
  ExchangeRecord record();

  /** The request begins or joins a fetch. Again if it does so again. */
  void forwarded();

  /** The number of open connections from this client's address, including this one. */
  int clientConnections();

  /** The number of open connections from {@code address}, 4 or 16 bytes. */
  int clientConnections(byte[] address);

  /**
   * Sets the TOS byte of packets to the client, 0 to 255. It holds for the whole connection. Does
   * nothing where the system or the transport cannot.
   */
  default void trafficClass(int value) {}

  /**
   * Sets netfilter's mark of packets to the client; 0: none. It holds for the whole connection.
   * Does nothing where the transport cannot.
   */
  default void packetMark(int mark) {}

  /** Netfilter's mark of the client's connection, as {@link AclInput#connectionMark()}. */
  default long connectionMark() {
    return 0;
  }

  /** Sets {@link #connectionMark()}. */
  default void connectionMark(long mark) {}

  /**
   * The two ends of the client's connection as the system has them; null: it has none of its own.
   */
  default @Nullable SocketEnds socketEnds() {
    return null;
  }

  /** The notes of the client's connection; null: it keeps none. */
  default @Nullable Notes connectionNotes() {
    return null;
  }

  /** Replaces {@link #connectionNotes()}. */
  default void connectionNotes(Notes replaced) {}

  /**
   * Forwards a 1xx response. Does nothing for an HTTP/1.0 client. Borrows {@code head}.
   *
   * @param own field lines of the proxy, borrowed
   */
  void interim(ResponseHead head, FieldLines own);

  /**
   * Tells a client that is another node of the cluster that the request has arrived, by the interim
   * response 102, once. Does nothing once the final head is sent.
   */
  default void acknowledge() {}

  /** Sends 100 (Continue) if the client waits for it and has not sent content yet. */
  void sendContinue();

  /** Closes the connection after this response. Call before {@link #head}. */
  void closeAfter();

  /**
   * Sends the final head and any content in the same block. The stream adds Connection, framing and
   * the other lines of the connection; {@code head} contains no hop-by-hop field. {@code head} is
   * borrowed: the stream reads all of it before it calls anything else.
   */
  void head(OutgoingHead head);

  /** Sends response content. Takes {@code content}. Not for responses to HEAD. */
  void content(ByteBuf content);

  /** Completes the response; {@code trailers} borrowed, may be null. */
  void end(@Nullable Fields trailers);

  /** Passes the bytes written so far to the socket. */
  void flush();

  /** Whether the stream accepts more content now. If not, {@link ClientEvents#writable} follows. */
  boolean writable();

  /**
   * Bytes of stored content in memory that may be written at once, although {@link #writable} is
   * false. The stored response holds them anyway until the client has received them. Larger writes
   * delay the other clients of the loop.
   */
  default int gatheredBytes() {
    return 512 << 10;
  }

  /** Requests more of the request's content: one {@link ClientEvents#content}, or its end. */
  void readContent();

  /** Whether bytes of the request's content were not read, or that is unknown. */
  default boolean contentMissing() {
    return true;
  }

  /**
   * Rewinds the request's content if the stream holds all of it, and returns whether it did. The
   * next {@link #readContent} then delivers the first byte again.
   */
  default boolean rewindContent() {
    return false;
  }

  /**
   * Whether the client has received all that it wants of the response. The rest of a slice is then
   * worth fetching.
   */
  default boolean isServed() {
    return false;
  }

  /**
   * Reports that the exchange failed with {@code cause} outside a call from this stream, or ran out
   * of memory. The client gets 500 or 503 if the response has not begun; otherwise the response is
   * cut. The exchange then receives {@link ClientEvents#gone}.
   */
  void failed(Throwable cause);

  /**
   * Cuts the response. The connection closes in a way that no client takes the response for
   * complete.
   *
   * @param why the reason, for the operator
   */
  void abort(String why);

  /** The limit of what is sent to the client, chosen with the final head; null: none. */
  default @Nullable Limit limit() {
    return null;
  }

  /**
   * Hands over the raw bytes of both directions after a 200 to CONNECT or a 101. Returns owned;
   * null if there was no memory to write that response. This stream then reads and writes nothing
   * more, but it still owns the record: see {@link #tunnelEnded}.
   */
  @Nullable ByteStream detach();

  /**
   * Whether the CONNECT is the proxy's own: the client has begun TLS with the server that it means,
   * and was intercepted. An error response then only closes the connection.
   */
  default boolean impliesConnect() {
    return false;
  }

  /**
   * Decrypts what {@link #detach} returned; null if that is not possible: the port has no authority
   * for certificates.
   */
  default @Nullable Decryption decryption() {
    return null;
  }

  /**
   * The connection is one end of a tunnel from now on.
   *
   * @param end ends the whole tunnel at once; called on {@link #loop()} instead of closing the
   *     connection
   */
  void tunnelBegun(Runnable end);

  /**
   * The tunnel has ended. Completes the record with the number of bytes moved in each direction.
   */
  void tunnelEnded(long bytesFromClient, long bytesToClient);
}
