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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the stored response that the disk has for one request, but not longer than {@code
 * loadTimeoutMillis} once the directories are open: the asker is told once, by the disk or by the
 * clock. An entry that comes later, or when nobody waits any more, is released. Confined to the
 * client's event loop.
 */
public final class DiskLookUp extends LoopTimer.Timeout implements LoadListener {
  /** The part that waits. Told on its event loop, never before {@link #start} returns. */
  public interface Asker {
    /**
     * Whether {@code entry}, borrowed, of which there is the head only, is all the answer needs;
     * else the content is loaded too.
     */
    boolean suffices(Entry entry);

    /** Whether the client is gone; nothing is told then. */
    boolean over();

    /**
     * The look has ended. Takes {@code entry}, null where nothing can be had in time.
     *
     * @param outcome how it ended; null where the disk was not asked
     */
    void looked(Entry entry, LoadOutcome outcome);
  }

  private static final Logger LOG = LoggerFactory.getLogger(DiskLookUp.class);

  private final LoopServices services;
  private final Asker asker;
  private final CacheKey key;
  private final Request request;
  private final long startNanos;
  private boolean told;
  private LoadReport before;

  private DiskLookUp(LoopServices services, Request request, CacheKey key, Asker asker) {
    this.services = services;
    this.request = request;
    this.key = key;
    this.asker = asker;
    this.startNanos = services.clock.nanos();
  }

  /**
   * The response that {@code request} selects, or that there is none, where that is known without a
   * wait; else null. The record tells of it.
   */
  public static Store.Loaded now(LoopServices services, Request request, CacheKey key) {
    Store.Loaded now = services.store.loadNow(key, request.head().fields(), Wanted.CONTENT);
    if (now != null) {
      note(request.record(), now.entry(), now.report());
    }
    return now;
  }

  /**
   * Looks for the response that {@code request}, a snapshot, selects under {@code key}.
   *
   * @param headMayDo whether the asker may be content with the head
   */
  public static void start(
      LoopServices services, Request request, CacheKey key, boolean headMayDo, Asker asker) {
    DiskLookUp lookUp = new DiskLookUp(services, request, key, asker);
    services.timer.arm(lookUp, patienceMillis(services));
    lookUp.load(headMayDo ? Wanted.HEAD : Wanted.CONTENT);
  }

  /**
   * Looks in memory and on disk for {@code request}, a snapshot, which has waited for another. The
   * asker is told, at once or later.
   */
  public static void again(LoopServices services, Request request, Asker asker) {
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

  /** Notes in {@code record} how long a look on disk took, and that {@code entry} is from there. */
  private static void note(ExchangeRecord record, Entry entry, LoadReport report) {
    record.stage(Stage.DISK_QUEUE, report.queueNanos());
    record.stage(Stage.DISK_FIRST_READ, report.readNanos());
    record.fromDisk = entry != null;
    if (report.outcome() == LoadOutcome.DAMAGED) {
      record.tag = LogTag.TCP_SWAPFAIL_MISS;
    }
  }

  /** While a directory is being opened, and it has its own bound, nobody is late. */
  private static long patienceMillis(LoopServices services) {
    ExchangeSettings settings = services.settings;
    boolean opening = settings.loadTimeoutMillis > 0 && services.store.isOpening();
    return settings.loadTimeoutMillis + (opening ? settings.openWaitMillis : 0);
  }

  private void load(Wanted wanted) {
    services.store.load(key, request.head().fields(), wanted, request.loop(), this);
  }

  @Override
  public void loaded(Entry entry, LoadReport report) {
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
      LOG.error("a request that waited for the disk failed", failure);
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

  private void tell(Entry entry, LoadReport report) {
    told = true;
    try {
      note(request.record(), entry, report);
      asker.looked(entry, report.outcome());
    } catch (RuntimeException | OutOfMemoryError failure) {
      request.stream().failed(failure);
    }
  }
}
