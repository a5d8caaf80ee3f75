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
 * Limits of one client: wrong passwords for one user name, checks at a time, and handshakes at a
 * time that hold a child of a helper. Thread-safe: any thread.
 *
 * <p>Wrong passwords count for an address and a name together. So nobody locks out a user
 * elsewhere, and a user behind the same address as others locks out that name only. An IPv6 client
 * is its network of 64 bits.
 */
final class LoginLimits {
  /** Most checks of one client at a time: {@value}. */
  static final int MOST_PENDING = 16;

  /** Most handshakes of one client at a time: {@value}. */
  static final int MOST_HANDSHAKES = 64;

  /** The time in which wrong passwords are counted, in seconds: {@value}. */
  static final long WINDOW_SECONDS = 60;

  private static final int MAX_CLIENTS = 100_000;
  private static final int IPV6_NETWORK_BYTES = 8;

  private final int mostFailures;
  private final Cache<Attempt, AtomicInteger> failures;
  private final AtATime checks = new AtATime(MOST_PENDING);
  private final AtATime handshakes = new AtATime(MOST_HANDSHAKES);

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

  /** What clients may do a number of times at once: checks, for instance. */
  static final class AtATime {
    private final int most;
    private final Cache<ByteBuffer, AtomicInteger> begun =
        Caffeine.newBuilder().maximumSize(MAX_CLIENTS).executor(Runnable::run).build();

    AtATime(int most) {
      this.most = most;
    }

    /** Begins one for the client at {@code address}; false: it has too many. */
    boolean begin(byte[] address) {
      return begin(address, most);
    }

    /** The same with another limit. */
    boolean begin(byte[] address, int most) {
      AtomicInteger own =
          Objects.requireNonNull(begun.get(client(address), none -> new AtomicInteger()));
      if (own.incrementAndGet() > most) {
        own.decrementAndGet();
        return false;
      }
      return true;
    }

    /** Ends one that has begun. */
    void end(byte[] address) {
      ByteBuffer client = client(address);
      AtomicInteger own = begun.getIfPresent(client);
      if (own != null && own.decrementAndGet() <= 0) {
        begun.asMap().remove(client, own);
      }
    }
  }

  /** Checks. */
  AtATime checks() {
    return checks;
  }

  /** Handshakes that hold a child. */
  AtATime handshakes() {
    return handshakes;
  }

  /** The client as it is counted. */
  static ByteBuffer client(byte[] address) {
    return ByteBuffer.wrap(
        address.length > 4 ? Arrays.copyOf(address, IPV6_NETWORK_BYTES) : address.clone());
  }
}
