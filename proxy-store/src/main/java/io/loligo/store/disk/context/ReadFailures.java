package io.loligo.store.disk.context;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells an unreadable place, which is damage, from a failing disk, on which {@value #MAX} reads in
 * a row fail. Thread-safe: disk threads.
 */
public final class ReadFailures {
  /** Failed reads in a row that count as a disk failure. */
  static final int MAX = 3;

  private static final Logger LOG = LoggerFactory.getLogger(ReadFailures.class);

  private final String directory;
  private final Consumer<Throwable> broken;
  private final AtomicInteger inRow = new AtomicInteger();

  /**
   * @param directory for the log
   * @param broken told that the disk fails
   */
  public ReadFailures(String directory, Consumer<Throwable> broken) {
    this.directory = directory;
    this.broken = broken;
  }

  /** A read succeeded. */
  public void none() {
    if (inRow.get() != 0) {
      inRow.set(0);
    }
  }

  /** A read failed. */
  public void failed(Throwable why) {
    if (inRow.incrementAndGet() >= MAX) {
      broken.accept(why);
    } else {
      LOG.warn(
          "cache_dir {}: cannot read: {}; such requests go to origins; next: look for faults of the"
              + " disk",
          directory,
          why.toString());
    }
  }
}
