package io.loligo.server.login;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The addresses from which users come, for {@code max_user_ip}. Thread-safe: any thread.
 *
 * <p>At most {@value #MAX_USERS} users and {@value #MAX_ADDRESSES} addresses of each are known.
 */
final class UserAddresses {
  private static final int MAX_USERS = 100_000;
  private static final int MAX_ADDRESSES = 1_024;

  private final Cache<String, Addresses> users =
      Caffeine.newBuilder().maximumSize(MAX_USERS).executor(Runnable::run).build();

  /** The addresses of one user and when each is forgotten. Guarded by {@code this}. */
  private static final class Addresses {
    private final Map<ByteBuffer, Long> untilMillis = new HashMap<>();
  }

  /**
   * A request of {@code user} came from {@code address}.
   *
   * @param untilMillis when the address is forgotten, milliseconds since the epoch
   */
  void add(String user, byte[] address, long nowMillis, long untilMillis) {
    Addresses of = of(user);
    synchronized (of) {
      of.untilMillis.values().removeIf(until -> until <= nowMillis);
      ByteBuffer key = ByteBuffer.wrap(address.clone());
      if (of.untilMillis.size() < MAX_ADDRESSES || of.untilMillis.containsKey(key)) {
        of.untilMillis.put(key, untilMillis);
      }
    }
  }

  /** Whether there are more than {@code most}; then forgets {@code address}, or all. */
  boolean moreThan(int most, boolean strict, String user, byte[] address) {
    Addresses of = of(user);
    synchronized (of) {
      if (of.untilMillis.size() <= most) {
        return false;
      }
      if (strict) {
        of.untilMillis.remove(ByteBuffer.wrap(address));
      } else {
        of.untilMillis.clear();
      }
      return true;
    }
  }

  private Addresses of(String user) {
    return Objects.requireNonNull(users.get(user, none -> new Addresses()));
  }
}
