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

  /** Whether the client at {@code address} has tried too many wrong passwords for this name. */
  boolean hasFailedOften(byte[] address, String user) {
    AtomicInteger failed = failures.getIfPresent(new Attempt(client(address), user));
    return mostFailures > 0 && failed != null && failed.get() >= mostFailures;
  }

  /** The client at {@code address} has tried a wrong password for this name. */
  void failed(byte[] address, String user) {
    Objects.requireNonNull(
            failures.get(new Attempt(client(address), user), none -> new AtomicInteger()))
        .incrementAndGet();
  }

  /** Begins a check for the client at {@code address}; false: it has too many. */
  boolean begin(byte[] address) {
    AtomicInteger own =
        Objects.requireNonNull(pending.get(client(address), none -> new AtomicInteger()));
    if (own.incrementAndGet() > MOST_PENDING) {
      own.decrementAndGet();
      return false;
    }
    return true;
  }

  /** Ends a check that has begun. */
  void end(byte[] address) {
    ByteBuffer client = client(address);
    AtomicInteger own = pending.getIfPresent(client);
    if (own != null && own.decrementAndGet() <= 0) {
      pending.asMap().remove(client, own);
    }
  }

  /** The client as it is counted. */
  static ByteBuffer client(byte[] address) {
    return ByteBuffer.wrap(
        address.length > 4 ? Arrays.copyOf(address, IPV6_NETWORK_BYTES) : address.clone());
  }
}
