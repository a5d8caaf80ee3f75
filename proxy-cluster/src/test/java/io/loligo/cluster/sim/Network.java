package io.loligo.cluster.sim;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Links and views. Messages of one link arrive in their order; those that are under way while a
 * view changes may be lost, and those to a node that is cut off are.
 */
final class Network {
  private static final long FASTEST_NANOS = World.MILLI / 5;
  private static final long SLOWEST_NANOS = 3 * World.MILLI;

  /** Until a member notices that others are gone or there. */
  private static final long NOTICE_NANOS = 3 * World.SECOND;

  private final World world;
  private final List<SimNode> nodes = new ArrayList<>();

  /** Nodes with the same number reach each other. */
  private int[] sides = {};

  /** When the last message of a link arrives. */
  private long[][] arrivals = {};

  private long views;
  private long change;
  private long lost;

  Network(World world) {
    this.world = world;
  }

  void add(SimNode node) {
    nodes.add(node);
    sides = new int[nodes.size()];
    arrivals = new long[nodes.size()][nodes.size()];
  }

  long lost() {
    return lost;
  }

  /** Cuts the nodes into two sides, by the bits of {@code mask}. */
  void cut(int mask) {
    for (int i = 0; i < sides.length; i++) {
      sides[i] = (mask >> i) & 1;
    }
    changed();
  }

  void heal() {
    cut(0);
  }

  /** Members notice, each at its time, that nodes or links changed. */
  void changed() {
    change++;
    long noticed = change;
    long when = world.between(20 * World.MILLI, NOTICE_NANOS);
    world.after(when, () -> install(noticed));
  }

  private void install(long noticed) {
    if (noticed != change) {
      return;
    }
    for (int side = 0; side < 2; side++) {
      List<SimNode> present = new ArrayList<>();
      for (SimNode node : nodes) {
        if (sides[node.index()] == side && node.isUp() && !node.isHung()) {
          present.add(node);
        }
      }
      List<Member> members = present.stream().map(SimNode::member).toList();
      views++;
      long number = views;
      for (SimNode node : present) {
        NodeRun run = node.member().id();
        world.after(
            world.between(0, 30 * World.MILLI), () -> node.view(run, new View(number, members)));
      }
    }
  }

  /** How far a run of a node is; empty: it is over. */
  Map<NodeRun, Long> applied(NodeRun run) {
    for (SimNode node : nodes) {
      if (node.isUp() && node.member().id().equals(run)) {
        return node.life().replication().applied();
      }
    }
    return Map.of();
  }

  /** Sends a message; {@code from} is up. */
  void send(SimNode from, NodeRun to, byte[] message) {
    SimNode target = null;
    for (SimNode node : nodes) {
      if (node.isUp() && node.member().id().equals(to)) {
        target = node;
      }
    }
    if (target == null) {
      lost++;
      return;
    }
    SimNode receiver = target;
    long view = from.viewNumber();
    NodeRun sender = from.member().id();
    long[] row = arrivals[from.index()];
    long arrival =
        Math.max(row[receiver.index()], world.now() + world.between(FASTEST_NANOS, SLOWEST_NANOS));
    row[receiver.index()] = arrival;
    world.at(arrival, () -> arrive(from, sender, receiver, to, view, message));
  }

  private void arrive(
      SimNode from, NodeRun sender, SimNode receiver, NodeRun to, long view, byte[] message) {
    boolean reaches = sides[from.index()] == sides[receiver.index()];
    if (!reaches || (receiver.viewNumber() != view && world.oneIn(2))) {
      lost++;
    } else {
      receiver.message(sender, to, message);
    }
  }

  static InetSocketAddress address(int index) {
    return InetSocketAddress.createUnresolved("node" + index, 7_800);
  }
}
