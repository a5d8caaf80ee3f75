package io.loligo.cluster.share;

import static io.loligo.cluster.sim.World.MILLI;
import static io.loligo.cluster.sim.World.SECOND;

import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.jgroups.JGroupsGroup;
import io.loligo.cluster.purges.Nodes;
import io.loligo.cluster.purges.ReplicationLimits;
import io.loligo.cluster.sim.World;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Some nodes in share mode, an origin and clients, on a virtual clock and from a seed. Confined to
 * one thread.
 *
 * <p>The decisions are those of the product: {@code Replication}, {@code StoreTrust}, {@code
 * NodeDrain}, {@code Ring} and {@code PeerRequests}. Stores, fetches and messages are a model,
 * which takes some time between any two steps of a node. Links lose messages, partitions come and
 * go, nodes stand still, crash and run again, disks lose the end of the log, and each node has a
 * view of its own. Messages of the replication keep their order on each link, and some are lost.
 */
class ShareWorld {
  static final int NODES = 5;
  static final int KEYS = 5;

  /** Of the messages of the replication, besides those of links that are cut. */
  private static final int LOSS_PERCENT = 5;

  /** Retries and gossip come sooner than in a proxy: links lose messages without a new view. */
  static final ReplicationLimits LIMITS =
      new ReplicationLimits(
          100_000, 1 << 20, 600 * SECOND, 2 * SECOND, MILLI, SECOND, 100 * MILLI, 10_000);

  /** Purges and groups of requests in a world. */
  private static final int LOADS = 40;

  /** Time in which each purge reaches each node once nothing fails any more. */
  private static final long QUIET_NANOS = 7 * SECOND;

  /** What happened, to see that a simulation meets it. */
  enum Seen {
    SHARED_FROM_PEER,
    ALONE_FROM_PEER,
    COPY_USED,
    PULLED,
    SECOND_ANSWERED,
    SECOND_BECAME_OWNER,
    FELL_BACK,
    REFUSED,
    RESET,
    CONFIRMED,
    NOT_CONFIRMED,
    DOUBTED,
    VALIDATED_ALL,
    TRUNCATED,
    CONTINUED,
    CRASHED_AFTER_ACKNOWLEDGEMENT,
    CRASHED_BEFORE_ACKNOWLEDGEMENT,
    STORE_REFUSED
  }

  /**
   * What may go wrong in a world.
   *
   * @param calm no node and no link fails: there are only different views
   * @param crashesAtPurges nodes crash just when they have carried out a purge, or are about to
   * @param slowStores some stores take a while for a purge, and some refuse it at times
   * @param noticeMillis until a node sees that another one begins or drains, at most
   */
  record Faults(boolean calm, boolean crashesAtPurges, boolean slowStores, int noticeMillis) {}

  final World world;
  final Set<ShareRule> broken;
  final Faults faults;
  final Map<Seen, Integer> seen = new EnumMap<>(Seen.class);
  final List<ShareNode> nodes = new ArrayList<>();

  /** Version of each response at the origin; one key more, which is cold until the end. */
  final int[] origin;

  /** The version that all nodes confirmed a purge for. */
  final int[] confirmed;

  /** Fetches from the origin. */
  final int[] fetches;

  /** Keys and versions of all purges, by their numbers. */
  private final Map<NodeRun, List<int[]>> purges = new HashMap<>();

  private final boolean[][] cut;

  /** When the last message of the replication arrives. */
  private final long[][] arrivals;

  /** Whether some nodes have older versions. */
  private final boolean mixed;

  int open;

  ShareWorld(long seed, Set<ShareRule> broken, boolean tracing) {
    this(new World(seed, tracing), broken, NODES, KEYS, null);
  }

  /** With some faults by chance if {@code given} is null. */
  ShareWorld(World world, Set<ShareRule> broken, int count, int keys, ShareWorld.Faults given) {
    this.world = world;
    this.broken = broken.isEmpty() ? EnumSet.noneOf(ShareRule.class) : EnumSet.copyOf(broken);
    origin = new int[keys + 1];
    confirmed = new int[keys + 1];
    fetches = new int[keys + 1];
    cut = new boolean[count][count];
    arrivals = new long[count][count];
    boolean calm = world.oneIn(3);
    boolean crashes = !calm && world.oneIn(2);
    boolean slow = world.oneIn(crashes ? 2 : 4);
    faults = given != null ? given : new Faults(calm, crashes, slow, world.oneIn(2) ? 20 : 300);
    mixed = given == null && world.oneIn(4);
    for (int i = 0; i < count; i++) {
      int protocol = mixed ? 1 + world.below(JGroupsGroup.PROTOCOL) : JGroupsGroup.PROTOCOL;
      nodes.add(new ShareNode(this, i, protocol));
    }
  }

