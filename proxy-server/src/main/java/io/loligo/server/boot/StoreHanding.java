package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the directories of the store to another process. Confined to one thread, which it blocks.
 */
final class StoreHanding {
  private static final Logger LOG = LoggerFactory.getLogger(StoreHanding.class);

  /** Longest wait for responses that are arriving on a disk. */
  private static final long MOST_WAIT_MILLIS = 30_000;

  private static final long LOOK_MILLIS = 20;
  private static final long LOOPS_SECONDS = 10;

  private final TieredStore store;
  private final Loops loops;
  private final Ports ports;
  private final Supplier<ProxyConfig> config;

  StoreHanding(TieredStore store, Loops loops, Ports ports, Supplier<ProxyConfig> config) {
    this.store = store;
    this.loops = loops;
    this.ports = ports;
    this.config = config;
  }

  /**
   * Releases the directories. A response that is arriving on a disk can end before: a client that
   * lags reads it back from there.
   *
   * @throws IOException a directory cannot be released in time
   */
  void give() throws IOException {
    store.takeNoMore();
    try {
      // a loop may be about to write
      loops.answer().get(LOOPS_SECONDS, TimeUnit.SECONDS);
      awaitArriving();
      ports.pause(); // new connections find everything in the next process
      loops.answer().get(LOOPS_SECONDS, TimeUnit.SECONDS);
      store.giveDirectories();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      takeBack();
      throw new IOException("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      takeBack();
      throw new IOException("an event loop does not answer", e);
    } catch (IOException e) {
      takeBack();
      throw e;
    } catch (RuntimeException | Error e) {
      LOG.error("the store is kept; next: report this defect, with the trace", e);
      takeBack();
      throw new IOException("a defect: " + e, e);
    }
  }

  private void awaitArriving() throws InterruptedException {
    long most = Math.min(MOST_WAIT_MILLIS, config.get().get(ProcessDirectives.SHUTDOWN_LIFETIME));
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(most);
    int arriving = store.arriving();
    if (arriving > 0) {
      LOG.info("waits up to {} ms for {} responses that are arriving on disk", most, arriving);
    }
    while (arriving > 0 && System.nanoTime() - endNanos < 0) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      arriving = store.arriving();
    }
    if (arriving > 0) {
      LOG.warn(
          "{} responses are still arriving on disk, and are not stored; clients that lag far behind"
              + " are cut; next: raise shutdown_lifetime",
          arriving);
    }
  }

  /** The other process has failed: accepts connections again, and serves them from memory. */
  void acceptAgain() {
    ports.resume();
  }

  /** The other process has ended: opens the directories again. */
  void takeBack() {
    acceptAgain();
    try {
      store.takeDirectoriesBack(DiskSettings.of(config.get()));
    } catch (IOException | RuntimeException e) {
      LOG.error(
          "the cache_dirs stay closed: {}; this process serves from memory and origins; next:"
              + " correct that, and reload",
          e.getMessage(),
          e);
    }
  }
}
