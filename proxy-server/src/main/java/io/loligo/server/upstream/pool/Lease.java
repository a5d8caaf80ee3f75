package io.loligo.server.upstream.pool;

import io.loligo.core.message.Fields;
import io.loligo.server.record.HopTls;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The right to one request on a connection, or to the connection itself. Confined to the
 * connection's event loop.
 *
 * <p>The first call is {@link #send}, {@link #tunnel} or {@link #raw}; the lease is over with the
 * last event, {@link #cancel} or {@link #detach}. An HTTP/1 connection is its own only lease. A
 * multiplexed connection gives out a lease for each stream, and has no {@link #raw}.
 */
public interface Lease {
  /** The endpoint of the connection. */
  Endpoint endpoint();

  /** The proxy's end of the connection, or null. */
  @Nullable InetSocketAddress localAddress();

  /** TLS on the connection; null: clear text. */
  @Nullable HopTls secured();

  /**
   * Whether the other end may say that it has not looked at a request. HTTP/1 has no words for it.
   */
  boolean mayBeRefused();

  /** Sends a request's head in {@code form}; events follow, some before this returns. */
  void send(
      OutgoingRequest outgoing, RequestForm form, FetchTimings record, ResponseEvents listener);

  /** Asks the proxy at the other end for a tunnel. */
  void tunnel(OutgoingConnect to, RequestForm form, FetchTimings record, ResponseEvents listener);

  /** The connection will be used without HTTP: {@link #detach} is next. */
  void raw();

  /** The connection was made to look at its TLS only: it is kept for others. Ends the lease. */
  void keep();

  /** Sends request content. Takes {@code content}. Dropped if the response made it useless. */
  void content(ByteBuf content);

  /** The request's content is complete; {@code trailers} borrowed, may be null. */
  void endContent(@Nullable Fields trailers);

  /** Whether more request content may be given now. */
  boolean writable();

  /** Asks for one more read of the response's content. */
  void read();

  /** The rest is not needed: no event follows. */
  void cancel();

  /** The same, and the connection takes no further request: its other end is silent. */
  default void giveUp() {
    cancel();
  }

  /** The raw connection; no event follows. Only after {@link #raw}, a 101 or an open tunnel. */
  ByteStream detach();
}