  boolean holds(ShareRule rule) {
    return !broken.contains(rule);
  }

  void saw(Seen what) {
    seen.merge(what, 1, Integer::sum);
  }

  static void fail(String what) {
    throw new AssertionError(what);
  }

  int count() {
    return nodes.size();
  }

  /** The key that nobody asks for until the end. */
  int coldKey() {
    return origin.length - 1;
  }

  /** Some faults and some load, then a quiet time in which everything has to become well. */
  void run() {
    nodes.forEach(ShareNode::start);
    int end = 400;
    for (int i = 0; i < LOADS; i++) {
      at(world.below(end) * MILLI, this::load);
    }
    for (int i = world.below(10); i > 0; i--) {
      at(world.below(end) * MILLI, faults.calm ? this::otherView : this::fault);
    }
    world.runUntil(end * MILLI);
    heal();
    world.runUntil(end * MILLI + QUIET_NANOS);
    checkQuiet();
    askForTheColdKey();
  }

  ShareNode anyNode() {
    return nodes.get(world.below(count()));
  }

  private void load() {
    ShareNode node = anyNode();
    int key = Math.min(world.below(KEYS), world.below(KEYS));
    if (world.oneIn(4)) {
      node.purge(key);
      // Those who wait for a purge look at once whether it worked.
      for (int i = 0; i < 3; i++) {
        at(delay(8), () -> anyNode().request(key));
      }
    }
    for (int i = world.below(6); i >= 0; i--) {
      ShareNode asked = world.oneIn(2) ? node : anyNode();
      at(delay(5), () -> asked.request(key));
    }
  }

  private void fault() {
    ShareNode node = anyNode();
    switch (world.below(7)) {
      case 0 -> node.hang(world.below(300) * MILLI);
      case 1 -> {
        node.crash();
        at(world.below(200) * MILLI, node::start);
      }
      case 2 -> {
        int other = world.below(count());
        set(node.index, other, true);
        at(world.below(300) * MILLI, () -> set(node.index, other, false));
      }
      case 3 -> {
        boolean[] side = new boolean[count()];
        for (int i = 0; i < side.length; i++) {
          side[i] = world.oneIn(2);
        }
        partition(side, true);
        at(world.below(300) * MILLI, () -> partition(side, false));
      }
      case 4 -> node.setClock((world.below(7_201) - 3_600) * SECOND);
      default -> otherView();
    }
  }

  private void otherView() {
    ShareNode node = anyNode();
    node.view(someNodes(node.index), world.below(count()));
  }

  /**
   * In some worlds: a node crashes while it carries out a purge of {@code key}, or has just done
   * so, and comes back; clients ask it meanwhile.
   */
  void crashSoon(ShareNode node, int key, Seen when) {
    if (!faults.crashesAtPurges || !world.oneIn(12)) {
      return;
    }
    at(
        delay(3),
        () -> {
          if (!node.isUp()) {
            return;
          }
          saw(when);
          node.crash();
          at(delay(10), node::start);
          for (int i = 0; i < 8; i++) {
            at(world.below(80) * MILLI, () -> node.request(key));
          }
        });
  }

  /** Fall-backs of a node that a second may have however few requests there are. */
  int fallBacks() {
    return 2;
  }

  /** Requests of a node for a key that make it hot. */
  int hotRequests() {
    return 2;
  }

  /** Whether no response that begins from now on may be older than the purge. */
  boolean isConfirmed(Nodes told) {
    return told.acknowledged() == told.configured();
  }

  /** A node begins to fetch {@code key} from the origin. */
  void fetched(int key) {
    fetches[key]++;
  }

  /** The slowest part of a fetch, at most. */
  int slowMillis() {
    return world.oneIn(4) ? (world.oneIn(4) ? 300 : 40) : 6;
  }

