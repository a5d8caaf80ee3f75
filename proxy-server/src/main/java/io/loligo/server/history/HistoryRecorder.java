package io.loligo.server.history;

import io.loligo.server.time.TimeSource;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a sample each second, and keeps the history in a file: what it finds there at the start,
 * then the whole history once a minute, or less often where it is large, and at the end. Started
 * and closed by one thread, not an event loop.
 *
 * <p>The thread {@code loligo-history} reads the file, then samples; {@code loligo-history-file}
 * writes, so that a slow disk makes no sample late.
 */
public final class HistoryRecorder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryRecorder.class);

  private static final long SAVE_MILLIS = 60_000;

  /** A larger history is written less often: {@value} bytes for each second. */
  private static final long SAVE_BYTES_PER_SECOND = 64 << 10;

  private static final long CLOSE_MILLIS = 10_000;

  private final HistorySources sources;
  private final TimeSource time;
  private final @Nullable HistoryFile file;
  private final History history;
  private final Thread thread = new Thread(this::run, "loligo-history");
  private final ExecutorService writer =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("loligo-history-file", true));
  private final CompletableFuture<Void> begun = new CompletableFuture<>();
  private final Object sampling = new Object();

  // guarded by sampling
  private @Nullable Sampler sampler;
  private @Nullable SlotClock clock;
  private boolean isFileOurs;
  private CompletableFuture<Boolean> asked = CompletableFuture.completedFuture(false);

  // of the thread that saves
  private boolean failed;

  private volatile long savedBytes;
  private volatile boolean isClosing;

  /**
   * Begins with an empty history.
   *
   * @param bytes direct memory for the records
   * @param path the file, whose folder exists; null: nothing is kept
   */
  public HistoryRecorder(
      HistorySources sources,
      TimeSource time,
      ByteBufAllocator allocator,
      int bytes,
      @Nullable Path path) {
    this.sources = sources;
    this.time = time;
    file = path == null ? null : new HistoryFile(path);
    history = new History(sources.series(), allocator, bytes);
    thread.setDaemon(true);
  }

  /** The numbers so far. */
  public History history() {
    return history;
  }

  /**
   * Starts the thread.
   *
   * @return completes when the file is read and sampling has begun
   */
  public CompletableFuture<Void> start() {
    thread.start();
    return begun;
  }

  private void run() {
    try {
      begin();
      begun.complete(null);
    } catch (RuntimeException e) {
      LOG.warn(
          "no history is kept; next: give the process more direct memory, or report this with the"
              + " trace",
          e);
      begun.completeExceptionally(e);
      return;
    }
    long sinceSaveMillis = 0;
    while (!isClosing) {
      if (waitForNextSecond()) {
        sinceSaveMillis += sample();
        if (sinceSaveMillis >= saveMillis()) {
          sinceSaveMillis = 0;
          writer.execute(this::save);
        }
      }
    }
  }

  /** Reads the file; sampling begins. */
  void begin() {
    long newest = -1;
    boolean ours = file != null;
    if (file != null) {
      try {
        newest = file.readInto(history);
      } catch (DamagedRecordException e) {
        ours = setAside(file, e);
      } catch (IOException e) {
        LOG.warn(
            "{}: cannot be read, so no history is kept: {}; next: correct the permissions of the"
                + " file, and start again",
            file.path(),
            e.toString());
        ours = false;
      }
    }
    synchronized (sampling) {
      isFileOurs = ours;
      sampler = new Sampler(sources);
      clock = new SlotClock(time, newest + 1);
    }
  }

  private static boolean setAside(HistoryFile file, DamagedRecordException why) {
    try {
      file.setAside();
      LOG.warn(
          "{}: not a whole history of this version ({}): moved to {}; the history begins anew;"
              + " next: nothing, or delete the moved file",
          file.path(),
          why.getMessage(),
          file.damagedPath());
      return true;
    } catch (IOException e) {
      LOG.warn(
          "{}: not a whole history of this version ({}), and it cannot be moved away, so no history"
              + " is kept: {}; next: move the file away, and start again",
          file.path(),
          why.getMessage(),
          e.toString());
      return false;
    }
  }

  /** Whether a second is over; false: it was woken for another reason. */
  private boolean waitForNextSecond() {
    LockSupport.parkNanos(this, untilNextNanos());
    return untilNextNanos() <= 0;
  }

  private long untilNextNanos() {
    synchronized (sampling) {
      return clock == null ? 1 : clock.untilNextNanos();
    }
  }

  /**
   * Takes a sample now, of the time since the one before.
   *
   * @return the length of that time in milliseconds
   */
  public long sample() {
    synchronized (sampling) {
      if (sampler == null || clock == null) {
        return 0;
      }
      long elapsed = clock.tick();
      try {
        // the second that is over
        history.add(sampler.sample(clock.second() - 1, elapsed), clock.aheadSeconds());
      } catch (RuntimeException e) {
        LOG.warn(
            "no sample of this second for the history; next: report this defect, with the trace",
            e);
      }
      return elapsed;
    }
  }

  private long saveMillis() {
    return Math.max(SAVE_MILLIS, savedBytes * 1000 / SAVE_BYTES_PER_SECOND);
  }

  /**
   * Takes a sample, and writes the file now, on a thread of its own. A call while another one is
   * pending gets its result.
   *
   * @return completes with whether the file has all numbers; false, too, if there is no file
   */
  public CompletableFuture<Boolean> saveNow() {
    synchronized (sampling) {
      if (asked.isDone()) {
        try {
          asked = CompletableFuture.supplyAsync(this::sampleAndSave, writer);
        } catch (RejectedExecutionException closed) {
          asked = CompletableFuture.completedFuture(false);
        }
      }
      return asked;
    }
  }

  /** Writes the file for the last time: another process has it when this returns. Blocks. */
  public void giveFileAway() {
    try {
      saveNow().get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn(
          "the history is not written: the next process lacks its last minute; next: look at the"
              + " load of its disk",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (sampling) {
      isFileOurs = false;
    }
  }

  private boolean sampleAndSave() {
    sample();
    return save();
  }

  /** Whether the file has all numbers. */
  private boolean save() {
    if (file == null || !isFileOurs()) {
      return false;
    }
    try {
      if (file.isOfAnotherProcess()) {
        leave(file);
        return false;
      }
      savedBytes = file.write(history);
      failed = false;
      return true;
    } catch (IOException e) {
      if (!failed) {
        LOG.warn(
            "{}: the history cannot be written: {}; a restart would lose the history since the last"
                + " write; next: free space on that disk, or correct the permissions of the folder",
            file.path(),
            e.toString());
      }
      failed = true;
      return false;
    }
  }

  /** Two processes that write one file would each lose their history at the next start. */
  private void leave(HistoryFile file) {
    LOG.warn(
        "{}: another process writes this file, so this one leaves it alone, and a restart loses its"
            + " history; next: give each process a file of its own (loligo_history), and start"
            + " again",
        file.path());
    synchronized (sampling) {
      isFileOurs = false;
    }
  }

  private boolean isFileOurs() {
    synchronized (sampling) {
      return isFileOurs;
    }
  }

  /** Takes a last sample, writes the file, and gives the memory back. */
  @Override
  public void close() {
    if (isClosing) {
      return;
    }
    isClosing = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CLOSE_MILLIS);
      sample();
      writer.execute(this::save);
      writer.shutdown();
      if (!writer.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
        LOG.warn(
            "the history is not written within {} ms: a restart loses its last minute; next: look"
                + " at the load of its disk",
            CLOSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    history.close();
  }
}
