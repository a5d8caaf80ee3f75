package io.loligo.store.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another set of directories for a tier in use. Preparing it claims the new ones and may fail; then
 * nothing has changed. {@link #commit} opens them in the background, as at a start, and closes the
 * others cleanly, which releases their locks: from then on another process may use them. A response
 * that is being read from one, or written to it, has {@link #DRAIN_NANOS} to end before; then its
 * reader continues as if the disk had failed. A directory whose size or threads change is closed
 * and opened again; content that fits the new size stays, and removals meanwhile reach it.
 *
 * <p>Confined to one thread, which it blocks; one change at a time.
 */
public final class DirectoryChange implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryChange.class);

  /** Longest wait for responses that are being read from a directory, or written to it. */
  static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final DiskTier tier;
  private final DiskSettings wanted;
  private final long drainNanos;
  private final List<DiskDirectory> added = new ArrayList<>();
  private final List<DiskDirectory> leaving;
  private final Map<DiskDirectory, CacheDir> kept = new LinkedHashMap<>();
  private final List<CacheDir> again = new ArrayList<>();

  private DirectoryChange(DiskTier tier, DiskSettings wanted, long drainNanos) {
    this.tier = tier;
    this.wanted = wanted;
    this.drainNanos = drainNanos;
    this.leaving = new ArrayList<>(tier.directories().all());
  }

  /**
   * Claims the new directories of {@code wanted}.
   *
   * @param drainNanos longest wait for responses in progress
   * @throws IOException one cannot be claimed; names it and the remedy
   */
  static DirectoryChange prepare(DiskTier tier, DiskSettings wanted, long drainNanos)
      throws IOException {
    DirectoryChange change = new DirectoryChange(tier, wanted, drainNanos);
    try {
      for (CacheDir dir : wanted.dirs()) {
        change.prepare(dir);
      }
    } catch (IOException | RuntimeException | Error e) {
      change.close();
      throw e;
    }
    return change;
  }

  private void prepare(CacheDir dir) throws IOException {
    for (DiskDirectory there : tier.directories().all()) {
      if (there.config().path().equals(dir.path())) {
        if (there.isGiven()) {
          again.add(dir);
        } else if (there.isLike(dir, wanted)) {
          keep(there, dir);
        } else if (there.isGone()) {
          keepAway(there, dir);
        } else {
          there.checkResized(dir, wanted);
          again.add(dir);
        }
        return;
      }
    }
    if (tier.directories().isEnding(dir.path())) {
      failed(
          dir, new IOException("its threads are still busy since it was closed: look at its disk"));
      return;
    }
    added.add(tier.claim(dir, wanted));
    DiskTier.checkSpace(added);
  }

  private void keep(DiskDirectory there, CacheDir dir) {
    kept.put(there, dir);
    leaving.remove(there);
  }

  /** Its disk is away, and a claim would make another directory in its place, on another disk. */
  private void keepAway(DiskDirectory there, CacheDir dir) throws IOException {
    if (dir.maxBytes() != there.config().maxBytes()) {
      throw DirectoryClaim.refusal(
          dir, "its disk is away: mount it, or leave its size as it was", null);
    }
    LOG.warn(
        "cache_dir {} ({}): its disk is away: it stays off, with its former threads and sizes;"
            + " next: mount it, and reload again",
        dir.path(),
        dir.source());
    keep(there, dir);
  }

  /** Whether directories will be opened. */
  public boolean opens() {
    return !added.isEmpty() || !again.isEmpty();
  }

  /**
   * Carries it out.
   *
   * @return completes when the new directories are ready, or off
   */
  public CompletableFuture<Void> commit() {
    tier.use(wanted);
    kept.forEach((directory, dir) -> directory.reconfigure(dir, wanted));
    List<CompletableFuture<Void>> opened = new ArrayList<>();
    for (DiskDirectory directory : added) {
      opened.add(join(directory, null));
    }
    added.clear();
    closeLeaving();
    tier.takeBack();
    RuntimeException defect = null;
    for (CacheDir dir : again) {
      try {
        opened.add(openAgain(dir, former(dir)));
      } catch (RuntimeException e) {
        defect = e; // the others must not stay paused
      }
    }
    tier.directories().order(wanted.dirs().stream().map(CacheDir::path).toList());
    if (defect != null) {
      throw defect;
    }
    return CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new));
  }

  /** The directory that is closed and opened again as {@code dir}. */
  private DiskDirectory former(CacheDir dir) {
    return leaving.stream()
        .filter(one -> one.config().path().equals(dir.path()))
        .findAny()
        .orElseThrow();
  }

  private boolean returns(DiskDirectory directory) {
    return again.stream().anyMatch(dir -> dir.path().equals(directory.config().path()));
  }

  private CompletableFuture<Void> openAgain(CacheDir dir, DiskDirectory former) {
    boolean replaced = false;
    try {
      DiskDirectory directory = tier.claim(dir, wanted);
      CompletableFuture<Void> opened = join(directory, former);
      replaced = !directory.isClosed();
      return opened;
    } catch (IOException e) {
      failed(dir, e);
      return CompletableFuture.completedFuture(null);
    } finally {
      if (!replaced) {
        tier.abandon(former);
      }
    }
  }

  private CompletableFuture<Void> join(DiskDirectory directory, @Nullable DiskDirectory former) {
    try {
      directory.fit();
      return tier.join(directory, former);
    } catch (IOException | RuntimeException e) {
      directory.close();
      failed(directory.config(), e);
      return CompletableFuture.completedFuture(null);
    }
  }

  private static void failed(CacheDir dir, Exception why) {
    LOG.error(
        "cache_dir {}: not in use: {}; requests go on without it; next: correct that, and reload"
            + " again",
        dir.path(),
        why.getMessage(),
        why);
  }

  private void closeLeaving() {
    for (DiskDirectory directory : leaving) {
      if (returns(directory)) {
        tier.pause(directory);
      } else {
        tier.leave(directory);
      }
    }
    long drained = System.nanoTime() + drainNanos;
    for (DiskDirectory directory : leaving) {
      if (!directory.awaitUnused(drained)) {
        LOG.warn(
            "cache_dir {}: {} responses are still being read or written after {} s: it is closed,"
                + " and they go on without it; next: nothing",
            directory.config().path(),
            directory.inUse(),
            TimeUnit.NANOSECONDS.toSeconds(drainNanos));
      }
    }
    leaving.forEach(DiskDirectory::beginClose);
    long flushed = System.nanoTime() + DiskDirectory.FLUSH_NANOS;
    for (DiskDirectory directory : leaving) {
      directory.close(flushed);
      LOG.info("cache_dir {}: closed", directory.config().path());
    }
  }

  /** Gives it up: releases claimed directories. Nothing after {@link #commit}. */
  @Override
  public void close() {
    added.forEach(DiskDirectory::close);
    added.clear();
  }
}
