package io.loligo.server.cluster;

import io.loligo.cluster.Steps;
import io.loligo.cluster.ThreadSteps;
import io.loligo.cluster.configuration.ConfigurationState;
import io.loligo.cluster.discovery.Resolver;
import io.loligo.cluster.group.Channels;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.jgroups.GroupSettings;
import io.loligo.cluster.jgroups.GroupTls;
import io.loligo.cluster.jgroups.JGroupsGroup;
import io.loligo.server.time.TimeSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as a node: its steps, and the group. Parts of the cluster take their channel before
 * {@link #start}. Thread-safe, except that a channel is used on the steps.
 */
public final class Cluster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
  private static final long LEAVE_SECONDS = 4;

  /** The channel of purges. */
  private static final int PURGES = 1;

  /** The channel of shared stored responses. */
  private static final int SHARE = 2;

  /** The channel of limits that hold for all nodes. */
  private static final int LIMITS = 3;

  /** The channel of configurations. */
  private static final int CONFIGURATIONS = 4;

  /** The channel of this class: the last one. Pages show members once the other parts know them. */
  private static final int SEEN = 127;

  private final ClusterLine line;

  /** Null: clear text. */
  private final @Nullable ClusterTlsLine tls;

  private final TimeSource time;
  private final ThreadSteps steps = new ThreadSteps("loligo-cluster");
  private final JGroupsGroup group;
  private final Channels channels;
  private final Member self;
  private volatile ClusterState state;
  private volatile ConfigurationState configurations = new ConfigurationState(1, Map.of());
  private volatile @Nullable ClusterCertificates certificates;

  /**
   * Binds the group port, unless {@code binds} is false.
   *
   * @param tls null: clear text
   * @param folder keeps the id of this node; null: nothing does
   * @param binds false: another process has the port yet, and it is bound when that leaves
   * @throws IOException if the port, a certificate or the id cannot be used; names the line
   */
  public Cluster(
      ClusterLine line,
      @Nullable ClusterTlsLine tls,
      @Nullable Path folder,
      TimeSource time,
      boolean binds)
      throws IOException {
    this.line = line;
    this.tls = tls;
    this.time = time;
    certificates = tls == null ? null : ClusterCertificates.read(tls, now());
    GroupTls secured = certificates == null ? null : certificates.tls();
    try {
      NodeRun run = NodeFile.next(folder, time.millis());
      InetSocketAddress listen = ClusterPlaces.listen(line);
      self =
          new Member(
              run,
              ClusterPlaces.name(line, listen),
              listen,
              new InetSocketAddress(listen.getAddress(), line.bodies()),
              line.weight(),
              line.mode() == ClusterMode.SHARE, // until it has caught up with purges
              JGroupsGroup.PROTOCOL);
      group =
          new JGroupsGroup(
              GroupSettings.of(line.name(), listen, secured),
              self,
              ClusterPlaces.members(line, Resolver.SYSTEM),
              steps,
              binds);
      state = new ClusterState(run, new View(0, List.of(self)), group.configured(), 0);
    } catch (IOException e) {
      throw new IOException(
          line.source() + ": loligo_cluster " + line.listen().text() + ": " + e.getMessage(), e);
    }
    channels = new Channels(group);
  }

  /**
   * Reads the files of {@code loligo_cluster_tls} again; blocks. Any thread.
   *
   * @return puts them in force for connections that begin later; does nothing without a line
   * @throws IOException if a file cannot be used; those of before stay in force
   */
  public Runnable renewed() throws IOException {
    ClusterTlsLine files = tls;
    if (files == null) {
      return () -> {};
    }
    ClusterCertificates read = ClusterCertificates.read(files, now());
    Runnable inForce = group.renewed(read.tls());
    return () -> {
      certificates = read;
      inForce.run();
    };
  }

  /** Those of new connections to the group port; null: clear text. */
  public @Nullable ClusterCertificates certificates() {
    return certificates;
  }

  /** The line of {@link #certificates}; null: there is none. */
  public @Nullable ClusterTlsLine tls() {
    return tls;
  }

  private Instant now() {
    return Instant.ofEpochMilli(time.millis());
  }

  /** The clocks of this process. */
  TimeSource time() {
    return time;
  }

  /** The steps of this node. */
  public Steps steps() {
    return steps;
  }

  /** The group for purges; used on the steps. */
  public Group purges() {
    return channels.channel(PURGES);
  }

  /** The group for shared stored responses; used on the steps. */
  public Group share() {
    return channels.channel(SHARE);
  }

  /** The group for limits that hold for all nodes; used on the steps. */
  public Group limits() {
    return channels.channel(LIMITS);
  }

  /** The group in which the nodes tell of their configurations; used on the steps. */
  Group ofConfigurations() {
    return channels.channel(CONFIGURATIONS);
  }

  /** The configurations of the members are these. On the steps. */
  void seen(ConfigurationState now) {
    configurations = now;
  }

  /** The configurations of the members as last seen. */
  public ConfigurationState configurations() {
    return configurations;
  }

  /** This node as it was when it began. */
  public Member self() {
    return self;
  }

  /** The line that asked for it. */
  public ClusterLine line() {
    return line;
  }

  /** The members as last seen. */
  public ClusterState state() {
    return state;
  }

  /** Members as last seen, this node included. */
  public int members() {
    return state.view().members().size();
  }

  /** Nodes that there should be, as last seen. */
  public int configured() {
    return state.configured();
  }

  /** Changes of the members since the start. */
  public long viewChanges() {
    return state.changes();
  }

  /** Messages of other nodes that were dropped since the start, because too many waited. */
  public long droppedMessages() {
    return group.droppedMessages();
  }

  /** Connections that were closed since the start, because their node sent what no node sends. */
  public long closedConnections() {
    return group.closedConnections();
  }

  /** Seeks the other nodes, and never waits for them. */
  public void start() {
    steps.execute(
        () -> {
          channels.channel(SEEN).start(new Seeing());
          channels.start();
        });
    LOG.info("a node of the cluster {} at {}", line.name(), self.address());
  }

  /** On the steps. */
  private final class Seeing implements Group.Listener {
    private final MissingNodes missing = new MissingNodes(line.name(), steps);

    @Override
    public void view(View view) {
      ClusterState before = state;
      boolean same = ids(before.view()).equals(ids(view));
      state =
          new ClusterState(
              self.id(), view, group.configured(), same ? before.changes() : before.changes() + 1);
      if (!before.view().members().equals(view.members())) {
        LOG.info(
            "members of the cluster {}: {}",
            line.name(),
            view.members().stream().map(Seeing::text).toList());
      }
      missing.seen(view.members().size(), group.configured(), group.missing());
    }

    private static String text(Member member) {
      return member.draining() ? member.name() + " (draining)" : member.name();
    }

    private static List<NodeRun> ids(View view) {
      return view.members().stream().map(Member::id).toList();
    }

    @Override
    public void message(NodeRun from, byte[] message) {}
  }

  /**
   * Tells the others whether this node drains: then it owns no keys, and still answers. A node of
   * {@code mode=share} begins so. On the steps.
   */
  void announce(boolean drains) {
    Member told =
        new Member(
            self.id(),
            self.name(),
            self.address(),
            self.bodies(),
            self.weight(),
            drains,
            self.protocol());
    group.announce(told);
  }

  /** Leaves, which the others are told. Returns at once. Idempotent. */
  public void leave() {
    steps.execute(group::close);
  }

  /** Leaves, and waits for that for some seconds. */
  @Override
  public void close() {
    leave();
    try {
      group.left().get(LEAVE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("the cluster was left without a farewell", e);
    }
    steps.close();
  }
}
