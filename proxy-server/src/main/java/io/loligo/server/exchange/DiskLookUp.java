package io.loligo.server.exchange;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.message.Fields;
import io.loligo.server.time.LoopTimer;
import io.loligo.store.Store.LoadListener;
import io.loligo.store.Store.LoadReport;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.netty.channel.EventLoop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for what the disk has for one request, but not longer than {@code loadTimeoutMillis} once
 * the directories are open: who asked is told once, by the disk or by the clock. What comes later,
 * or when nobody waits any more, is released. Confined to the client's event loop.
 */
final class DiskLookUp extends LoopTimer.Timeout implements LoadListener {
  /** Who waits. Told on its event loop, never before {@link #start} returns. */
  interface Asker {
    /**
     * Whether {@code entry}, borrowed, of which there is the head only, is all the answer needs;
     * else the content is loaded too.
     */
    boolean suffices(Entry entry);

    /** Whether the client is gone; nothing is told then. */
    boolean over();

    /**
     * What was found. Takes {@code entry}, null where nothing can be had in time: {@code report}
     * says why.
     */
    void looked(Entry entry, LoadReport report);

    /** Told before {@link #looked} where the time was up. */
    void late();

    /** It failed where it should not. */
    void broken(Throwable failure);
  }

  private static final Logger LOG = LoggerFactory.getLogger(DiskLookUp.class);

  private final ExchangeLoop loop;
  private final Asker asker;
  private final CacheKey key;
  private final Fields request;
  private final EventLoop eventLoop;
  private final long startNanos;
  private boolean told;
  private LoadReport before;

  private DiskLookUp(
      ExchangeLoop loop, CacheKey key, Fields request, EventLoop eventLoop, Asker asker) {
    this.loop = loop;
    this.key = key;
    this.request = request;
    this.eventLoop = eventLoop;
    this.asker = asker;
    this.startNanos = loop.clock().nanos();
  }

  /**
   * Looks for what {@code request} selects under {@code key}.
   *
   * @param request a snapshot nobody changes
   * @param headMayDo whether the asker may be content with the head
   */
  static void start(
      ExchangeLoop loop,
      CacheKey key,
      Fields request,
      boolean headMayDo,
      EventLoop eventLoop,
      Asker asker) {
    DiskLookUp lookUp = new DiskLookUp(loop, key, request, eventLoop, asker);
    loop.timer().arm(lookUp, patienceMillis(loop));
    lookUp.load(headMayDo ? Wanted.HEAD : Wanted.CONTENT);
  }

  /** While a directory is being opened, and it has its own bound, nobody is late. */
  private static long patienceMillis(ExchangeLoop loop) {
    ExchangeSettings settings = loop.settings();
    boolean opening = settings.loadTimeoutMillis > 0 && loop.store().isOpening();
    return settings.loadTimeoutMillis + (opening ? settings.openWaitMillis : 0);
  }

  private void load(Wanted wanted) {
    loop.store().load(key, request, wanted, eventLoop, this);
  }

  @Override
  public void loaded(Entry entry, LoadReport report) {
    if (!told && !asker.over() && entry != null && entry.isHeadOnly() && !suffices(entry)) {
      entry.release();
      before = report;
      load(Wanted.CONTENT_AFTER_HEAD);
      return;
    }
    loop.timer().forget(this);
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
      asker.late();
      tell(null, new LoadReport(LoadOutcome.BUSY, loop.clock().nanos() - startNanos, 0));
    }
  }

  private void tell(Entry entry, LoadReport report) {
    told = true;
    try {
      asker.looked(entry, report);
    } catch (RuntimeException | OutOfMemoryError failure) {
      asker.broken(failure);
    }
  }
}
