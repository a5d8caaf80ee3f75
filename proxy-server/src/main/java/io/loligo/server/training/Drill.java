package io.loligo.server.training;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Clients and an origin in this process, with requests of all usual kinds to a proxy in it, until
 * it is closed. One thread begins and closes it; any thread reads the numbers.
 *
 * <p>They have blocking sockets of the JDK and a thread for each connection: no class of theirs is
 * on the path of a request of the proxy, so its call sites see the proxy alone.
 */
public final class Drill implements AutoCloseable {
  private static final int CLIENTS = 32;

  /** Connections that fail without a doubt about the whole. */
  private static final int MOST_FAILURES = 5;

  /** Of one thread, at the end: it has nothing to wait for. */
  private static final Duration END = Duration.ofSeconds(5);

  private final TrainingOrigin origin;
  private final List<Thread> clients = new ArrayList<>();
  private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
  private final LongAdder requests = new LongAdder();
  private volatile boolean ending;

  /** Opens the origin; no client begins yet. */
  public Drill() throws IOException {
    origin = new TrainingOrigin();
  }

  /** Port of the origin, on the loopback address. */
  public int originPort() {
    return origin.port();
  }

  /**
   * Begins, once.
   *
   * @param ports of the proxy on the loopback address, which share the clients
   */
  public void begin(List<Port> ports) {
    for (int i = 0; i < CLIENTS; i++) {
      Port port = ports.get(i % ports.size());
      TrainingClient client = new TrainingClient(i, port.number(), origin.port(), port.accel());
      clients.add(TrainingOrigin.daemon("training-client", () -> repeat(client)));
    }
  }

  /**
   * A port of the proxy.
   *
   * @param accel whether it stands for the origin; else clients know that it is a proxy
   */
  public record Port(int number, boolean accel) {}

  private void repeat(TrainingClient client) {
    while (!ending && failures.size() <= MOST_FAILURES) {
      try {
        client.connection();
        requests.add(TrainingClient.REQUESTS_PER_CONNECTION);
      } catch (IOException | RuntimeException e) {
        if (!ending) {
          failures.add(e);
        }
      }
    }
  }

  /** Requests of all connections that have ended. */
  public long requests() {
    return requests.sum();
  }

  /** The first failure, if there were so many that the clients have ended; else null. */
  public @Nullable Exception failure() {
    return failures.size() > MOST_FAILURES ? failures.peek() : null;
  }

  /** Clients begin no more connections. The proxy may close theirs from now on. */
  public void end() {
    ending = true;
  }

  /** Ends everything, and waits for its threads: the proxy has closed its connections. */
  @Override
  public void close() throws IOException {
    end();
    try {
      origin.end(END);
      for (Thread client : clients) {
        client.join(END.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
