package io.loligo.cluster.sim;

import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.jgroups.JGroupsGroup;
import io.loligo.cluster.purges.Nodes;
import io.loligo.cluster.purges.ReplicationLimits;
import io.loligo.cluster.purges.ReplicationState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Five nodes from a seed: requests and purges, while links break, nodes crash and hang, and disks
 * fail; then quiet. Confined to one thread.
 */
final class ClusterSimulation {
  static final int NODES = 5;
  private static final int KEYS = 6;
  private static final long CHAOS_NANOS = 30 * World.SECOND;

  /**
   * The longest notice, twice the bound of an answer, retries and some rounds of gossip; more if
   * nodes forget senders, hear of them again, and forget them again.
   */
  private static final long QUIET_NANOS = 40 * World.SECOND;

  private static final long QUIET_FORGETTING_NANOS = 60 * World.SECOND;

  private final World world;
  private final Network network;
  private final List<SimNode> nodes = new ArrayList<>();
  private final ReplicationLimits limits;

  /** Nodes crash just when purges are under way. */
  private final boolean crashesAtPurges;

  /** Journals of nodes that crash are damaged. */
  private final boolean damages;

  /** Of the origin. */
  private final int[] versions = new int[KEYS];

  /** Older versions must not be served: a purge was answered by all nodes. */
  private final int[] purged = new int[KEYS];

  /** Older versions must not stay: a purge was answered, and cannot be lost. */
  private final int[] kept = new int[KEYS];

  private int requests;
  private int hits;
  private int purges;
  private int byAll;
  private int bySome;

  ClusterSimulation(long seed, boolean tracing) {
    world = new World(seed, tracing);
    network = new Network(world);
    boolean small = world.oneIn(2);
    limits =
        new ReplicationLimits(
            small ? world.below(12) + 2 : 100_000,
            small && world.oneIn(2) ? 12L * (world.below(20) + 4) : 1 << 20,
            (small ? world.below(10) + 2 : 600) * World.SECOND,
            2 * World.SECOND,
            World.MILLI,
            5 * World.SECOND,
            World.SECOND,
            world.oneIn(4) ? NODES : 10_000);
    boolean memoryOnly = world.oneIn(3);
    crashesAtPurges = world.oneIn(2);
    damages = world.oneIn(3);
    boolean slow = world.oneIn(2);
    boolean mixed = world.oneIn(4);
    for (int i = 0; i < NODES; i++) {
      int protocol = mixed ? 1 + world.below(JGroupsGroup.PROTOCOL) : JGroupsGroup.PROTOCOL;
      SimNode node =
          new SimNode(world, network, i, i > 0 || !memoryOnly, NODES, limits, slow, protocol);
      if (!mixed && limits.streams() > NODES) {
        node.checksHeard();
      }
      nodes.add(node);
      network.add(node);
    }
  }

  World world() {
    return world;
  }

  int requests() {
    return requests;
  }

  int hits() {
    return hits;
  }

  int purges() {
    return purges;
  }

  int byAll() {
    return byAll;
  }

  int bySome() {
    return bySome;
  }

  long revalidations() {
    long sum = 0;
    for (SimNode node : nodes) {
      sum += node.revalidations() + node.life().replication().state().revalidations();
    }
    return sum;
  }

  long lost() {
    return network.lost();
  }

  void run() {
    for (SimNode node : nodes) {
      world.at(world.between(0, 2 * World.SECOND), node::start);
    }
    world.at(3 * World.SECOND, this::act);
    world.at(4 * World.SECOND, this::disturb);
    world.runUntil(CHAOS_NANOS);
    calm();
    boolean forgets = limits.streams() == NODES;
    world.runUntil(CHAOS_NANOS + (forgets ? QUIET_FORGETTING_NANOS : QUIET_NANOS));
    checkCalm();
  }

  private void act() {
    if (world.now() >= CHAOS_NANOS) {
      return;
    }
    SimNode node = nodes.get(world.below(NODES));
    int key = world.below(KEYS);
    if (node.isUp() && !node.isHung()) {
      if (world.oneIn(4)) {
        purge(node, key);
      } else {
        request(node, key);
      }
    }
    // now and then many at once, as a program purges
    world.after(world.oneIn(3) ? 0 : world.between(0, 300 * World.MILLI), this::act);
  }

  private void request(SimNode node, int key) {
    requests++;
    SimStore.Stored stored = node.store().stored(key);
    if (stored != null && !stored.mustValidate()) {
      hits++;
      world.tell(() -> node + " serves key " + key + " version " + stored.version());
      if (stored.version() < purged[key]) {
        throw new AssertionError(
            node
                + " serves version "
                + stored.version()
                + " of key "
                + key
                + ", purged: "
                + purged[key]);
      }
      return;
    }
    SimNode.Life life = node.life();
    int epoch = node.store().epoch(key);
    world.after(
        world.between(World.MILLI, 30 * World.MILLI),
        () -> {
          int version = versions[key];
          world.after(
              world.between(World.MILLI, 100 * World.MILLI),
              () ->
                  node.run(
                      life,
                      () -> {
                        if (node.store().epoch(key) == epoch) {
                          world.tell(() -> node + " stores key " + key + " version " + version);
                          node.store().store(key, version);
                        }
                      }));
        });
  }

