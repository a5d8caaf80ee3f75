package io.loligo.server.exchange.hit;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Stage;
import io.loligo.server.time.LoopTimer;
import io.loligo.store.Store;
import io.loligo.store.Store.LoadListener;
import io.loligo.store.Store.LoadReport;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the stored response on disk that one request selects. The wait ends after {@code
 * loadTimeoutMillis}, counted from the time the directories are open. The asker gets exactly one
 * result, from the disk or from the timeout. An entry that arrives later, or after the client has
 * left, is released. Confined to the client's event loop.
 */
public final class DiskLookUp extends LoopTimer.Timeout implements LoadListener {
  /** The part that waits. Called on its event loop, never before {@link #start} returns. */
  public interface Asker {
    /**
     * Whether the head in {@code entry}, borrowed, is enough for the response. If not, the content
     * is loaded too.
     */
    boolean suffices(Entry entry);

    /** Whether the client has left. No result is delivered then. */
    boolean over();

    /**
     * The lookup has ended. Takes {@code entry}; null if no response was available in time.
     *
     * @param outcome how the lookup ended; null if the disk was not read
     */
    void looked(@Nullable Entry entry, @Nullable LoadOutcome outcome);
  }

  private static final Logger LOG = LoggerFactory.getLogger(DiskLookUp.class);

  private final LoopServices services;
  private final Asker asker;
  private final CacheKey key;
  private final Request request;
  private final long startNanos;
  private boolean told;
  private @Nullable LoadReport before;

  private DiskLookUp(LoopServices services, Request request, CacheKey key, Asker asker) {
    this.services = services;
    this.request = request;
    this.key = key;
    this.asker = asker;
    this.startNanos = services.clock.nanos();
  }

  /**
   * Looks up {@code key} without waiting. Returns the response that {@code request} selects, or the
   * fact that there is none; null if only a wait can tell. Notes the result in the record. The
   * caller owns the entry of the result.
   */
  public static Store.@Nullable Loaded now(LoopServices services, Request request, CacheKey key) {
    long beginNanos = services.clock.nanos();
    Store.Loaded now = services.store.loadNow(key, request.head().fields(), Wanted.CONTENT);
    if (now != null) {
      long nanos = now.entry() == null ? 0 : services.clock.nanos() - beginNanos;
      note(request.record(), now.entry(), now.report(), nanos);
    }
    return now;
  }

  /**
   * Looks up the response that {@code request}, a snapshot, selects under {@code key}.
   *
   * @param headMayDo whether the head alone may be enough for the asker
   */
  public static void start(
      LoopServices services, Request request, CacheKey key, boolean headMayDo, Asker asker) {
    DiskLookUp lookUp = new DiskLookUp(services, request, key, asker);
    services.timer.arm(lookUp, patienceMillis(services));
    lookUp.load(headMayDo ? Wanted.HEAD : Wanted.CONTENT);
  }

  /**
   * Looks in memory and on disk for {@code request}, a snapshot, which has waited for another
   * request. The asker gets the result at once or later.
   */
  public static void again(LoopServices services, Request request, Asker asker) {
    request.record().lap(Stage.JOIN, services.clock.nanos());
    KeyProbe probe = services.keys.probe(request.target());
    Entry entry = services.store.find(probe, request.head().fields());
    if (entry != null || !services.store.mayLoad(probe)) {
      asker.looked(entry, null);
      return;
    }
    CacheKey key = probe.toKey();
    Store.Loaded now = now(services, request, key);
    if (now != null) {
      asker.looked(now.entry(), now.report().outcome());
    } else {
      start(services, request, key, /* headMayDo= */ false, asker);
    }
  }

  /**
   * Notes the duration of the lookup in {@code record}, and whether {@code entry} came from disk.
   *
   * @param nanos of which the event loop knows; all but the time in the queue is the read, so that
   *     it includes the way back to the event loop
   */
  private static void note(
      ExchangeRecord record, @Nullable Entry entry, LoadReport report, long nanos) {
    if (nanos > 0) {
      long queued = Math.min(report.queueNanos(), nanos);
      record.addTo(Stage.DISK_QUEUE, queued);
      record.addTo(Stage.DISK_FIRST_READ, nanos - queued);
      record.startLap(record.lapNanos() + nanos);
    }
    record.fromDisk = entry != null;
    if (report.outcome() == LoadOutcome.DAMAGED) {
      record.tag = LogTag.TCP_SWAPFAIL_MISS;
    }
  }

  /**
   * How long to wait, in milliseconds; 0: without a limit. While a directory is opening, {@code
   * loligo_cache_dir_wait} is added.
   */
  private static long patienceMillis(LoopServices services) {
    ExchangeSettings settings = services.settings;
    boolean opening = settings.loadTimeoutMillis > 0 && services.store.isOpening();
    return settings.loadTimeoutMillis + (opening ? settings.openWaitMillis : 0);
  }

  private void load(Wanted wanted) {
    services.store.load(key, request.head().fields(), wanted, request.loop(), this);
  }

  @Override
  public void loaded(@Nullable Entry entry, LoadReport report) {
    if (!told && !asker.over() && entry != null && entry.isHeadOnly() && !suffices(entry)) {
      entry.release();
      before = report;
      load(Wanted.CONTENT_AFTER_HEAD);
      return;
    }
    services.timer.forget(this);
    if (told || asker.over()) {
      told = true;
      if (entry != null) {
        entry.release();
      }
      return;
    }
    tell(entry, before == null ? report : report.after(before));
  }

  private boolean suffices(Entry entry) {
    try {
      return asker.suffices(entry);
    } catch (RuntimeException failure) {
      LOG.error(
          "a request that waited for the disk failed; next: report this defect, with the trace",
          failure);
      return false;
    }
  }

  @Override
  protected void expired() {
    if (!told && !asker.over()) {
      request.record().diskLate = true;
      tell(null, new LoadReport(LoadOutcome.BUSY, services.clock.nanos() - startNanos, 0));
    }
  }

  private void tell(@Nullable Entry entry, LoadReport report) {
    told = true;
    try {
      note(request.record(), entry, report, services.clock.nanos() - startNanos);
      asker.looked(entry, report.outcome());
    } catch (RuntimeException | OutOfMemoryError failure) {
      request.stream().failed(failure);
    }
  }
}
