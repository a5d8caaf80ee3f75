package io.loligo.server.admin;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the attempts with a wrong secret. Confined to one event loop.
 *
 * <p>Each client address may fail {@value #BURST} times, then once in {@value #RECOVERY_SECONDS} s;
 * until then nothing it sends is compared, not even the right secret, because an answer would give
 * the attacker another attempt. Addresses beyond {@value #MAX_ADDRESSES} share one allowance, so
 * that memory and the sum of all attempts are bounded, however many addresses an attacker has.
 */
public final class SecretAttempts {
  static final int BURST = 10;
  static final int RECOVERY_SECONDS = 6;
  static final int MAX_ADDRESSES = 64;

  private static final long RECOVERY_NANOS = TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS);

  private final LongSupplier nanoClock;
  private final Map<String, Failures> byAddress = new HashMap<>();
  private final Failures others = new Failures();

  /** No attempts yet; {@code nanoClock} is monotonic. */
  public SecretAttempts(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Failures of one address, less those that time has cleared. */
  private static final class Failures {
    private int count;
    private long sinceNanos;
    private boolean told;

    void forgive(long nowNanos) {
      long forgiven = count == 0 ? 0 : Math.min(count, (nowNanos - sinceNanos) / RECOVERY_NANOS);
      count -= (int) forgiven;
      sinceNanos = count == 0 ? nowNanos : sinceNanos + forgiven * RECOVERY_NANOS;
      told &= count >= BURST;
    }
  }

  /** Whether a request of {@code client} is checked. */
  public boolean allowed(String client) {
    Failures failures = of(client);
    failures.forgive(nanoClock.getAsLong());
    return failures.count < BURST;
  }

  /** Whether this is the first refusal since {@code client} was last allowed, which is logged. */
  boolean firstRefusal(String client) {
    Failures failures = of(client);
    boolean first = !failures.told;
    failures.told = true;
    return first;
  }

  /** {@code client} sent a wrong secret, or none. */
  public void failed(String client) {
    long now = nanoClock.getAsLong();
    Failures failures = byAddress.get(client);
    if (failures == null) {
      byAddress
          .values()
          .removeIf(
              one -> {
                one.forgive(now);
                return one.count == 0;
              });
      failures = byAddress.size() < MAX_ADDRESSES ? new Failures() : others;
      if (failures != others) {
        byAddress.put(client, failures);
      }
    }
    failures.forgive(now);
    failures.count++;
  }

  private Failures of(String client) {
    Failures own = byAddress.get(client);
    return own != null ? own : byAddress.size() < MAX_ADDRESSES ? new Failures() : others;
  }
}
