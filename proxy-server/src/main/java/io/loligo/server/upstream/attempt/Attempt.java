package io.loligo.server.upstream.attempt;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.NodeSigns;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.PeerHop;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.server.upstream.pool.ResponseEvents;
import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request, or one tunnel being opened, along its hops. Confined to its event loop.
 *
 * <pre>
 * ROUTING  a {@link HopSearch} looks for a hop that answers
 * RUNNING  a lease has it
 * DONE     ended, failed, cancelled or given away: no event follows
 * </pre>
 *
 * <p>The next hop follows if the search skips a hop, or if {@link AfterFailure} says so.
 */
final class Attempt implements OriginStream, ResponseEvents, HopSearch.Outcome, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);

  private static final int GATEWAY_TIMEOUT = 504;

  /** The most bytes of an unwanted response that are read, so that its connection can be kept. */
  private static final int MAX_SKIPPED_BYTES = 64 << 10;

  private enum Phase {
    ROUTING,
    RUNNING,
    DONE
  }

  private final NettyUpstream upstream;
  private final @Nullable OutgoingRequest request;
  private final @Nullable OutgoingConnect tunnel;
  private final AttemptTask task;
  private final OriginEvents events;
  private final FetchTimings timings = new FetchTimings();
  private final HopSearch search;

  private Phase phase = Phase.ROUTING;

  /** Whether content was asked for. */
  private boolean contentBegun;

  /** A copy of it; null if nobody can refuse the request any more. */
  private @Nullable SentContent sent;

  private @Nullable Lease lease;

  /** The parent that has the request; null: the origin has it, or nobody. */
  private @Nullable CachePeer peer;

  /** Bytes sent and received before it. */
  private long sentBefore;

  private long receivedBefore;

  /** Whether the response that arrives is not wanted: the next hop is asked after it. */
  private boolean skipping;

  private int skippedBytes;

  /** Of the node of the cluster that has the request; null: none has it. */
  private @Nullable NodeSigns sign;

  /** Among those of the loop that wait for nodes. */
  private int place;

  /** Of the sibling that has the request; null: it may take its time, or has answered. */
  private @Nullable StoreLimit storeLimit;

  /** An attempt that has not begun. */
  Attempt(NettyUpstream upstream, List<Hop> hops, AttemptTask task, OriginEvents events) {
    this.upstream = upstream;
    this.task = task;
    this.request = task.request();
    this.tunnel = task.tunnel();
    this.events = events;
    search = new HopSearch(upstream, hops, task, timings, this);
  }

  // ---- the search

  @Override
  public void run() {
    search.proceed();
  }

  @Override
  public void found(Lease open) {
    phase = Phase.RUNNING;
    lease = open;
    ClusterNode node = search.node();
    if (node == null || node.addresses() == null) { // else the host is the address
      timings.address = NetUtil.toAddressString(open.endpoint().address());
    }
    timings.local = open.localAddress();
    timings.trafficClass = open.endpoint().local().trafficClass();
    timings.mark = open.endpoint().local().mark();
    timings.secured = open.secured();
    if (task.isProbe()) {
      phase = Phase.DONE;
      left();
      open.keep();
      events.head(null, ContentLength.NONE);
    } else if (request != null) {
      if (open.mayBeRefused()) { // only HTTP/2 has words for it
        upstream.counters.multiplexed();
      }
      if (request.hasContent() && open.mayBeRefused() && sent == null && !contentBegun) {
        sent = new SentContent(upstream.transit());
      }
      asked();
      open.send(request, search.form(), timings, this);
    } else if (search.form().absolute()) {
      assert tunnel != null : "neither a request nor a tunnel";
      asked();
      open.tunnel(tunnel, search.form(), timings, this);
    } else {
      open.raw();
      events.head(null, ContentLength.NONE);
    }
  }

  /** The hop gets the request. */
  private void asked() {
    peer = timings.peer;
    if (peer != null) {
      sentBefore = timings.bytesOut;
      receivedBefore = timings.bytesIn;
      upstream.health.requested(peer);
    }
    ClusterNode node = search.node();
    if (node != null) {
      sign = node.sent(upstream.signs.nanos());
      upstream.signs.add(this);
    }
    long storeMillis = search.storeMillis();
    if (storeMillis > 0 && task.isRepeatable() && search.hopsLeft() && search.triesLeft() > 0) {
      storeLimit = new StoreLimit();
      upstream.timer().arm(storeLimit, storeMillis);
    }
  }

  /** The sibling has not answered from its store in time: the next hop is asked. */
  private final class StoreLimit extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      Lease unheard = lease;
      CachePeer late = peer;
      assert unheard != null && late != null && !skipping : "it has the request";
      upstream.health.requestFailed(late);
      upstream.health.silent(late);
      left();
      unheard.cancel();
      phase = Phase.ROUTING;
      search.retry(
          new FetchFailure(Kind.READ_TIMEOUT, unheard.endpoint() + ": no answer from its store"),
          AfterFailure.NEXT_HOP);
    }
  }

  /** {@link SignsOfLife} has it at {@code now}. */
  void placed(int now) {
    place = now;
  }

  /** Looks whether the node that has the request is silent for too long. */
  void look(long nowNanos, long lateNanos) {
    NodeSigns awaited = sign;
    assert awaited != null : "it waits";
    if (awaited.isSilent(nowNanos, lateNanos, () -> !skipping && events.canContinue())) {
      silent(awaited);
    }
  }

  private void silent(NodeSigns missed) {
    Lease unheard = lease;
    assert unheard != null : "it has the request";
    unheard.giveUp();
    boolean within = missed.hasResponded();
    String text = within ? ": silent within the content" : ": no sign of life in time";
    Kind kind = within ? Kind.TRUNCATED : Kind.NOT_ACKNOWLEDGED;
    failed(new FetchFailure(kind, unheard.endpoint() + text), /* answered= */ within);
  }

  /** The lease is over. */
  private void left() {
    lease = null;
    dropStoreLimit();
    if (sign != null) {
      upstream.signs.remove(place);
      sign = null;
      ClusterNode node = search.node();
      if (node != null) {
        node.connections().rested();
      }
    }
    if (peer != null) {
      long sentBytes = timings.bytesOut - sentBefore;
      upstream.health.moved(peer.name(), sentBytes, timings.bytesIn - receivedBefore);
      peer = null;
    }
  }

  private void dropStoreLimit() {
    if (storeLimit != null) {
      upstream.timer().forget(storeLimit);
      storeLimit = null;
    }
  }

  // ---- events of the connection

  @Override
  public void readyForContent() {
    if (!contentBegun) {
      contentBegun = true;
      events.readyForContent();
      return;
    }
    Lease again = lease;
    if (sent != null && again != null) {
      sent.sendTo(again);
      if (!again.mayBeRefused()) {
        forgetContent();
      }
      if (lease == again && again.writable()) {
        events.writable();
      }
    }
  }

  @Override
  public void interim(ResponseHead head) {
    if (sign != null
        && sign.came(upstream.signs.nanos())
        && head.status() == PeerHop.ACKNOWLEDGED) {
      return;
    }
    events.interim(head);
  }

  @Override
  public void head(ResponseHead head, long contentLength) {
    assert lease != null : "a head without a lease";
    forgetContent();
    dropStoreLimit();
    if (peer != null) {
      upstream.health.responded(peer);
      if (search.code() == HierarchyCode.CD_SIBLING_HIT && head.status() == GATEWAY_TIMEOUT) {
        upstream.health.falseDigestHit(peer);
      }
    }
    if (sign != null) {
      sign.responded(upstream.signs.nanos());
      ClusterNode node = search.node();
      assert node != null : "a sign of a node";
      node.answered(!search.isDeclined(head.status()));
      if (request != null && request.methodId() == Method.GET && head.status() == 200) {
        node.responds(contentLength);
      }
    }
    if (asksNext(head.status())) {
      skipping = true;
      skippedBytes = 0;
      read();
      return;
    }
    if (head.status() < 500) { // an error may come from a proxy on the way
      upstream.oldServers.answered(lease.endpoint(), head.version());
    }
    events.head(head, contentLength);
  }

  @Override
  public void tunnelOpen() {
    if (peer != null) {
      upstream.health.responded(peer);
    }
    events.head(null, ContentLength.NONE);
  }

  @Override
  public void received(ByteBuf content) {
    if (sign != null) {
      sign.heard();
    }
    if (skipping) {
      skippedBytes += content.readableBytes();
      content.release();
      return;
    }
    events.content(content);
  }

  @Override
  public void readComplete() {
    if (skipping) {
      Lease unwanted = lease;
      assert unwanted != null : "its response arrives";
      if (skippedBytes > MAX_SKIPPED_BYTES) {
        left();
        unwanted.cancel();
        askNext();
      } else {
        unwanted.read();
      }
      return;
    }
    if (sign != null) {
      sign.rests();
    }
    events.readComplete();
  }

  @Override
  public void drained() {
    events.writable();
  }

  @Override
  public void end(@Nullable Fields trailers) {
    left();
    if (skipping) {
      askNext();
      return;
    }
    phase = Phase.DONE;
    forgetContent();
    events.end(trailers);
  }

  @Override
  public void failed(FetchFailure failure, boolean answered) {
    if (lease != null && failure.kind() == Kind.HTTP_1_REQUIRED) {
      upstream.http1Servers.requires(lease.endpoint());
    }
    if (peer != null && failure.kind() == Kind.TUNNEL_REFUSED) {
      upstream.health.responded(peer);
    } else if (peer != null) {
      upstream.health.requestFailed(peer);
    }
    ClusterNode node = sign == null || sign.hasResponded() ? null : search.node();
    left();
    if (skipping) {
      askNext();
      return;
    }
    AfterFailure next = node == null ? next(failure, answered) : next(node, failure, answered);
    if (next == AfterFailure.GIVE_UP) {
      fail(failure);
      return;
    }
    phase = Phase.ROUTING;
    search.retry(failure, next);
  }

  private AfterFailure next(FetchFailure failure, boolean answered) {
    return AfterFailure.of(
        failure, answered, task.isRepeatable(), isUnspent(), search.reused(), search.hopsLeft());
  }

  private AfterFailure next(ClusterNode node, FetchFailure failure, boolean answered) {
    AfterFailure next =
        AfterFailure.ofNode(
            failure, answered, task.isRepeatable(), search.reused(), search.hopsLeft());
    if (next != AfterFailure.RECONNECT) {
      node.failed(failure.kind() == Kind.NOT_ACKNOWLEDGED);
    }
    return next;
  }

  /**
   * Whether a response of this status is left, and the next hop asked. An error that a node of the
   * cluster passes on is one of its origin, which is that of this node.
   */
  private boolean asksNext(int status) {
    return request != null
        && (search.isDeclined(status)
            || (search.node() == null
                && request.nextOn() != null
                && request.nextOn().contains(status)))
        && search.hopsLeft()
        && search.triesLeft() > 0
        && isUnspent();
  }

  private void askNext() {
    skipping = false;
    phase = Phase.ROUTING;
    search.askNext();
    // not from within the connection's event
    upstream.loop().execute(this);
  }

  /** Whether the request can be sent from its start. */
  private boolean isUnspent() {
    return !contentBegun || (sent != null && sent.isWhole());
  }

  private void forgetContent() {
    if (sent != null) {
      sent.release();
      sent = null;
    }
  }

  // ---- requests of the exchange

  @Override
  public void content(ByteBuf content) {
    if (sent != null) {
      try {
        sent.add(content, content.alloc(), lease == null);
      } catch (OutOfMemoryError e) {
        content.release();
        throw e;
      }
    }
    if (lease == null) {
      content.release();
    } else {
      lease.content(content);
    }
  }

  @Override
  public void endContent(@Nullable Fields trailers) {
    if (sent != null) {
      sent.end(trailers);
    }
    if (lease != null) {
      lease.endContent(trailers);
    }
  }

  @Override
  public boolean writable() {
    if (lease == null) {
      return sent == null || sent.hasRoom();
    }
    return lease.writable();
  }

  @Override
  public void read() {
    if (lease != null) {
      if (sign != null) {
        sign.reads();
      }
      lease.read();
    }
  }

  @Override
  public void cancel() {
    abandon();
    phase = Phase.DONE;
  }

  @Override
  public ByteStream detach() {
    Lease given = lease;
    if (given == null) {
      throw new IllegalStateException("phase: " + phase + " (expected: RUNNING)");
    }
    ByteStream detached = given.detach();
    left();
    phase = Phase.DONE;
    return detached;
  }

  @Override
  public FetchTimings timings() {
    return timings;
  }

  // ---- ends

  @Override
  public void notFound(FetchFailure failure) {
    fail(failure);
  }

  private void fail(FetchFailure failure) {
    if (phase == Phase.DONE) {
      return;
    }
    phase = Phase.DONE;
    forgetContent();
    try {
      events.failed(failure);
    } catch (RuntimeException | Error e) {
      LOG.warn(
          "after the failure of a fetch: {}; next: report this defect, with the trace", failure, e);
    }
  }

  @Override
  public void broken(Throwable fault) {
    if (fault instanceof OutOfMemoryError noMemory) {
      upstream.transit().shortage().met(noMemory, "a fetch");
      abandon();
      fail(new FetchFailure(Kind.NO_MEMORY, noMemory.toString()));
    } else {
      LOG.warn(
          "fetch by {} failed: the client gets 502; next: report this defect, with the trace",
          search,
          fault);
      abandon();
      fail(new FetchFailure(Kind.INVALID_RESPONSE, "internal: " + fault));
    }
  }

  /** Ends the search or the lease. */
  private void abandon() {
    search.end();
    forgetContent();
    if (lease != null) {
      lease.cancel();
      left();
    }
  }
}
