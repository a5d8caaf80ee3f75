package io.loligo.server.peer;

import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.peer.digest.DigestFilter;
import io.loligo.server.peer.digest.DigestReading;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.DigestPlace;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.route.CachePeers;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The digest of one peer, under one configuration. Confined to the event loop of {@link
 * PeerDigests}, except for {@link #want}, {@link #filter} and {@link #bytes}.
 *
 * <pre>
 * unwanted  no request has asked for it
 * waiting   the timeout is armed for the next fetch
 * fetching  a request is on its way; the timeout is armed for its time
 * closed    none of them
 * </pre>
 *
 * <p>Squid's times hold: a digest is fetched again {@value #GAP_SECONDS} s after it expires, within
 * {@value #MAX_WAIT_SECONDS} s. If that fails there is no digest any more, and the next try follows
 * in {@value #GAP_SECONDS} s, then in twice that, up to the same limit.
 */
final class PeerDigest extends LoopTimer.Timeout implements OriginEvents {
  static final int GAP_SECONDS = 300;
  static final int MAX_WAIT_SECONDS = 86_400;

  /** The time for one fetch. */
  static final int FETCH_SECONDS = 300;

  private static final Logger LOG = LoggerFactory.getLogger(PeerDigest.class);
  private static final long GAP_MILLIS = TimeUnit.SECONDS.toMillis(GAP_SECONDS);
  private static final long MAX_WAIT_MILLIS = TimeUnit.SECONDS.toMillis(MAX_WAIT_SECONDS);
  private static final int OK = 200;

  private final Peer line;
  private final DigestPlace place;
  private final CachePeer peer;
  private final PeerDigests all;
  private final OwnWay way;
  private final AtomicBoolean wanted = new AtomicBoolean();
  private volatile @Nullable DigestFilter filter;

  private @Nullable OriginStream stream;
  private @Nullable DigestReading reading;
  private long expiresMillis;

  /** The last wait after a failure; 0: the last fetch did not fail. */
  private long retryMillis;

  /** When the next fetch begins, or the present one has begun. */
  private long dueNanos;

  private boolean closed;

  /** That of {@code line}, which nobody wants yet. */
  PeerDigest(Peer line, DigestPlace place, PeerDigests all, OwnWay way) {
    this.line = line;
    this.place = place;
    this.peer = CachePeers.of(line);
    this.all = all;
    this.way = way;
  }

  CachePeer peer() {
    return peer;
  }

  /** Whether it was not wanted before: {@link #begin} is to be called. Any thread. */
  boolean want() {
    return !wanted.get() && wanted.compareAndSet(false, true);
  }

  /** The digest; null: there is none now. Any thread. */
  @Nullable DigestFilter filter() {
    return filter;
  }

  /** Its bytes. Any thread. */
  long bytes() {
    DigestFilter now = filter;
    return now == null ? 0 : now.maskBytes();
  }

  /** The memory that it takes, or will take instead of that. */
  long heldBytes() {
    return Math.max(bytes(), reading == null ? 0 : reading.bytes());
  }

  /** Goes on where {@code old}, closed, has ended, if it is of the same place; null: no old one. */
  void after(@Nullable PeerDigest old) {
    if (old == null
        || !old.line.host().equals(line.host())
        || old.line.port() != line.port()
        || !old.place.equals(place)
        || !old.wanted.get()) {
      return;
    }
    filter = old.filter;
    retryMillis = old.retryMillis;
    if (want()) {
      long leftNanos = old.dueNanos - all.time().nanos();
      await(Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos)));
    }
  }

  /** It is wanted: fetches it. */
  void begin() {
    if (!closed && stream == null && !armed()) {
      fetch();
    }
  }

  private void fetch() {
    dueNanos = all.time().nanos();
    reading = new DigestReading(() -> all.maxBytes(this));
    way.timer().arm(this, TimeUnit.SECONDS.toMillis(FETCH_SECONDS));
    stream = way.upstream().fetch(List.of(hop()), request(), way.addresses(), this);
  }

  /** A peer gets origin-form for an object of its own, and no credentials, as from Squid. */
  private Hop hop() {
    if (place.host() != null) {
      return new Hop.Direct(place.host(), place.port(), HierarchyCode.HIER_DIRECT);
    }
    HopProxyHeader header =
        peer.proxyProtocol() == null ? null : HopProxyHeader.own(peer.proxyProtocol());
    return new Hop.Parent(peer, HierarchyCode.ANY_OLD_PARENT, header, null, RequestForm.DIRECT);
  }

  private OutgoingRequest request() {
    String host = place.host() == null ? line.host() : place.host();
    int port = place.host() == null ? line.port() : place.port();
    String authority = (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    String fields = "Host: " + authority + "\r\nAccept: application/cache-digest\r\n";
    return OutgoingRequest.of("GET", Method.GET)
        .scheme("http")
        .authority(authority)
        .path(place.path().getBytes(StandardCharsets.ISO_8859_1))
        .fieldLines(fields.getBytes(StandardCharsets.ISO_8859_1))
        .build();
  }

  /** The time to fetch it has come, or that of the fetch is over. */
  @Override
  protected void expired() {
    if (stream == null) {
      fetch();
    } else {
      bad("no complete response in " + FETCH_SECONDS + " s");
    }
  }

  private void await(long millis) {
    dueNanos = all.time().nanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    way.timer().arm(this, millis);
  }

  void close() {
    closed = true;
    stop();
    way.timer().forget(this);
  }

  private void stop() {
    OriginStream running = stream;
    stream = null;
    reading = null;
    if (running != null) {
      running.cancel();
    }
  }

  private void good(DigestFilter fetched) {
    filter = fetched;
    retryMillis = 0;
    long nowMillis = all.time().millis();
    long leftMillis = expiresMillis > nowMillis ? expiresMillis - nowMillis : 0;
    await(Math.min(leftMillis + GAP_MILLIS, MAX_WAIT_MILLIS));
  }

  private void bad(String reason) {
    stop();
    filter = null;
    way.health().asked(line.name(), PeerCount.DIGEST_FAILURES);
    if (retryMillis == 0) {
      LOG.info(
          "{} gives no digest: {}; it is asked again in {} s, and later; next: if it has none, add"
              + " no-digest to the line",
          line,
          reason,
          GAP_SECONDS);
    }
    retryMillis = retryMillis == 0 ? GAP_MILLIS : Math.min(2 * retryMillis, MAX_WAIT_MILLIS);
    await(retryMillis);
  }

  // ---- events of the fetch

  @Override
  public void head(@Nullable ResponseHead head, long contentLength) {
    if (stream == null) {
      return;
    }
    if (head == null || head.status() != OK) {
      bad("status " + (head == null ? "none" : head.status()));
      return;
    }
    expiresMillis = HttpDate.of(head.fields(), FieldName.EXPIRES, all.time().millis());
    stream.read();
  }

  @Override
  public void content(ByteBuf content) {
    boolean sound = reading == null || reading.take(content);
    content.release();
    if (!sound) {
      bad("it is damaged, of another version, or too large");
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
    if (stream == null || reading == null) {
      return;
    }
    DigestFilter fetched = reading.end();
    stream = null;
    reading = null;
    if (fetched == null) {
      bad("bytes are missing, or nearly all bits are set");
    } else {
      good(fetched);
    }
  }

  @Override
  public void failed(FetchFailure failure) {
    if (stream != null) {
      stream = null;
      bad(failure.kind() + ": " + failure.detail());
    }
  }

  @Override
  public void readyForContent() {}

  @Override
  public void interim(ResponseHead head) {}

  @Override
  public void writable() {}
}
