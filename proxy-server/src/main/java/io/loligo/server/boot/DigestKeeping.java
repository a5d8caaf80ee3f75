package io.loligo.server.boot;

import io.loligo.core.caching.HttpDate;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.FieldLines;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.peer.NeighbourDirectives;
import io.loligo.server.peer.digest.DigestCollection;
import io.loligo.server.peer.digest.DigestFilter;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.own.OwnDigest;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskStats;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The digest of the stored responses, for neighbours. It is made from the first request for it on,
 * or from the start with a line {@code digest_generation on}, and no longer once nobody has asked
 * for {@value #UNASKED} of its periods. Thread-safe.
 */
final class DigestKeeping implements Part, OwnDigest {
  private static final Logger LOG = LoggerFactory.getLogger(DigestKeeping.class);
  private static final long LOOK_SECONDS = 1;
  private static final long IDLE_SECONDS = 5;
  private static final long MILLIS = 1000;
  private static final int UNASKED = 3;

  /** Squid's mean size of a response: so many a store of some size is expected to hold. */
  private static final long MEAN_RESPONSE_BYTES = 13 << 10;

  private final TieredStore store;
  private final Supplier<ProxyConfig> config;
  private final TimeSource time;

  /** Its thread ends when it is idle. */
  private final ThreadPoolExecutor builder =
      new ThreadPoolExecutor(
          0,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          new DefaultThreadFactory("loligo-digest", true));

  /** A digest that is sent. */
  private record Published(DigestFilter filter, byte[] answer) {}

  /** The last request for it; 0: none. */
  private volatile long askedMillis;

  private volatile @Nullable Published published;

  // guarded by this
  private @Nullable DigestCollection collection;
  private @Nullable DigestFilter built;
  private boolean building;
  private long nextBuildMillis;
  private long nextPublishMillis;

  DigestKeeping(
      TieredStore store, Supplier<ProxyConfig> config, Maintenance maintenance, TimeSource time) {
    this.store = store;
    this.config = config;
    this.time = time;
    maintenance.every(LOOK_SECONDS, this::look);
  }

  @Override
  public byte @Nullable [] answer() {
    askedMillis = time.millis();
    Published now = published;
    return now == null ? null : now.answer;
  }

  private void look() {
    try {
      look(config.get(), time.millis());
    } catch (RuntimeException e) {
      LOG.warn(
          "no cache digest is made now; neighbours get the last one; next: report this defect, with"
              + " the trace",
          e);
    }
  }

  private synchronized void look(ProxyConfig config, long now) {
    long period = MILLIS * config.get(NeighbourDirectives.DIGEST_REBUILD_PERIOD);
    if (!isWanted(config, now, period)) {
      drop();
      return;
    }
    if (collection == null) {
      collection = collection(config);
      store.watch(collection);
      nextBuildMillis = now;
      nextPublishMillis = now;
    }
    if (built != null && now >= nextPublishMillis) {
      nextPublishMillis = now + MILLIS * config.get(NeighbourDirectives.DIGEST_REWRITE_PERIOD);
      published = new Published(built, response(built.bytes(), nextPublishMillis));
    }
    if (!building && now >= nextBuildMillis) {
      building = true;
      nextBuildMillis = now + period;
      DigestCollection from = collection;
      builder.execute(() -> build(from));
    }
  }

  private boolean isWanted(ProxyConfig config, long now, long period) {
    boolean asked = askedMillis != 0 && now - askedMillis < UNASKED * period;
    return config.get(NeighbourDirectives.DIGEST_GENERATION)
        && (asked || config.isGiven(NeighbourDirectives.DIGEST_GENERATION));
  }

  private void drop() {
    if (collection != null) {
      store.watch(null);
      collection = null;
      built = null;
      published = null;
    }
  }

  private DigestCollection collection(ProxyConfig config) {
    List<DiskStats> disks = store.diskStats();
    long bytes = store.stats().memoryLimitBytes();
    for (DiskStats disk : disks) {
      bytes += disk.capacityBytes();
    }
    return new DigestCollection(
        time::millis,
        bytes / MEAN_RESPONSE_BYTES,
        config.get(NeighbourDirectives.DIGEST_BITS_PER_ENTRY),
        config.get(NeighbourDirectives.DIGEST_REBUILD_PERIOD),
        disks.size());
  }

  private void build(DigestCollection from) {
    DigestFilter made = null;
    try {
      made = from.digest(store::tellMemory);
    } finally {
      synchronized (this) {
        building = false;
        if (made != null && collection == from) {
          built = made;
        }
      }
    }
  }

  private static byte[] response(byte[] content, long expiresMillis) {
    FieldLines head = new FieldLines(128).append("HTTP/1.1 200 OK").endLine();
    head.add("Content-Type", "application/cache-digest");
    head.append("Content-Length: ").append((long) content.length).endLine();
    HttpDate.append(head.append("Expires: "), expiresMillis).endLine().endLine();
    byte[] start = head.toBytes();
    byte[] all = Arrays.copyOf(start, start.length + content.length);
    System.arraycopy(content, 0, all, start.length, content.length);
    return all;
  }

  @Override
  public synchronized void reconfigured(ProxyConfig before, ProxyConfig now) {
    boolean same =
        before
            .get(NeighbourDirectives.DIGEST_BITS_PER_ENTRY)
            .equals(now.get(NeighbourDirectives.DIGEST_BITS_PER_ENTRY));
    if (!same) {
      drop();
    }
    nextBuildMillis = 0;
    nextPublishMillis = 0;
  }

  private long urls() {
    Published now = published;
    return now == null ? 0 : now.filter.count();
  }

  private long bytes() {
    Published now = published;
    return now == null ? 0 : now.answer.length;
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.gauge("loligo.digest.urls", null, "Approximate URLs in the own digest.", this::urls);
    export.gauge(
        "loligo.digest.size", "bytes", "Bytes of the own digest; 0: there is none.", this::bytes);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.gauge("digest_urls", this::urls);
    sources.gauge("digest_size_bytes", this::bytes);
  }

  @Override
  public void close() {
    store.watch(null);
    builder.shutdownNow();
  }
}
