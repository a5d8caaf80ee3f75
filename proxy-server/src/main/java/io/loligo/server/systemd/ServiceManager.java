package io.loligo.server.systemd;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service manager that started this process, if it wants to be told about it (systemd: {@code
 * Type=notify}). Without one, every method does nothing. Thread-safe, and never waits.
 *
 * @see <a href="https://www.freedesktop.org/software/systemd/man/sd_notify.html">sd_notify(3)</a>
 */
public final class ServiceManager implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);

  /** While the proxy stops, it asks again and again for as much more time. */
  private static final long MORE_SECONDS = 30;

  private static final long ASK_SECONDS = 10;

  /** Signs of life in each watchdog interval; systemd recommends two. */
  private static final int SIGNS = 2;

  private final @Nullable NotifySocket socket;
  private final long watchdogMicros;

  /** Whether it listens to a successor. */
  private volatile boolean handedOver;

  /** Null without a service manager. */
  private final @Nullable ScheduledExecutorService thread;

  private ServiceManager(@Nullable NotifySocket socket, long watchdogMicros) {
    this.socket = socket;
    this.watchdogMicros = watchdogMicros;
    this.thread =
        socket == null
            ? null
            : Executors.newSingleThreadScheduledExecutor(
                new DefaultThreadFactory("loligo-systemd", true));
  }

  /**
   * The one that {@code environment} names.
   *
   * @param pid number of this process
   */
  public static ServiceManager of(Map<String, String> environment, long pid) {
    String address = environment.getOrDefault("NOTIFY_SOCKET", "");
    if (address.isEmpty()) {
      return new ServiceManager(null, 0);
    }
    try {
      return new ServiceManager(NotifySocket.to(address), watchdogMicros(environment, pid));
    } catch (IOException e) {
      LOG.warn(
          "the service manager at NOTIFY_SOCKET={} cannot be told that the proxy is ready: {};"
              + " next: allow programs in java.io.tmpdir, or set Type=exec",
          address,
          e.getMessage());
      return new ServiceManager(null, 0);
    }
  }

  /** Zero if it wants no signs of life of process {@code pid}. */
  static long watchdogMicros(Map<String, String> environment, long pid) {
    String watched = environment.getOrDefault("WATCHDOG_PID", "");
    String micros = environment.getOrDefault("WATCHDOG_USEC", "");
    boolean ours = watched.isEmpty() || watched.equals(Long.toString(pid));
    return ours && micros.matches("[0-9]{1,15}") ? Long.parseLong(micros) : 0;
  }

  /**
   * The ports are open.
   *
   * @param answers begins a question to all event loops, which completes when each has answered
   */
  public void ready(Supplier<CompletableFuture<?>> answers) {
    send("READY=1");
    if (thread != null && watchdogMicros > 0) {
      Watchdog watchdog = new Watchdog(answers, () -> send("WATCHDOG=1"));
      long pause = Math.max(1, watchdogMicros / SIGNS);
      thread.scheduleAtFixedRate(watchdog, 0, pause, TimeUnit.MICROSECONDS);
    }
  }

  /** A reload begins; {@link #reloaded} ends it. */
  public void reloading() {
    // CLOCK_MONOTONIC, as System.nanoTime is on Linux
    send("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
  }

  /** A reload has ended, with success or not: the proxy serves. */
  public void reloaded() {
    send("READY=1");
  }

  /** The proxy drains. Until {@link #close} the service manager is asked to wait. */
  public void stopping() {
    send("STOPPING=1");
    if (thread != null && !handedOver) {
      thread.scheduleAtFixedRate(
          () -> send("EXTEND_TIMEOUT_USEC=" + TimeUnit.SECONDS.toMicros(MORE_SECONDS)),
          0,
          ASK_SECONDS,
          TimeUnit.SECONDS);
    }
  }

  /**
   * Another process is the service from now on: it is told so, and nothing else by this one.
   *
   * @param successor number of that process
   */
  public void handedOver(long successor) {
    send("MAINPID=" + successor);
    handedOver = true;
    if (thread != null) {
      thread.shutdownNow();
    }
  }

  /**
   * The process of {@link #handedOver} has failed: process {@code pid}, this one, is the service
   * until it ends.
   */
  public void takenBack(long pid) {
    handedOver = false;
    send("MAINPID=" + pid);
  }

  private void send(String message) {
    if (socket == null || handedOver) {
      return;
    }
    try {
      socket.send(message);
    } catch (IOException e) {
      LOG.warn(
          "the service manager was not told {}: {}; next: look whether it runs",
          message.replace('\n', ' '),
          e.toString());
    }
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.shutdownNow();
    }
    if (socket != null) {
      socket.close();
    }
  }
}
