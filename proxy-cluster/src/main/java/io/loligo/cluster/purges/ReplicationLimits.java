package io.loligo.cluster.purges;

import java.util.concurrent.TimeUnit;

/**
 * Bounds of {@link Replication}. Immutable.
 *
 * @param entries kept in the log, of all senders
 * @param bytes of these entries
 * @param ageNanos how long an entry is kept
 * @param answerNanos after which a purge is answered with the acknowledgements that came
 * @param batchNanos for which a purge waits for others that travel with it, in a cluster of up to
 *     10 nodes
 * @param gossipNanos after which another member is told how far this node is
 * @param retryNanos after which a member that does not answer, or a disk that refused, is tried
 *     again
 * @param streams senders that are gone, of which the last number is still known
 */
public record ReplicationLimits(
    int entries,
    long bytes,
    long ageNanos,
    long answerNanos,
    long batchNanos,
    long gossipNanos,
    long retryNanos,
    int streams) {
  /**
   * {@link #batchNanos} in a cluster of {@code nodes}: a tenth of it for each node, at most ten
   * times it. A batch costs a message to each node and one from it.
   */
  public long batchNanos(int nodes) {
    return batchNanos * Math.min(Math.max(nodes, 10), 100) / 10;
  }

  /** Of a proxy: 100,000 entries, 32 MB, 10 minutes; an answer after 2 s at most. */
  public static final ReplicationLimits USUAL =
      new ReplicationLimits(
          100_000,
          32L << 20,
          TimeUnit.MINUTES.toNanos(10),
          TimeUnit.SECONDS.toNanos(2),
          TimeUnit.MILLISECONDS.toNanos(1),
          TimeUnit.SECONDS.toNanos(5),
          TimeUnit.SECONDS.toNanos(1),
          10_000);
}
