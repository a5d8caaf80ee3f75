package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.MetricsExport;

/**
 * A part of the process. Its constructor gets what it needs; {@link Parts} calls the rest, in the
 * order in which the parts were added. A part overrides what concerns it. No call is from an event
 * loop.
 */
interface Part extends AutoCloseable {
  /** The ports are open: begins its work. Once; not if an earlier part has failed. */
  default void open() {}

  /**
   * Another configuration is in force. Never at the same time as another reload.
   *
   * @param before the one that was in force
   */
  default void reconfigured(ProxyConfig before, ProxyConfig now) {}

  /** Shows its numbers at {@code /metrics}. At most once, by the first thread that wants them. */
  default void showMeters(MetricsExport export) {}

  /** Puts its numbers into the history, before that begins, or shows them at the live page. */
  default void showHistory(HistorySources sources) {}

  /** Adds its pages of the admin port. Once, before the port listens. */
  default void showPages(AdminPages pages) {}

  /** Shows its numbers in JMX. Once, before {@link #open} of any other part. */
  default void showBeans(ManagementBeans beans) {}

  /** Ends its work and releases everything. Once, also if it was never opened. May block. */
  @Override
  default void close() {}
}
