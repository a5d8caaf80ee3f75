package io.loligo.server.cluster;

import io.loligo.cluster.share.PurgeVector;
import io.loligo.cluster.share.SignOfLife;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.NodeConnections;
import io.loligo.server.upstream.NodeSigns;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.own.OwnObjects;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Requests of this node to itself, over its own port for nodes, one after the other: in them the
 * JVM loads the classes of both sides, for which the first request of another node would wait.
 * Nobody is told of them, and what they store is for its user to remove. Confined to the event
 * loop.
 *
 * <pre>
 *  miss, hit       4 KB on the connection that small responses share, where there is one
 *  miss, hit       64 KB on a connection of its own
 *  only-if-cached  for an object that is not stored: 504
 * </pre>
 */
final class AskingItself implements OriginEvents {
  /** The longest wait of one request: a JVM that has just begun, on a machine that is busy. */
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final String SMALL = OwnObjects.OWN_REQUEST + 4_096;
  private static final String LARGE = OwnObjects.OWN_REQUEST + 65_536;
  private static final String ABSENT = OwnObjects.OWN_REQUEST + 1;
  private static final byte[] FIELDS =
      ("Host: " + OwnObjects.HOST + "\r\n").getBytes(StandardCharsets.US_ASCII);

  private static final List<Part> PARTS =
      List.of(
          new Part(SMALL, true, false, 200),
          new Part(SMALL, true, false, 200),
          new Part(LARGE, false, false, 200),
          new Part(LARGE, false, false, 200),
          new Part(ABSENT, true, true, 504));

  private final SharedRing shared;
  private final CachePeer self;
  private final Upstream upstream;
  private final Consumer<@Nullable String> over;
  private final NodeConnections connections = new NodeConnections(PARTS.size(), () -> {});
  private int next;
  private int status;

  /** Null: no request is on its way. */
  private @Nullable OriginStream stream;

  private boolean ended;

  /**
   * One request.
   *
   * @param small whether it goes over the connection that is shared
   * @param stored whether the node is to answer from its store
   * @param status of the response
   */
  private record Part(String path, boolean small, boolean stored, int status) {}

  /**
   * Asks nothing yet.
   *
   * @param shared takes the requests
   * @param self the port for nodes of this node
   * @param over told the end, unless it is cancelled before: why it failed; null: it did not
   */
  AskingItself(
      SharedRing shared, CachePeer self, Upstream upstream, Consumer<@Nullable String> over) {
    this.shared = shared;
    this.self = self;
    this.upstream = upstream;
    this.over = over;
  }

  /** The keys under which it may have stored something. */
  static List<CacheKey> keys() {
    return Stream.of(SMALL, LARGE)
        .map(path -> CacheKeys.of("http://" + OwnObjects.HOST + path))
        .filter(Objects::nonNull)
        .toList();
  }

  /** Begins. */
  void begin() {
    ask();
  }

  /** Ends it; nobody is told. */
  void cancel() {
    ended = true;
    OriginStream running = stream;
    stream = null;
    if (running != null) {
      running.cancel();
    }
  }

  private void ask() {
    Part part = PARTS.get(next);
    PurgeVector claim = shared.purges().claim();
    String tag = claim == null ? null : claim.tag();
    RequestForm form = RequestForm.ofNode(shared.asksItself(), part.stored(), tag, null);
    Hop hop = new Hop.Owner(self, new Itself(part.small()), HierarchyCode.CLUSTER_OWNER, form);
    OutgoingRequest request =
        OutgoingRequest.of("GET", Method.GET)
            .authority(OwnObjects.HOST)
            .path(part.path().getBytes(StandardCharsets.US_ASCII))
            .fieldLines(FIELDS)
            .build();
    status = 0;
    stream = upstream.fetch(List.of(hop), request, (address, port) -> null, this);
  }

  private void end(@Nullable String why) {
    if (!ended) {
      ended = true;
      over.accept(why);
    }
  }

  // ---- events of a request

  @Override
  public void readyForContent() {
    // it has none
  }

  @Override
  public void interim(ResponseHead head) {
    // not the sign of life
  }

  @Override
  public void head(@Nullable ResponseHead head, long contentLength) {
    status = head == null ? 0 : head.status();
    readComplete();
  }

  @Override
  public void content(ByteBuf content) {
    content.release();
  }

  @Override
  public void readComplete() {
    if (stream != null) {
      stream.read();
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    stream = null;
    Part part = PARTS.get(next);
    if (status != part.status()) {
      end(part.path() + ": status " + status + " (expected: " + part.status() + ")");
    } else if (++next == PARTS.size()) {
      end((String) null);
    } else if (!ended) {
      ask();
    }
  }

  @Override
  public void writable() {
    // nothing is to be sent
  }

  @Override
  public void failed(FetchFailure failure) {
    stream = null;
    end(failure.detail());
  }

  /** This node, as one request to it sees it. */
  private final class Itself implements ClusterNode, SignOfLife.Peer {
    private final boolean small;

    Itself(boolean small) {
      this.small = small;
    }

    @Override
    public Use use(@Nullable String purges) {
      return Use.ASKED;
    }

    @Override
    public NodeConnections connections() {
      return connections;
    }

    @Override
    public LocalEnd end() {
      return shared.end();
    }

    @Override
    public long limitNanos() {
      return LIMIT_NANOS;
    }

    @Override
    public boolean isOut() {
      return false;
    }

    @Override
    public boolean isSuspected() {
      return false;
    }

    @Override
    public boolean sharesConnection() {
      return small;
    }

    @Override
    public void responds(long contentLength) {
      // nobody asks again
    }

    @Override
    public NodeSigns sent(long nowNanos) {
      return new SentToNode(this, nowNanos);
    }

    @Override
    public void acknowledged(long tookNanos) {
      // not one of the times of another node
    }

    @Override
    public void answered(boolean had) {
      // the status tells
    }

    @Override
    public void failed(boolean silent) {
      // the failure of the request tells
    }

    @Override
    public boolean mayFallBack() {
      return false;
    }
  }
}
