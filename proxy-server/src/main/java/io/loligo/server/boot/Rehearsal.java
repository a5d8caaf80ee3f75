package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.hook.Hooks;
import io.loligo.server.time.TimeSource;
import io.loligo.server.training.Drill;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of all usual kinds through a private proxy in this process, before the process has any
 * port: the JVM then has compiled the code when the first client comes ({@code
 * docs/adr/0046-rehearsal.md}). The {@link RehearsedProxy} has ports of the system's choice on the
 * loopback address, and files in a temporary folder. Nothing of it is left at the end.
 *
 * <p>One thread runs it, once; any thread stops it.
 */
final class Rehearsal {
  private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
  private static final int LOOK_MILLIS = 50;

  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Whether {@code config} asks for one. */
  static boolean isWanted(ProxyConfig config) {
    return config.get(ProcessDirectives.REHEARSAL) > 0;
  }

  /** Ends it at once, now or before it begins. */
  void stop() {
    stopped.countDown();
  }

  /** Whether {@link #stop} was called. */
  boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /**
   * Rehearses for {@code config} until {@code warmth} says that it is enough, at most for the time
   * of the configuration. A failure is logged, and the process starts all the same.
   */
  void run(ProxyConfig config, Warmth warmth) {
    if (isStopped()) {
      return;
    }
    long mostMillis = config.get(ProcessDirectives.REHEARSAL);
    LOG.info("rehearsing before the ports open, at most {} ms", mostMillis);
    // the private proxy tells of its start and its end, too
    AppLog.level("ALL,0");
    long startMillis = millis();
    long compiledMillis = warmth.compiledMillis();
    String requests = null;
    try {
      requests = inFolder(config, warmth, startMillis + mostMillis);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "the rehearsal has failed, and the proxy starts without it: {}; next: correct that, or"
              + " remove loligo_rehearsal",
          e.toString());
    } finally {
      AppLog.level(config.get(ProcessDirectives.DEBUG_OPTIONS));
    }
    if (requests != null) {
      LOG.info(
          "rehearsed {} in {} ms, {} ms of compilation",
          requests,
          millis() - startMillis,
          warmth.compiledMillis() - compiledMillis);
    }
  }

  private static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(TimeSource.SYSTEM.nanos());
  }

  private String inFolder(ProxyConfig config, Warmth warmth, long endMillis) throws IOException {
    RehearsedProxy rehearsed = new RehearsedProxy(config);
    Path folder = Files.createTempDirectory("loligo-rehearsal");
    try (Drill drill = new Drill();
        Proxy proxy =
            Proxy.embed(
                rehearsed.configuration(folder, drill.originPort()),
                TimeSource.SYSTEM,
                Hooks.NONE)) {
      drill.begin(rehearsed.ports(proxy));
      String why = await(drill, warmth, endMillis);
      drill.end();
      return drill.requests() + " requests (" + why + ")";
    } finally {
      remove(folder);
    }
  }

  /** Returns why it is over. */
  private String await(Drill drill, Warmth warmth, long endMillis) throws IOException {
    while (true) {
      Exception failure = drill.failure();
      if (failure != null) {
        throw new IOException("requests fail: " + failure, failure);
      }
      if (warmth.isWarm(millis(), drill.requests())) {
        return "warm";
      }
      long left = endMillis - millis();
      if (left <= 0) {
        return "time is over";
      }
      try {
        if (stopped.await(Math.min(left, LOOK_MILLIS), TimeUnit.MILLISECONDS)) {
          return "stopped";
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return "interrupted";
      }
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
