package io.loligo.server.login;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.loligo.server.time.TimeSource;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits of one client: wrong passwords for one user name, and checks at a time. Thread-safe: any
 * thread.
 *
 * <p>Wrong passwords count for an address and a name together. So nobody locks out a user
 * elsewhere, and a user behind the same address as others locks out that name only. An IPv6 client
 * is its network of 64 bits.
 */
final class LoginLimits {
  /** Most checks of one client at a time: {@value}. */
  static final int MOST_PENDING = 16;

  /** The time in which wrong passwords are counted, in seconds: {@value}. */
  static final long WINDOW_SECONDS = 60;

  private static final int MAX_CLIENTS = 100_000;
  private static final int IPV6_NETWORK_BYTES = 8;

  private final int mostFailures;
  private final Cache<Attempt, AtomicInteger> failures;
  private final Cache<ByteBuffer, AtomicInteger> pending =
      Caffeine.newBuilder().maximumSize(MAX_CLIENTS).executor(Runnable::run).build();

  private record Attempt(ByteBuffer client, String user) {}

  /** The answer to one more check. */
  enum Limit {
    /** It may begin. */
    NONE,
    /** Too many wrong passwords. */
    FAILURES,
    /** Too many checks of this client. */
    PENDING
  }

  /**
   * Nothing is counted yet.
   *
   * @param mostFailures wrong passwords for one name in {@link #WINDOW_SECONDS}; 0: no limit
   */
  LoginLimits(int mostFailures, TimeSource time) {
    this.mostFailures = mostFailures;
    failures =
        Caffeine.newBuilder()
            .maximumSize(MAX_CLIENTS)
            .expireAfterWrite(Duration.ofSeconds(WINDOW_SECONDS))
            .ticker(time::nanos)
            .executor(Runnable::run)
            .build();
  }

  /** Begins a check for the client at {@code address}, unless it is over a limit. */
  Limit begin(byte[] address, String user) {
    ByteBuffer client = client(address);
    AtomicInteger failed = failures.getIfPresent(new Attempt(client, user));
    if (mostFailures > 0 && failed != null && failed.get() >= mostFailures) {
      return Limit.FAILURES;
    }
    AtomicInteger own = Objects.requireNonNull(pending.get(client, none -> new AtomicInteger()));
    if (own.incrementAndGet() > MOST_PENDING) {
      own.decrementAndGet();
      return Limit.PENDING;
    }
    return Limit.NONE;
  }

  /** Ends a check that has begun. */
  void end(byte[] address, String user, boolean wrong) {
    ByteBuffer client = client(address);
    if (wrong) {
      Objects.requireNonNull(failures.get(new Attempt(client, user), none -> new AtomicInteger()))
          .incrementAndGet();
    }
    AtomicInteger own = pending.getIfPresent(client);
    if (own != null && own.decrementAndGet() <= 0) {
      pending.asMap().remove(client, own);
    }
  }

  private static ByteBuffer client(byte[] address) {
    return ByteBuffer.wrap(
        address.length > 4 ? Arrays.copyOf(address, IPV6_NETWORK_BYTES) : address.clone());
  }
}
