package io.loligo.cluster.discovery;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a source again and again, on a thread of its own, so that a slow name server delays nothing
 * else. If it has no answer, the last one stays. Thread-safe.
 */
public final class Discovery implements AutoCloseable {
  /** Time between two questions. */
  public static final Duration PERIOD = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(Discovery.class);

  private final AddressSource source;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "loligo-cluster-discovery");
            made.setDaemon(true);
            return made;
          });

  /** Confined to the thread. */
  private String lastProblem = "";

  public Discovery(AddressSource source) {
    this.source = source;
  }

  /** Begins. {@code found} gets each answer, on the thread. */
  public void start(Duration period, Consumer<Set<InetSocketAddress>> found) {
    thread.scheduleWithFixedDelay(() -> ask(found), 0, period.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void ask(Consumer<Set<InetSocketAddress>> found) {
    try {
      found.accept(source.ask());
      lastProblem = "";
    } catch (IOException | RuntimeException e) {
      String problem = String.valueOf(e.getMessage());
      if (!problem.equals(lastProblem)) {
        LOG.warn(
            "the members of the cluster cannot be found out: {}; those known before stay; next:"
                + " correct members= of loligo_cluster, or what it names",
            problem);
      }
      lastProblem = problem;
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
