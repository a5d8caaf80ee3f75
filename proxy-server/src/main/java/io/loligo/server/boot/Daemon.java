package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The proxy as a foreground process: logs, pid file, signals. Used by the main thread. */
final class Daemon {
  private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

  private final ProxyConfig config;

  Daemon(ProxyConfig config) {
    this.config = config;
  }

  /** Runs until SIGTERM or SIGINT. The process's exit status. */
  int run() {
    MemoryBudget budget = MemoryBudget.of(config);
    if (budget.refusal() != null) {
      System.err.println("loligo: not started: " + budget.refusal());
      return 1;
    }
    Proxy proxy;
    try {
      proxy = start();
    } catch (IOException | RuntimeException e) {
      LOG.error("not started: {}", e.getMessage(), e instanceof RuntimeException ? e : null);
      return 1;
    }
    CountDownLatch hurry = new CountDownLatch(1);
    Runnable stop = () -> stop(proxy, hurry);
    Signals.on("TERM", stop);
    Signals.on("INT", stop);
    Signals.on("HUP", () -> proxy.rotateLogs());
    for (InetSocketAddress address : proxy.addresses()) {
      LOG.info("listening on {}", text(address));
    }
    if (proxy.adminPort() >= 0) {
      LOG.info("metrics and administration on {}:{}", config.admin().address(), proxy.adminPort());
    }
    LOG.info("ready");
    proxy.drained().join();
    proxy.close();
    LOG.info("stopped");
    return 0;
  }

  private Proxy start() throws IOException {
    ProxyConfig placed = Places.of(config);
    AppLog.addFile(placed.logging().cacheLog());
    Proxy proxy = Proxy.start(placed);
    writePidFile(placed.workers().pidFile());
    return proxy;
  }

  /** The first signal drains; a second one hurries. */
  private static void stop(Proxy proxy, CountDownLatch hurry) {
    if (hurry.getCount() == 0) {
      LOG.info("second signal: closing at once");
      proxy.close();
      return;
    }
    hurry.countDown();
    LOG.info("draining");
    proxy.drain();
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().isAnyLocalAddress()
        ? "*:" + address.getPort()
        : address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  private static void writePidFile(String name) throws IOException {
    if (name == null || name.equals("none")) {
      return;
    }
    Path file = Path.of(name);
    Files.writeString(file, ProcessHandle.current().pid() + "\n");
    file.toFile().deleteOnExit();
  }
}
