package io.loligo.server.metrics;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the export when it is first wanted: it has hundreds of meters, and a proxy inside another
 * program may never show them. Thread-safe.
 */
public final class MetricsOnDemand implements AutoCloseable {
  private final Supplier<MetricsExport> maker;
  private @Nullable MetricsExport export;
  private boolean isClosed;

  /** {@code maker} is called at most once, by the thread that is first. */
  public MetricsOnDemand(Supplier<MetricsExport> maker) {
    this.maker = maker;
  }

  /**
   * The export.
   *
   * @throws IllegalStateException if it was closed before anybody wanted it
   */
  public synchronized MetricsExport get() {
    if (export == null) {
      if (isClosed) {
        throw new IllegalStateException("closed");
      }
      export = maker.get();
    }
    return export;
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (export != null) {
      export.close();
    }
  }
}