  /** Whether the responses of {@code key} can be continued from another hop. */
  boolean hasEntityTag(int key) {
    return key % 2 == 0;
  }

  /** A client has its response, or an error. */
  void answered(boolean well, long tookNanos) {
    open--;
  }

  /** The next purge of {@code stream}. */
  void published(NodeRun stream, int key, int version) {
    purges.computeIfAbsent(stream, each -> new ArrayList<>()).add(new int[] {key, version});
  }

  /** Raises {@code versions} to those of the first {@code number} purges of {@code stream}. */
  void purged(NodeRun stream, long number, int[] versions) {
    if (!purges.containsKey(stream)) {
      return; // of losses
    }
    for (int[] purge : purges.get(stream).subList(0, (int) number)) {
      versions[purge[0]] = Math.max(versions[purge[0]], purge[1]);
    }
  }

  /** The key of a purge. */
  int purgedKey(NodeRun stream, long number) {
    return purges.get(stream).get((int) number - 1)[0];
  }

  boolean isMixed() {
    return mixed;
  }

  private boolean[] someNodes(int always) {
    boolean[] some = new boolean[count()];
    for (int i = 0; i < some.length; i++) {
      some[i] = i == always || !world.oneIn(3);
    }
    return some;
  }

  private void partition(boolean[] side, boolean isCut) {
    for (int i = 0; i < side.length; i++) {
      for (int j = 0; j < side.length; j++) {
        if (side[i] != side[j]) {
          set(i, j, isCut);
        }
      }
    }
  }

  private void set(int one, int other, boolean isCut) {
    cut[one][other] = isCut;
    cut[other][one] = isCut;
  }

  boolean reaches(ShareNode one, ShareNode other) {
    return !cut[one.index][other.index];
  }

  private void heal() {
    for (boolean[] row : cut) {
      Arrays.fill(row, false);
    }
    boolean[] all = new boolean[count()];
    Arrays.fill(all, true);
    for (ShareNode node : nodes) {
      node.hang(0);
      node.start();
    }
    nodes.forEach(node -> node.view(all, -1));
  }

  private void checkQuiet() {
    if (open > 0) {
      fail("requests without an end: " + open);
    }
    for (ShareNode node : nodes) {
      if (!node.numbers().equals(nodes.get(0).numbers())) {
        fail("purges missing at node " + node.index);
      }
      if (!node.state().caughtUp() || node.state().lag() != 0 || !node.isTrusted()) {
        fail("node " + node.index + " is behind: " + node.state());
      }
      node.checkStored();
      node.recovered();
    }
  }

  private void askForTheColdKey() {
    int key = coldKey();
    fetches[key] = 0;
    for (int i = 0; i < 12; i++) {
      ShareNode node = nodes.get(i % count());
      at(delay(2), () -> node.request(key));
    }
    world.runUntil(world.now() + 3 * SECOND);
    if (fetches[key] != 1 || open > 0) {
      fail("fetches of a cold response: " + fetches[key] + ", without an end: " + open);
    }
  }

  final void at(long delayNanos, Runnable step) {
    world.after(delayNanos, step);
  }

  /** Up to {@code millis}, mostly short. */
  final long delay(int millis) {
    return world.between(0, world.between(1, millis * MILLI + 1));
  }

  /**
   * A message of the replication to a run of a node. It arrives behind those before it, or never.
   */
  void sendMessage(ShareNode from, NodeRun sender, ShareNode to, NodeRun run, byte[] message) {
    if (world.below(100) < LOSS_PERCENT) {
      return;
    }
    long[] row = arrivals[from.index];
    row[to.index] = Math.max(row[to.index], world.now() + delay(3));
    world.at(
        row[to.index],
        () -> {
          if (reaches(from, to)) {
            to.message(sender, run, message);
          }
        });
  }

  /**
   * A message. It is lost if the nodes cannot reach each other.
   *
   * @param refused run at {@code from} if {@code to} does not run
   */
  void send(ShareNode from, ShareNode to, Consumer<ShareNode> step, Runnable refused) {
    at(
        delay(3),
        () -> {
          if (!reaches(from, to)) {
            return;
          }
          if (to.isUp()) {
            to.arrive(() -> step.accept(to));
          } else {
            from.step(delay(1), refused);
          }
        });
  }
}
