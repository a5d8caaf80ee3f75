package io.loligo.server.cluster;

import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.share.NodeDrain;
import io.loligo.server.tls.CertificateFiles;
import io.loligo.server.tls.TlsFlag;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.Upstream;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One cache of all nodes: follows the members. Thread-safe. */
public final class ShareMode {
  private final Cluster cluster;
  private final SharedRing ring;
  private final NodeDrain draining;

  /**
   * Knows no member until {@link #start}.
   *
   * @param tls null: clear text
   * @param purges not started
   * @param loops number of event loops
   * @param onALoop runs a task on one of them, with its way to other nodes; called after {@link
   *     #start}
   */
  public ShareMode(
      Cluster cluster,
      @Nullable ClusterTlsLine tls,
      PurgeMode purges,
      int loops,
      Consumer<Consumer<Upstream>> onALoop) {
    this.cluster = cluster;
    ring =
        new SharedRing(
            cluster.self().id(),
            cluster.steps()::nanos,
            tls(tls),
            purges.applied(),
            loops,
            cluster.line().connections(),
            cluster.line().copies() > 1);
    draining =
        new NodeDrain(
            cluster.steps(),
            cluster::announce,
            then ->
                new OwnRequests(
                        cluster.steps(), ring, cluster.self(), onALoop, purges::removeHere, then)
                    .begin());
    purges.tellTrust(draining::trusted);
  }

  /**
   * TLS between nodes. Every certificate of the authorities is one of a node, whatever its name.
   *
   * @param line null: clear text
   */
  public static @Nullable TlsOptions tls(@Nullable ClusterTlsLine line) {
    return line == null
        ? null
        : TlsOptions.builder()
            .certificates(List.of(new CertificateFiles(line.cert(), line.key())))
            .caFiles(List.of(line.ca()))
            .defaultCa(false)
            .flags(Set.of(TlsFlag.DONT_VERIFY_DOMAIN))
            .build();
  }

  /** Begins. Before the group does. */
  public void start() {
    cluster.steps().execute(() -> cluster.share().start(new Members()));
  }

  /** An operator drains this node, or ends that. Returns at once. */
  public void drain(boolean drains) {
    cluster.steps().execute(() -> draining.ask(drains));
  }

  /** Whether an operator drains this node. */
  public boolean isDrained() {
    return draining.isAsked();
  }

  /** Whether this node owns no keys because it is behind with purges. */
  public boolean isBehind() {
    return draining.isBehind();
  }

  /** The nodes, and the counts of this one. */
  public SharedRing ring() {
    return ring;
  }

  /** The view of one event loop, which confines it. */
  public CacheOwners forLoop() {
    return ring.forLoop();
  }

  /** On the steps. */
  private final class Members implements Group.Listener {
    @Override
    public void view(View view) {
      ring.view(view);
    }

    @Override
    public void message(NodeRun from, byte[] message) {}
  }
}
