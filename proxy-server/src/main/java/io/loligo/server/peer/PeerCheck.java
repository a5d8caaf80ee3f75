package io.loligo.server.peer;

import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.HealthCheck;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.route.CachePeers;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks one parent for a response again and again, and tells its health the results. Confined to an
 * event loop.
 *
 * <pre>
 * waiting  the timeout is armed for the interval
 * asking   a request is on its way; the timeout is armed for its time
 * closed   neither
 * </pre>
 *
 * <p>The request goes the way of all requests to the parent, with its TLS, its fixed login and its
 * limits, and may use a kept connection. If the proxy itself lacks connections or memory, the check
 * says nothing about the parent.
 */
final class PeerCheck extends LoopTimer.Timeout implements OriginEvents {
  /** The share of the interval by which it varies. */
  private static final double JITTER = 0.2;

  private final CachePeer peer;
  private final HealthCheck check;
  private final OwnWay way;
  private final List<Hop> hops;
  private final OutgoingRequest request;
  private @Nullable OriginStream stream;
  private int bytes;

  /** A check of {@code line}, which has one, that has not begun. */
  PeerCheck(Peer line, OwnWay way) {
    HealthCheck wanted = line.check();
    if (wanted == null) {
      throw new IllegalArgumentException(line + " (expected: one with checks)");
    }
    this.check = wanted;
    this.way = way;
    this.peer = CachePeers.of(line);
    this.hops = List.of(OwnWay.hop(peer));
    this.request =
        OutgoingRequest.of("GET", Method.GET)
            .scheme(line.originServer() && line.tls() != null ? "https" : "http")
            .authority(wanted.authority())
            .path(wanted.path().getBytes(StandardCharsets.ISO_8859_1))
            .fieldLines(
                ("Host: " + wanted.authority() + "\r\n").getBytes(StandardCharsets.ISO_8859_1))
            .build();
  }

  /** Sends the request. */
  void ask() {
    bytes = 0;
    stream = way.upstream().fetch(hops, request, way.addresses(), this);
    way.timer().arm(this, check.timeoutMillis());
  }

  /** Ends the check: its time is over, or that until the next one. */
  @Override
  protected void expired() {
    if (stream == null) {
      ask();
    } else {
      bad("no complete response in " + check.timeoutMillis() + " ms");
    }
  }

  void close() {
    stop();
    way.timer().forget(this);
  }

  private void stop() {
    OriginStream running = stream;
    stream = null;
    if (running != null) {
      running.cancel();
    }
  }

  private void good() {
    rest();
    way.health().checked(peer, check, null);
  }

  private void bad(String reason) {
    rest();
    way.health().checked(peer, check, reason);
  }

  private void rest() {
    stop();
    double factor = 1 + JITTER * (way.random().getAsDouble() - 0.5);
    way.timer().arm(this, Math.round(check.intervalMillis() * factor));
  }

  // ---- events of the fetch

  @Override
  public void head(@Nullable ResponseHead head, long contentLength) {
    if (head == null || !check.statuses().contains(head.status())) {
      bad("status " + (head == null ? "none" : head.status()));
    } else if (stream != null) {
      stream.read();
    }
  }

  @Override
  public void content(ByteBuf content) {
    bytes += content.readableBytes();
    content.release();
    if (stream == null || bytes <= check.readBytes()) {
      return;
    }
    if (check.maxBytes() < 0) {
      good();
    } else {
      bad("more than " + check.maxBytes() + " bytes");
    }
  }

  @Override
  public void readComplete() {
    if (stream != null) {
      stream.read();
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    if (stream == null) {
      return;
    }
    stream = null;
    if (bytes < check.minBytes()) {
      bad(bytes + " bytes, fewer than " + check.minBytes());
    } else {
      good();
    }
  }

  @Override
  public void failed(FetchFailure failure) {
    if (stream == null) {
      return;
    }
    stream = null;
    switch (failure.kind()) {
      case OVERLOADED, NO_MEMORY -> rest();
      default -> bad(failure.kind() + ": " + failure.detail());
    }
  }

  @Override
  public void readyForContent() {}

  @Override
  public void interim(ResponseHead head) {}

  @Override
  public void writable() {}
}
