package io.loligo.store.disk;

import io.loligo.store.disk.medium.Presence;
import io.loligo.store.disk.patrol.Patrol;
import io.loligo.store.disk.purge.PurgeFile;
import io.loligo.store.disk.purge.StaleUrls;
import io.loligo.store.purge.Ban;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The regular work of an open directory: it flushes the journal, makes space early, writes
 * checkpoints when they are due, and continues the patrol. Confined to disk threads, one at a time.
 */
final class Upkeep {
  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);
  private static final long CHECKPOINT_RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Checkpoints that only the patrol waits for take this share of the time, as a divisor. */
  private static final int CHECKPOINT_SHARE = 100;

  private final String directory;
  private final DirectoryFiles files;
  private final PurgeFile purges;
  private final StaleUrls staleUrls;
  private final Patrol.Finds finds;
  private final Presence presence;
  private final LongSupplier clock;
  private final Consumer<Throwable> broken;
  private volatile Patrol patrol;
  private long nextCheckpointNanos;

  /** Before this time, no checkpoint is written for the patrol alone. */
  private long awaitedCheckpointNanos;

  /**
   * @param directory for the log
   * @param finds told of the responses that the patrol reads
   * @param clock nanoseconds
   * @param broken told that the disk has failed
   */
  Upkeep(
      String directory,
      DirectoryFiles files,
      PurgeFile purges,
      StaleUrls staleUrls,
      Patrol.Finds finds,
      Presence presence,
      LongSupplier clock,
      Consumer<Throwable> broken) {
    this.directory = directory;
    this.files = files;
    this.purges = purges;
    this.presence = presence;
    this.clock = clock;
    this.broken = broken;
    this.staleUrls = staleUrls;
    this.finds = finds;
    this.patrol = new Patrol(clock, staleUrls::isGone, finds);
    this.nextCheckpointNanos = clock.getAsLong();
    this.awaitedCheckpointNanos = nextCheckpointNanos;
  }

  /** The directory is being opened: the patrol goes once round the responses that are found. */
  void begin() {
    patrol = new Patrol(clock, staleUrls::isGone, finds);
  }

  /** Continues with {@code open}, whose files are there. Call every second. */
  void step(OpenDirectory open) {
    try {
      open.journal().flush();
      if (open.space().isLow()) {
        open.space().makeSome();
      }
    } catch (IOException | RuntimeException | Error e) {
      open.brokenUnlessShort(e);
      return;
    }
    checkpointIfDue(open);
    try {
      patrol.step(open.context(), purges.bans(), files.checkpoints(), this::retire);
    } catch (OutOfMemoryError e) {
      open.memoryShort(e, "a step of verifying the disk");
    } catch (RuntimeException e) {
      open.failedToRead(e);
    }
  }

  /** A failed checkpoint leaves the last one in force and is tried again. */
  private void checkpointIfDue(OpenDirectory open) {
    long begin = clock.getAsLong();
    boolean awaited = patrol.awaitsCheckpoints() && begin - awaitedCheckpointNanos >= 0;
    if (!(files.isCheckpointDue() || awaited) || begin - nextCheckpointNanos < 0) {
      return;
    }
    try {
      files.checkpoint();
      long end = clock.getAsLong();
      awaitedCheckpointNanos = end + (end - begin) * CHECKPOINT_SHARE;
      presence.remember();
    } catch (OutOfMemoryError e) {
      open.memoryShort(e, "a checkpoint");
    } catch (IOException e) {
      nextCheckpointNanos = clock.getAsLong() + CHECKPOINT_RETRY_NANOS;
      LOG.warn(
          "cache_dir {}: no checkpoint: {}; the next start takes longer; next: free space on that"
              + " disk, or look for its faults",
          directory,
          e.toString());
    }
  }

  /**
   * Forgets {@code bans}: no response that they cover can return, not even after a power failure.
   */
  private void retire(List<Ban> bans) {
    try {
      purges.retire(bans);
    } catch (IOException | RuntimeException | Error e) {
      broken.accept(e);
    }
  }
}
