package io.loligo.server.shaping;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket: bytes, or requests, that may pass. Thread-safe: any thread; it has no lock.
 *
 * <p>Whoever takes more than is there leaves a debt, and waits until the bucket has repaid it.
 * Those that follow wait behind that debt, in the order in which they took. So streams of one
 * bucket get equal shares without knowing each other, on whatever event loops they are, and the sum
 * is exact.
 */
public sealed class Bucket permits SharedBucket {
  private final Rate rate;
  private final AtomicLong level;
  private final AtomicLong filledNanos;

  /**
   * A bucket that holds {@code level} units at {@code nowNanos}. A level above {@link Rate#most} is
   * used up, but not refilled.
   */
  public Bucket(Rate rate, long level, long nowNanos) {
    this.rate = rate;
    this.level = new AtomicLong(level);
    this.filledNanos = new AtomicLong(nowNanos);
  }

  /** How it fills. */
  public Rate rate() {
    return rate;
  }

  /** Units in it; below 0: a debt. */
  public long level(long nowNanos) {
    fill(nowNanos);
    return level.get();
  }

  private void fill(long nowNanos) {
    long before = filledNanos.get();
    long gain = nowNanos - before <= 0 ? 0 : rate.unitsIn(nowNanos - before);
    if (gain == 0) {
      return;
    }
    // fractions of a unit stay for the next time
    long until = level.get() + gain >= rate.most() ? nowNanos : before + rate.nanosFor(gain);
    if (filledNanos.compareAndSet(before, Math.min(until, nowNanos))) {
      level.updateAndGet(now -> now >= rate.most() ? now : Math.min(rate.most(), now + gain));
    }
  }

  /** Takes {@code units}, though they may not be there. */
  public void take(long units) {
    level.addAndGet(-units);
  }

  /** Takes {@code units} that passed elsewhere, down to the level {@code lowest}. */
  void takeDownTo(long lowest, long units, long nowNanos) {
    fill(nowNanos);
    level.updateAndGet(now -> Math.min(now, Math.max(lowest, now - units)));
  }

  /** Takes {@code units} if they are there. */
  public boolean tryTake(long units, long nowNanos) {
    fill(nowNanos);
    return level.getAndUpdate(now -> now >= units ? now - units : now) >= units;
  }

  /** Gives {@code units} back that were taken in vain. */
  public void giveBack(long units) {
    level.addAndGet(units);
  }

  /**
   * Nanoseconds until it holds {@code units}, if nobody takes any; {@link Long#MAX_VALUE}: never.
   */
  public long nanosUntil(long units, long nowNanos) {
    return rate.nanosFor(units - level(nowNanos));
  }

  /** Whether it is as full as it gets, so that a new one is worth no more. */
  boolean isFull(long nowNanos) {
    return level(nowNanos) >= rate.most();
  }
}
