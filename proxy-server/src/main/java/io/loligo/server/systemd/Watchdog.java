package io.loligo.server.systemd;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Gives a sign of life only after every event loop has answered. A loop that hangs ends the signs,
 * and the service manager restarts the process. Confined to one thread, except that the sign is
 * given by whoever answers last.
 */
final class Watchdog implements Runnable {
  private final Supplier<CompletableFuture<?>> answers;
  private final Runnable sign;

  /** The last question. */
  private CompletableFuture<?> asked = CompletableFuture.completedFuture(null);

  Watchdog(Supplier<CompletableFuture<?>> answers, Runnable sign) {
    this.answers = answers;
    this.sign = sign;
  }

  /** Asks, unless the last question is still open. */
  @Override
  public void run() {
    if (asked.isDone()) {
      asked = answers.get().thenRun(sign);
    }
  }
}
