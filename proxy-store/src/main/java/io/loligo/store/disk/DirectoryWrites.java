package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredHash;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.disk.context.DirectoryCounters;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.write.DiskSpool;
import io.loligo.store.disk.write.Write;
import io.loligo.store.disk.write.Writer;
import io.loligo.store.inflight.Spool;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes responses to a directory, in every state: decides which ones it takes, on which thread
 * they are written, and the consequence of a failure. Thread-safe: any thread; nothing blocks.
 */
final class DirectoryWrites {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryWrites.class);

  private final DirectoryState state;
  private volatile CacheDir config;
  private final Geometry geometry;
  private final DiskThreads threads;
  private final AtomicLong ids;
  private final DirectoryCounters counters;
  private final MemoryLedger transit;
  private final DiskTier.MemoryView memory;
  private final Medium medium;
  private final AtomicBoolean makingSpace = new AtomicBoolean();
  private volatile boolean ended;

  /**
   * @param ids the last number given to an object
   */
  DirectoryWrites(
      DirectoryState state,
      CacheDir config,
      Geometry geometry,
      DiskThreads threads,
      AtomicLong ids,
      DirectoryCounters counters,
      MemoryLedger transit,
      DiskTier.MemoryView memory,
      Medium medium) {
    this.state = state;
    this.config = config;
    this.geometry = geometry;
    this.threads = threads;
    this.ids = ids;
    this.counters = counters;
    this.transit = transit;
    this.memory = memory;
    this.medium = medium;
  }

  /** Other options, from now on. */
  void reconfigure(CacheDir dir) {
    config = dir;
  }

  /** Takes no further responses; those that it has taken are still written. */
  void end() {
    ended = true;
  }

  /** Takes responses again after {@link #end}. */
  void beginAgain() {
    ended = false;
  }

  /** Whether responses of {@code contentLength} bytes of content may be written; -1: unknown. */
  boolean takes(long contentLength) {
    CacheDir config = this.config;
    return !ended
        && state.isReady()
        && !config.readOnly()
        && (contentLength < 0
            || (contentLength >= config.minObjectBytes()
                && (config.maxObjectBytes() < 0 || contentLength <= config.maxObjectBytes())
                && contentLength <= geometry.maxContentBytes()));
  }

  /**
   * Writes {@code entry}, at once if no wait is needed, else in the background; borrowed: retained
   * as long as needed.
   *
   * @param late whether it may be older than a stored response, which then stays
   * @param fresh whether only its head is new: the content is not in memory but on disk already
   * @param then told of the end, on a disk thread or at once; {@code entry} is still alive
   */
  void write(
      Entry entry, boolean fresh, boolean late, BooleanSupplier cancelled, Write.Listener then) {
    OpenDirectory now = state.ready();
    if (now == null || !entry.tryRetain()) {
      then.ended(Write.Ended.NOT_WRITTEN);
      return;
    }
    Write write =
        new Write(entry, ids.incrementAndGet(), fresh, late, cancelled, then, medium.nanos());
    if (writeNow(now, write)) {
      return;
    }
    if (!threads.write(() -> write(now, write), write.bytes(), false)) {
      counters.queueSkips.increment();
      write.tellAndRelease(Write.Ended.NOT_WRITTEN);
    }
  }

  /** Whether {@code write} has ended. */
  private boolean writeNow(OpenDirectory now, Write write) {
    try {
      Writer.Outcome outcome = now.writer().writeNow(write);
      if (outcome == null) {
        return false;
      }
      write.ended(outcome);
    } catch (RuntimeException | Error e) {
      write.failed(e);
    }
    written(now, write);
    makeSpaceEarly(now);
    return true;
  }

  /** Makes space before a write has to wait for it. */
  private void makeSpaceEarly(OpenDirectory now) {
    if (now.space().isLow() && makingSpace.compareAndSet(false, true)) {
      boolean queued =
          threads.write(
              () -> {
                makingSpace.set(false);
                try {
                  now.space().makeSome();
                } catch (IOException | RuntimeException | Error e) {
                  now.brokenUnlessShort(e);
                }
              },
              0,
              true);
      if (!queued) {
        makingSpace.set(false);
      }
    }
  }

  /** Memory holds {@code entry}, borrowed, which was written here. On a disk thread. */
  void wentToMemory(Entry entry) {
    OpenDirectory now = state.lastOpened();
    StoredHash hash = now.context().secret().hash().of(entry.key(), entry.meta().vary());
    now.catalogue().wentToMemory(hash.high(), hash.low());
  }

  /** Whether it has time for writes that can wait: they will not fill the queue for others. */
  boolean isCalm() {
    return takes(-1) && !threads.isCrowded();
  }

  private void write(OpenDirectory now, Write write) {
    try {
      if (state.isReady() || state.isClosed()) {
        write.ended(now.writer().write(write));
      }
    } catch (IOException | RuntimeException | Error e) {
      write.failed(e);
    } finally {
      written(now, write);
    }
  }

  private void written(OpenDirectory now, Write write) {
    try {
      Write.Ended how = Write.Ended.NOT_WRITTEN;
      try {
        how = ended(now, write);
        boolean lost = how == Write.Ended.NOT_WRITTEN && !write.fresh() && !write.late();
        if (lost && state.isClosed()) {
          now.drop(write.entry().key(), null, false); // no other code can any more
        }
      } finally {
        write.tellAndRelease(how);
      }
    } catch (RuntimeException | Error defect) {
      LOG.error(
          "cache_dir {}: the completion of a write failed; next: report this defect, with the"
              + " trace",
          config.path(),
          defect);
    }
  }

  private Write.Ended ended(OpenDirectory now, Write write) {
    Throwable failure = write.failure();
    if (failure instanceof OutOfMemoryError noMemory) {
      transit.shortage().met(noMemory, "a write to disk");
      counters.spaceSkips.increment();
    } else if (failure != null) {
      now.broken(failure);
    }
    if (write.outcome() == null) {
      return Write.Ended.NOT_WRITTEN;
    }
    return switch (write.outcome()) {
      case WRITTEN -> {
        if (!write.fresh()) {
          write.entry().diskId(write.id());
        }
        counters.writes.increment();
        counters.writtenBytes.add(write.entry().storedLength());
        write.show(medium.watch(), medium.nanos());
        yield Write.Ended.WRITTEN;
      }
      case REFUSED -> {
        counters.refusals.increment();
        yield Write.Ended.NOT_WRITTEN;
      }
      case NO_SPACE -> {
        counters.spaceSkips.increment();
        yield Write.Ended.NOT_WRITTEN;
      }
      case CANCELLED -> Write.Ended.CANCELLED;
    };
  }

  /** Opens a spool to disk for a fetch; see {@link io.loligo.store.inflight.Landing#spool}. */
  @Nullable Spool spool(
      CacheKey key,
      StoredMeta meta,
      ByteBuf fields,
      long contentLength,
      EventExecutor loop,
      Spool.Listener listener,
      Runnable superseded) {
    OpenDirectory now = state.ready();
    if (now == null || !takes(contentLength)) {
      return null;
    }
    int headBytes = key.length() + StoredForm.metaBytes(meta) + fields.readableBytes();
    DiskSpool.Bounds bounds = DiskSpool.Bounds.of(contentLength, headBytes, geometry);
    if (bounds == null || !transit.tryReserve(DiskSpool.CHARGE)) {
      return null;
    }
    try {
      return new DiskSpool(
          now.context(),
          now.writer(),
          key,
          fields,
          bounds.atMost(config.maxObjectBytes()),
          ids.incrementAndGet(),
          loop,
          listener,
          stored -> arrived(key, stored),
          superseded);
    } catch (OutOfMemoryError e) {
      transit.shortage().met(e, "a write to disk");
      transit.release(DiskSpool.CHARGE);
      return null;
    }
  }

  /** The copy in memory is older than {@code stored}, or may hide it. */
  private void arrived(CacheKey key, StoredMeta stored) {
    if (stored.part() == null) {
      memory.superseded(key, stored.vary());
    } else {
      memory.partStored(key);
    }
  }
}
