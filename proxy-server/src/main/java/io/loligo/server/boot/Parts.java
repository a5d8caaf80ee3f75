package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.MetricsExport;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of the process: they open in the order in which they were added, and close in the
 * reverse order. Thread-safe: any thread but event loops; parts are added while the process starts.
 */
final class Parts {
  private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

  private final List<Part> parts = new CopyOnWriteArrayList<>();

  /** Adds {@code part}, which closes before all earlier ones, and returns it. */
  <P extends Part> P add(P part) {
    parts.add(part);
    return part;
  }

  /** Adds a part that does nothing but this when it closes. */
  void addEnd(Runnable end) {
    parts.add(
        new Part() {
          @Override
          public void close() {
            end.run();
          }
        });
  }

  /** Opens all, in order; the failure of one is thrown on. */
  void open() {
    parts.forEach(Part::open);
  }

  /** Tells all, in order; one that fails is logged, because the configuration is in force. */
  void reconfigured(ProxyConfig before, ProxyConfig now) {
    for (Part part : parts) {
      try {
        part.reconfigured(before, now);
      } catch (RuntimeException e) {
        LOG.error(
            "{} did not take the new configuration, everything else did; next: report this defect,"
                + " with the trace",
            part.getClass().getSimpleName(),
            e);
      }
    }
  }

  void showMeters(MetricsExport export) {
    parts.forEach(part -> part.showMeters(export));
  }

  void showHistory(HistorySources sources) {
    parts.forEach(part -> part.showHistory(sources));
  }

  void showPages(AdminPages pages) {
    parts.forEach(part -> part.showPages(pages));
  }

  void showBeans(ManagementBeans beans) {
    parts.forEach(part -> part.showBeans(beans));
  }

  /** Closes all, the last one first; one that fails is logged. */
  void close() {
    for (int i = parts.size() - 1; i >= 0; i--) {
      try {
        parts.get(i).close();
      } catch (RuntimeException e) {
        LOG.warn(
            "closing {} failed; the stop goes on; next: report this defect, with the trace",
            parts.get(i).getClass().getSimpleName(),
            e);
      }
    }
  }
}
