package io.loligo.server.exchange.fetch;

import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Stage;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.route.Router;
import java.net.InetAddress;
import java.util.List;

/**
 * The upstream side of one fetch: asks for hops, sends one request after another, and adds up their
 * bytes. Confined to the fetch's event loop.
 */
final class OriginSide implements Router.Listener, AddressCheck {
  /** The fetch that sends the requests, and hears of the answers. */
  interface Sender extends OriginEvents {
    /** The request, now that there are hops for it; null where none is wanted any more. */
    OutgoingRequest compose();
  }

  private final LoopServices services;
  private final Request request;
  private final Sender sender;
  private OriginStream stream;

  /** Whether the answer to the last request is over, and another request follows or none. */
  private boolean answerOver;

  private long bytesInBefore;
  private long bytesOutBefore;

  /** Without a request yet. {@code request} is a snapshot. */
  OriginSide(LoopServices services, Request request, Sender sender) {
    this.services = services;
    this.request = request;
    this.sender = sender;
  }

  /** Sends the request that the sender composes, once there are hops for it. */
  void ask() {
    services.router.route(request, request.head().methodId(), this);
  }

  @Override
  public void routed(List<Hop> hops) {
    OutgoingRequest outgoing = sender.compose();
    if (outgoing != null) {
      answerOver = false;
      stream = services.upstream.fetch(hops, outgoing, this, sender);
    }
  }

  @Override
  public void unroutable(FetchFailure failure) {
    sender.failed(failure);
  }

  @Override
  public String refusal(InetAddress address, int port) {
    return services.destinations.refusal(request, address, port, /* tunnel= */ false);
  }

  /** The last request's stream, or null. */
  OriginStream stream() {
    return stream;
  }

  /** The cache_peer that the last request went to, or null. */
  CachePeer peer() {
    return stream.timings().peer;
  }

  boolean isAnswerOver() {
    return answerOver;
  }

  /** Asks for one more read of the answer's content. */
  void read() {
    stream.read();
  }

  /** The raw connection, after a 101. */
  ByteStream detach() {
    return stream.detach();
  }

  /** The rest of the answer is not wanted, if there is one. */
  void cancel() {
    if (stream != null && !answerOver) {
      stream.cancel();
    }
  }

  /** The last request and its answer are not to be accounted for: another request follows. */
  void forget() {
    stream.cancel();
    stream = null;
  }

  /** Notes the bytes of the last request; {@code cancel}: its answer is not needed. */
  void endAnswer(boolean cancel) {
    if (stream == null || answerOver) {
      return;
    }
    if (cancel) {
      stream.cancel();
    }
    answerOver = true;
    bytesInBefore += stream.timings().bytesIn;
    bytesOutBefore += stream.timings().bytesOut;
  }

  /** Writes the way to the origin so far into {@code record}; false where nothing was sent. */
  boolean account(ExchangeRecord record) {
    if (stream == null) {
      return false;
    }
    FetchTimings timings = stream.timings();
    timings.describe(record);
    record.serverBytesIn = bytesInBefore + (answerOver ? 0 : timings.bytesIn);
    record.serverBytesOut = bytesOutBefore + (answerOver ? 0 : timings.bytesOut);
    record.attempts = timings.attempts;
    FetchTimings.stage(record, Stage.SERVER_FIRST_BYTE, timings.firstByteNanos);
    FetchTimings.stage(record, Stage.SERVER_LAST_BYTE, timings.lastByteNanos);
    return true;
  }
}
