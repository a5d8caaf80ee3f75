package io.loligo.store.disk.context;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a place that cannot be read, which is damage, from a disk that fails: there {@value #MAX}
 * reads do so in a row. Thread-safe: disk threads.
 */
public final class ReadFailures {
  /** So many in a row are a disk that fails. */
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

  /** Something was read. */
  public void none() {
    if (inRow.get() != 0) {
      inRow.set(0);
    }
  }

  /** Something could not be read. */
  public void failed(Throwable why) {
    if (inRow.incrementAndGet() >= MAX) {
      broken.accept(why);
    } else {
      LOG.warn("cache_dir {}: cannot read: {}", directory, why.toString());
    }
  }
}
