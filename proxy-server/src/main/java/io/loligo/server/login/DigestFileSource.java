package io.loligo.server.login;

import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.digest.DigestAlgorithm;
import io.loligo.server.login.digest.DigestFile;
import io.loligo.server.login.digest.DigestUsers;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The users of a file, as {@code digest_file_auth} reads it. Thread-safe: any thread.
 *
 * <p>One thread of its own looks whether the file has changed: after a wrong response, and every
 * {@value FileCheck#LOOK_SECONDS} seconds while users are asked for.
 */
final class DigestFileSource implements DigestSource {
  private static final long IDLE_SECONDS = 30;

  private final DigestFile file;
  private final LongSupplier nanos;
  private final AtomicLong lookedNanos;
  private final ThreadPoolExecutor thread;

  /** Users of {@code file}; {@code nanos} is the monotonic clock. */
  DigestFileSource(DigestFile file, int queue, LongSupplier nanos) {
    this.file = file;
    this.nanos = nanos;
    lookedNanos = new AtomicLong(nanos.getAsLong());
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(queue),
            new DefaultThreadFactory("loligo-digest", true));
    thread.allowCoreThreadTimeOut(true);
  }

  @Override
  public @Nullable String known(String user, @Nullable String extras, DigestAlgorithm algorithm) {
    long last = lookedNanos.get();
    long now = nanos.getAsLong();
    if (now - last >= TimeUnit.SECONDS.toNanos(FileCheck.LOOK_SECONDS)
        && lookedNanos.compareAndSet(last, now)) {
      try {
        thread.execute(file::refresh);
      } catch (RejectedExecutionException full) {
        lookedNanos.set(last); // the tasks that fill the queue look themselves
      }
    }
    DigestUsers users = file.users();
    return users == null ? null : users.ha1(user, algorithm);
  }

  @Override
  public Set<DigestAlgorithm> offered() {
    DigestUsers users = file.users();
    return users == null ? EnumSet.of(DigestAlgorithm.MD5) : users.offered();
  }

  @Override
  public void find(
      String user, @Nullable String extras, DigestAlgorithm algorithm, Consumer<Found> then) {
    try {
      thread.execute(() -> then.accept(found(user, algorithm)));
    } catch (RejectedExecutionException full) {
      String why = thread.isShutdown() ? "it is stopping" : "too many passwords wait";
      then.accept(new Found(null, new Unavailable("no check of a password: " + why)));
    }
  }

  private Found found(String user, DigestAlgorithm algorithm) {
    try {
      lookedNanos.set(nanos.getAsLong());
      file.refresh();
      DigestUsers users = file.users();
      return users == null
          ? new Found(null, new Unavailable("the file of users cannot be read"))
          : new Found(users.ha1(user, algorithm), null);
    } catch (RuntimeException | OutOfMemoryError e) {
      return new Found(null, new Unavailable("the check of a password failed: " + e));
    }
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
