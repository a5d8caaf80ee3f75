package io.loligo.server.cluster;

import io.loligo.cluster.group.Member;
import io.loligo.server.jmx.ClusterMXBean;
import io.loligo.store.StoreStats;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in JMX. Thread-safe.
 *
 * @param share null: it shares no cache, and these numbers are 0
 * @param store has copies of other nodes' responses
 */
public record ClusterBean(
    Cluster cluster, PurgeMode purges, @Nullable ShareMode share, Supplier<StoreStats> store)
    implements ClusterMXBean {
  @Override
  public String getName() {
    return cluster.line().name();
  }

  @Override
  public List<String> getMembers() {
    return cluster.state().view().members().stream().map(Member::name).toList();
  }

  @Override
  public int getConfigured() {
    return cluster.state().configured();
  }

  @Override
  public int getConfigurations() {
    return cluster.configurations().different();
  }

  @Override
  public long getViewChanges() {
    return cluster.state().changes();
  }

  @Override
  public long getPurgeLag() {
    return purges.lag();
  }

  @Override
  public double getKeysPercent() {
    return share == null ? 0 : 100 * share.ring().ownShare();
  }

  @Override
  public int getDraining() {
    return share == null ? 0 : share.ring().draining();
  }

  @Override
  public int getUnasked() {
    return share == null ? 0 : share.ring().unasked();
  }

  @Override
  public long getDroppedMessages() {
    return cluster.droppedMessages();
  }

  @Override
  public long getClosedConnections() {
    return cluster.closedConnections();
  }

  private long value(ShareCount count) {
    return share == null ? 0 : share.ring().value(count);
  }

  @Override
  public long getPeerRequests() {
    return value(ShareCount.PEER_REQUESTS);
  }

  @Override
  public long getPeerFailures() {
    return value(ShareCount.PEER_FAILURES);
  }

  @Override
  public long getFallBacks() {
    return value(ShareCount.FALL_BACKS);
  }

  @Override
  public long getFallBacksRefused() {
    return value(ShareCount.FALL_BACKS_REFUSED);
  }

  @Override
  public long getEjections() {
    return value(ShareCount.EJECTIONS);
  }

  @Override
  public long getConnectionWaits() {
    return value(ShareCount.CONNECTION_WAITS);
  }

  @Override
  public long getCopies() {
    return store.get().copies();
  }

  @Override
  public long getCopyBytes() {
    return store.get().copyBytes();
  }

  @Override
  public long getCopyHits() {
    return value(ShareCount.COPY_HITS);
  }

  @Override
  public long getSecondCopies() {
    return value(ShareCount.SECOND_COPIES);
  }

  @Override
  public long getAcknowledgementMedian() {
    return acknowledgementMicros(50);
  }

  @Override
  public long getAcknowledgement99() {
    return acknowledgementMicros(99);
  }

  private long acknowledgementMicros(int percent) {
    return share == null
        ? 0
        : TimeUnit.NANOSECONDS.toMicros(share.ring().acknowledgements().percentileNanos(percent));
  }
}
