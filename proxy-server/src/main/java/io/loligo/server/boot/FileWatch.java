package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for changes of the files that the configuration was read from, if {@code
 * loligo_reload_on_change} wants it, and reloads. A file counts as changed when two looks find it
 * in the same new state: nobody writes it at that moment. Thread-safe: any thread but event loops.
 */
final class FileWatch implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatch.class);

  /** Interval of the looks whether a reload has set an interval. */
  private static final long ASK_MILLIS = TimeUnit.SECONDS.toMillis(10);

  private final Supplier<ProxyConfig> config;
  private final SecuredPorts.Looks looks;
  private final Reloader reloader;
  private final WatchedFiles loaded = new WatchedFiles();
  private final WatchedFiles seen = new WatchedFiles();
  private volatile boolean stopped;

  /**
   * Watches nothing yet.
   *
   * @param config the configuration in force
   * @param looks schedules the looks
   * @param reloader the looks happen between its reloads
   */
  FileWatch(Supplier<ProxyConfig> config, SecuredPorts.Looks looks, Reloader reloader) {
    this.config = config;
    this.looks = looks;
    this.reloader = reloader;
    loaded.note(paths(config.get()));
  }

  /** The system changes its own files all the time. */
  private static Collection<String> paths(ProxyConfig config) {
    return config.files().stream().filter(path -> !path.startsWith("/proc/")).toList();
  }

  @Override
  public void open() {
    watch();
  }

  /** On the reload's thread. A change since the files were read shows at the next look. */
  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    loaded.noteNew(paths(now));
  }

  private void watch() {
    long millis = config.get().get(ProcessDirectives.RELOAD_ON_CHANGE);
    if (!stopped) {
      boolean wanted = millis > 0;
      looks.schedule(() -> look(wanted), wanted ? millis : ASK_MILLIS);
    }
  }

  private void look(boolean atFiles) {
    if (!stopped) {
      reloader.between(() -> check(atFiles));
    }
  }

  /** On the reload's thread. */
  private void check(boolean files) {
    Collection<String> paths = paths(config.get());
    if (files && loaded.changed(paths)) {
      if (seen.changed(paths)) {
        seen.note(paths);
      } else {
        LOG.info("files of the configuration have changed: reloading");
        loaded.note(paths);
        reloader.reload();
      }
    }
    watch();
  }

  @Override
  public void close() {
    stopped = true;
  }
}
