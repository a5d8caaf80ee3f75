package io.loligo.server.peer;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a number of idle connections to one parent open. It looks every {@value #LOOK_MILLIS} ms,
 * and opens those that are missing while the parent is up. Confined to an event loop.
 */
final class StandbyPeer extends LoopTimer.Timeout {
  static final int LOOK_MILLIS = 1_000;

  private final CachePeer peer;
  private final int wanted;
  private final OwnWay way;
  private final Hop hop;
  private final List<Opening> openings = new ArrayList<>(0);
  private boolean closed;

  /** Nothing is opened yet; {@code wanted} connections are, at least 1. */
  StandbyPeer(CachePeer peer, int wanted, OwnWay way) {
    this.peer = peer;
    this.wanted = wanted;
    this.way = way;
    this.hop = OwnWay.hop(peer);
  }

  /** Opens missing connections, now and from now on. */
  void look() {
    way.timer().arm(this, LOOK_MILLIS);
    if (openings.isEmpty() && way.health().alive(peer)) {
      way.upstream().resolve(peer.host(), this::fill);
    }
  }

  @Override
  protected void expired() {
    look();
  }

  private void fill(List<InetAddress> addresses) {
    if (closed || addresses.isEmpty()) {
      return;
    }
    int missing = wanted - way.upstream().kept(hop, addresses, way.addresses());
    for (; missing > 0 && way.health().hasRoom(peer); missing--) {
      Opening next = new Opening();
      openings.add(next);
      next.stream = way.upstream().probe(hop, way.addresses(), next);
    }
  }

  void close() {
    closed = true;
    way.timer().forget(this);
    for (Opening opening : openings) {
      if (opening.stream != null) {
        opening.stream.cancel();
      }
    }
    openings.clear();
  }

  /** One connection on its way. */
  private final class Opening implements OriginEvents {
    private @Nullable OriginStream stream;

    @Override
    public void head(@Nullable ResponseHead head, long contentLength) {
      openings.remove(this); // it is kept
    }

    @Override
    public void failed(FetchFailure failure) {
      openings.remove(this); // the health of the parent knows
    }

    @Override
    public void readyForContent() {}

    @Override
    public void interim(ResponseHead head) {}

    @Override
    public void content(ByteBuf content) {
      content.release();
    }

    @Override
    public void readComplete() {}

    @Override
    public void end(@Nullable Fields trailers) {}

    @Override
    public void writable() {}
  }
}
