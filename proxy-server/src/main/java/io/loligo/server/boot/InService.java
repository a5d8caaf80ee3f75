package io.loligo.server.boot;

import io.loligo.server.launch.RunningCommand;
import io.loligo.server.systemd.ServiceManager;
import io.loligo.server.takeover.Incumbent;
import io.loligo.server.transport.ListeningSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This process, as its successor takes over from it. Confined to the thread of its socket. */
final class InService implements Incumbent {
  private static final Logger LOG = LoggerFactory.getLogger(InService.class);

  private static final long END_SECONDS = 10;

  private final Proxy proxy;
  private final ServiceManager manager;
  private final Path file;

  /** The last one that it started. */
  private @Nullable Process started;

  /** {@code file} is the configuration, for the command line of a successor. */
  InService(Proxy proxy, ServiceManager manager, Path file) {
    this.proxy = proxy;
    this.manager = manager;
    this.file = file;
  }

  @Override
  public @Nullable String refusal() {
    return proxy.takeoverRefusal();
  }

  @Override
  public List<ListeningSocket> sockets() {
    return proxy.offerSockets();
  }

  @Override
  public void goOn() {
    proxy.goOn();
  }

  @Override
  public void giveStore() throws IOException {
    proxy.giveStore();
  }

  @Override
  public void takeStoreBack(long successor) {
    proxy.acceptAgain();
    try {
      // it has the locks of the directories until then
      CompletableFuture<ProcessHandle> end =
          ProcessHandle.of(successor)
              .map(ProcessHandle::onExit)
              .orElseGet(() -> CompletableFuture.completedFuture(null));
      end.get(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("process {} has not ended; next: end it, and upgrade again", successor);
    }
    proxy.takeStoreBack();
  }

  @Override
  public void handOver(long successor) {
    manager.handedOver(successor);
    Process child = started;
    if (child != null && child.pid() == successor) {
      child.onExit().thenAccept(this::successorEnded);
    }
    try {
      proxy.handOver();
    } catch (RuntimeException | Error e) {
      // it cannot go back: some part has ended already
      LOG.error(
          "not every part was handed over to process {}, and this one ends at once; next: report"
              + " this defect, with the trace",
          successor,
          e);
      proxy.hurry();
      return;
    }
    LOG.info("process {} has taken over; this one ends when its exchanges have ended", successor);
  }

  /** A service manager may not notice the end of a process that it has not started itself. */
  private void successorEnded(Process child) {
    // zero: it was stopped, or taken over from
    if (child.exitValue() != 0) {
      LOG.error(
          "process {} has taken over, and has ended with status {}: this one ends, too, so that the"
              + " service manager starts a new one; next: look at the log of that process",
          child.pid(),
          child.exitValue());
      manager.takenBack(ProcessHandle.current().pid());
      proxy.successorFailed();
    }
  }

  @Override
  public Successor start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                RunningCommand.with(List.of("run", "-f", file.toString(), "--take-over")))
            .inheritIO();
    // it is of this process: the successor would think that no watchdog waits for it
    builder.environment().remove("WATCHDOG_PID");
    Process child = builder.start();
    started = child;
    LOG.info("process {} is started to take over", child.pid());
    CompletableFuture<Integer> ended = child.onExit().thenApply(process -> process.exitValue());
    return new Successor(child.pid(), ended);
  }
}
