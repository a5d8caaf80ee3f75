package io.loligo.server.report;

/**
 * How many of two classes of requests are active at each sample, as the study counted them: from
 * the begin and the end of each, in order of the ends. Samples are taken at the multiples of a
 * step. A ring has the changes at the last samples; older changes are passed on. Confined to one
 * thread.
 *
 * <p>Memory does not depend on the log. A begin before the ring counts as the ring's first sample,
 * and an activity that ended before it is lost: both are counted.
 */
final class ActivitySampler {
  private final long stepMicros;
  private final int[] first;
  private final int[] second;
  private final int mask;
  private final Runs runs;
  private boolean started;
  private long earliest;
  private long frontier;
  private long touched;
  private int activeFirst;
  private int activeSecond;
  private long shortened;

  /** Takes the samples in order. */
  interface Runs {
    /** From {@code fromMicros}, this many samples found the same numbers of active requests. */
    void run(long fromMicros, long samples, int first, int second);
  }

  /**
   * A sampler whose ring has {@code samples}, a power of two.
   *
   * @param stepMicros microseconds between two samples
   */
  ActivitySampler(long stepMicros, int samples, Runs runs) {
    this.stepMicros = stepMicros;
    this.runs = runs;
    first = new int[samples];
    second = new int[samples];
    mask = samples - 1;
  }

  /** Samples before {@code micros} are not taken: the log does not know all requests before. */
  void start(long micros) {
    if (!started) {
      started = true;
      earliest = sample(micros);
      frontier = earliest;
      touched = frontier;
    }
  }

  /** An activity from {@code beginMicros} up to, but without, {@code endMicros}. */
  void add(boolean ofFirst, long beginMicros, long endMicros) {
    long begin = sample(beginMicros);
    long end = sample(endMicros);
    if (end <= begin) {
      return;
    }
    if (end - frontier > mask) {
      giveTo(end - mask);
    }
    if (begin < frontier) {
      shortened += frontier > earliest ? 1 : 0;
      begin = frontier;
    }
    if (end > begin) {
      int[] changes = ofFirst ? first : second;
      changes[(int) begin & mask]++;
      changes[(int) end & mask]--;
      touched = Math.max(touched, end);
    }
  }

  /** Gives the samples before {@code micros}; nothing may be added later. */
  void finish(long micros) {
    giveTo(Math.max(frontier, sample(micros)));
  }

  /** Activities whose beginning, or all of them, was too old. */
  long shortened() {
    return shortened;
  }

  private long sample(long micros) {
    return -Math.floorDiv(-micros, stepMicros);
  }

  private void giveTo(long to) {
    long from = frontier;
    long known = Math.min(to, touched + 1);
    for (long i = frontier; i < known; i++) {
      int at = (int) i & mask;
      if ((first[at] | second[at]) != 0) {
        give(from, i);
        from = i;
        activeFirst += first[at];
        activeSecond += second[at];
        first[at] = 0;
        second[at] = 0;
      }
    }
    give(from, to);
    frontier = to;
    touched = Math.max(touched, to);
  }

  private void give(long from, long to) {
    if (to > from) {
      runs.run(from * stepMicros, to - from, activeFirst, activeSecond);
    }
  }
}
