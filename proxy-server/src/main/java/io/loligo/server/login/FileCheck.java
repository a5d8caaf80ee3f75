package io.loligo.server.login;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks passwords by the hashes in a file, as {@code basic_ncsa_auth} does, on threads of its own
 * with a bounded queue. Thread-safe: any thread.
 *
 * <p>A hash takes CPU on purpose. So there are at most half as many threads as cores, and event
 * loops keep the rest. Each check looks at the file first. While answers are used again, the file
 * is looked at every {@value #LOOK_SECONDS} seconds.
 */
final class FileCheck implements PasswordCheck {
  /** Most checks that wait, unless the configuration says otherwise: {@value}. */
  static final int QUEUE = 256;

  static final long LOOK_SECONDS = 5;
  private static final long IDLE_SECONDS = 30;

  private final PasswordFile file;
  private final ThreadPoolExecutor threads;
  private final LongSupplier nanos;
  private final AtomicLong lookedNanos;

  /**
   * Starts no thread yet.
   *
   * @param most threads at most
   * @param queue checks that may wait
   * @param nanos the monotonic clock
   */
  FileCheck(PasswordFile file, int most, int queue, LongSupplier nanos) {
    this.file = file;
    this.nanos = nanos;
    lookedNanos = new AtomicLong(nanos.getAsLong());
    int count = Math.max(1, Math.min(most, Runtime.getRuntime().availableProcessors() / 2));
    threads =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(queue),
            new DefaultThreadFactory("loligo-login", true));
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public void check(Credentials credentials, Consumer<Answer> then) {
    try {
      threads.execute(() -> then.accept(outcome(credentials)));
    } catch (RejectedExecutionException full) {
      String why = threads.isShutdown() ? "it is stopping" : "too many passwords wait";
      then.accept(new Unavailable("no check of a password: " + why));
    }
  }

  private Answer outcome(Credentials credentials) {
    try {
      return answer(credentials);
    } catch (RuntimeException | OutOfMemoryError e) {
      return new Unavailable("the check of a password failed: " + e);
    }
  }

  private Answer answer(Credentials credentials) {
    lookedNanos.set(nanos.getAsLong());
    file.refresh();
    UserList users = file.users();
    if (users == null) {
      return new Unavailable("the file of users cannot be read");
    }
    String user = credentials.user();
    PasswordHash hash = users.hash(user);
    if (hash == null || !hash.isUsable()) {
      users.decoy().matches(credentials.passwordBytes());
      return new Rejected("no such user", () -> has(user, hash));
    }
    return hash.matches(credentials.passwordBytes())
        ? new Accepted(() -> has(user, hash))
        : new Rejected("wrong password", () -> has(user, hash));
  }

  /** Whether the file, as last read, still has this hash for the user. */
  private boolean has(String user, @Nullable PasswordHash hash) {
    look();
    UserList users = file.users();
    PasswordHash now = users == null ? null : users.hash(user);
    return Objects.equals(now, hash);
  }

  /** Whether the last look at the file was long ago. */
  boolean lookIsDue() {
    return nanos.getAsLong() - lookedNanos.get() >= TimeUnit.SECONDS.toNanos(LOOK_SECONDS);
  }

  private void look() {
    long last = lookedNanos.get();
    if (lookIsDue() && lookedNanos.compareAndSet(last, nanos.getAsLong())) {
      try {
        threads.execute(file::refresh);
      } catch (RejectedExecutionException full) {
        lookedNanos.set(last); // the checks that fill the queue look themselves
      }
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