  private void purge(SimNode node, int key) {
    purges++;
    versions[key]++;
    int version = versions[key];
    SimNode.Life life = node.life();
    int number = life.nextNumber();
    int sender = node.sender();
    world.tell(() -> node + " is asked to purge key " + key + " below " + version);
    boolean[] answered = new boolean[1];
    crashSoon();
    node.store()
        .purge(
            key,
            durable ->
                node.run(
                    life,
                    () -> {
                      long begin = world.now();
                      long[] position = new long[1];
                      byte[] entry = SimStore.entry(key, sender, number);
                      life.replication()
                          .publish(
                              entry,
                              durable,
                              told -> {
                                if (answered[0]) {
                                  throw new AssertionError("answered twice");
                                }
                                answered[0] = true;
                                boolean isKept =
                                    node.keeps() && node.journal().written() >= position[0];
                                answered(node, key, version, told, isKept, world.now() - begin);
                              });
                      position[0] = node.journal().position();
                    }));
  }

  /** In some simulations: a node crashes while a purge is under way, and comes back. */
  private void crashSoon() {
    if (!crashesAtPurges || !world.oneIn(8) || world.now() > CHAOS_NANOS - 5 * World.SECOND) {
      return;
    }
    SimNode node = nodes.get(world.below(NODES));
    world.after(
        world.between(0, (world.oneIn(2) ? 20 : 500) * World.MILLI),
        () -> {
          if (node.isUp()) {
            crash(node);
            world.after(world.between(0, 2 * World.SECOND), () -> startAgain(node));
          }
        });
  }

  private void crash(SimNode node) {
    node.crash();
    if (damages && world.oneIn(2)) {
      world.tell(() -> node + "'s journal is damaged");
      node.journal().damage();
    }
  }

  private static void startAgain(SimNode node) {
    if (!node.isUp()) {
      node.start();
    }
  }

  private void answered(
      SimNode node, int key, int version, Nodes told, boolean isKept, long nanos) {
    world.tell(() -> node + " purged key " + key + " below " + version + " on " + told.text());
    if (told.configured() != NODES || told.acknowledged() > NODES) {
      throw new AssertionError("answered " + told.text());
    }
    crashSoon();
    if (told.acknowledged() == NODES) {
      byAll++;
      purged[key] = Math.max(purged[key], version);
      kept[key] = Math.max(kept[key], version);
    } else {
      bySome++;
      if (node.keeps() && !isKept && nanos < limits.answerNanos()) {
        throw new AssertionError(node + " answers a purge that a crash would lose");
      }
      if (isKept) {
        kept[key] = Math.max(kept[key], version);
      }
    }
  }

  private void disturb() {
    if (world.now() >= CHAOS_NANOS - 2 * World.SECOND) {
      return;
    }
    SimNode node = nodes.get(world.below(NODES));
    switch (world.below(9)) {
      case 0, 1 -> {
        int mask = world.below(1 << NODES);
        world.tell(() -> "cut " + Integer.toBinaryString(mask));
        network.cut(mask);
      }
      case 2 -> {
        world.tell(() -> "heal");
        network.heal();
      }
      case 3, 4 -> {
        if (node.isUp()) {
          crash(node);
        }
      }
      case 5 -> {
        startAgain(node);
      }
      case 6 -> {
        if (node.isUp() && !node.isHung()) {
          node.hang();
        } else if (node.isHung()) {
          node.resume();
        }
      }
      case 7 -> {
        world.tell(() -> node + "'s disks are unwell");
        SimDisk disk = world.oneIn(2) ? node.journalDisk() : node.storeDisk();
        if (world.oneIn(2)) {
          disk.hang();
        } else {
          disk.fail();
        }
      }
      default -> {
        world.tell(() -> node + "'s disks are well");
        node.storeDisk().recover();
        node.journalDisk().recover();
      }
    }
    world.after(world.between(0, 3 * World.SECOND), this::disturb);
  }

  private void calm() {
    world.tell(() -> "calm");
    for (SimNode node : nodes) {
      node.storeDisk().recover();
      node.journalDisk().recover();
      if (node.isHung()) {
        node.resume();
      }
      startAgain(node);
    }
    network.heal();
  }

  private void checkCalm() {
    Map<NodeRun, Long> furthest = new HashMap<>();
    for (SimNode node : nodes) {
      node.life().replication().applied().forEach((s, n) -> furthest.merge(s, n, Math::max));
    }
    for (SimNode node : nodes) {
      ReplicationState state = node.life().replication().state();
      if (!state.caughtUp() || state.lag() != 0 || state.unanswered() != 0) {
        throw new AssertionError(node + " is not calm: " + state);
      }
      if (state.entries() > limits.entries() || state.bytes() > limits.bytes()) {
        throw new AssertionError(node + " keeps too much: " + state);
      }
      Map<NodeRun, Long> applied = node.life().replication().applied();
      if (limits.streams() > 100) {
        furthest.forEach(
            (stream, number) -> {
              if (number > 0 && !number.equals(applied.get(stream))) {
                throw new AssertionError(
                    node + " is at " + applied.get(stream) + " of " + stream + ", not " + number);
              }
            });
      }
      for (int key = 0; key < KEYS; key++) {
        SimStore.Stored stored = node.store().stored(key);
        if (stored != null && !stored.mustValidate() && stored.version() < kept[key]) {
          throw new AssertionError(
              node
                  + " keeps version "
                  + stored.version()
                  + " of key "
                  + key
                  + ", purged: "
                  + kept[key]);
        }
      }
    }
  }
}
