package io.loligo.server.metrics;

/**
 * How many operations are in progress, with the samples that a look at each multiple of a step
 * would give. They are worked out when the number changes, so nothing has to look. Thread-safe: any
 * thread; it waits for others for some ten instructions.
 */
final class Activity {
  private final long stepNanos;
  private final long beginNanos;
  private final SharedHistogram samples = new SharedHistogram();
  private int inProgress;
  private long steps;

  /**
   * Without any.
   *
   * @param nanos the monotonic clock at this moment
   */
  Activity(long stepNanos, long nanos) {
    this.stepNanos = stepNanos;
    this.beginNanos = nanos;
  }

  /** One begins. */
  synchronized void began(long nanos) {
    advance(nanos);
    inProgress++;
  }

  /** One has ended. */
  synchronized void ended(long nanos) {
    advance(nanos);
    inProgress--;
  }

  /** Those in progress. */
  synchronized int inProgress() {
    return inProgress;
  }

  private void advance(long nanos) {
    long now = (nanos - beginNanos) / stepNanos;
    if (now > steps) { // another thread may have read the clock later, and come first
      samples.record(inProgress, now - steps);
      steps = now;
    }
  }

  /** Adds the samples until now to {@code snapshot}. */
  synchronized void addTo(LatencySnapshot snapshot, long nanos) {
    advance(nanos);
    samples.addTo(snapshot);
  }
}
