package io.loligo.cluster.share;

import io.loligo.cluster.Events;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.jgroups.JGroupsGroup;
import io.loligo.cluster.purges.ReplicationLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Five nodes in share mode, an origin and clients, on a virtual clock and from a seed. Confined to
 * one thread.
 *
 * <p>The decisions are those of the product. Store, fetches and messages are a model, which takes
 * some time between any two steps of a node. Links lose messages, partitions come and go, nodes
 * stand still, crash and run again, and each node has a view of its own. Purges go through the
 * replication of the product, over links that keep the order and lose messages.
 */
final class ShareWorld {
  static final int NODES = 5;
  static final int KEYS = 5;

  /** Of the messages of the replication, besides those of links that are cut. */
  private static final int LOSS_PERCENT = 5;

  static final long MILLI = 1_000_000L;

  /** Retries and gossip come sooner than in a proxy: links lose messages without a new view. */
  static final ReplicationLimits LIMITS =
      new ReplicationLimits(
          100_000,
          1 << 20,
          600_000 * MILLI,
          2_000 * MILLI,
          MILLI,
          1_000 * MILLI,
          100 * MILLI,
          10_000);

  /** Time in which each purge reaches each node once nothing fails any more. */
  private static final long QUIET_NANOS = 10_000 * MILLI;

  /** What happened, to see that a simulation meets it. */
  enum Seen {
    SHARED_FROM_PEER,
    ALONE_FROM_PEER,
    COPY_USED,
    PULLED,
    SECOND_ANSWERED,
    FELL_BACK,
    REFUSED,
    CONFIRMED,
    NOT_CONFIRMED,
    DOUBTED,
    VALIDATED_ALL,
    TRUNCATED
  }

  final Random random;
  final Set<ShareRule> broken;
  final Map<Seen, Integer> seen = new EnumMap<>(Seen.class);
  final List<ShareNode> nodes = new ArrayList<>();

  /** Version of each response at the origin; one key more, which is cold until the end. */
  final int[] origin = new int[KEYS + 1];

  /** The version that all nodes confirmed a purge for. */
  final int[] confirmed = new int[KEYS + 1];

  /** The version that some node published a purge for. */
  final int[] published = new int[KEYS + 1];

  final int[] fetches = new int[KEYS + 1];

  /** Keys and versions of all purges, by their numbers. */
  private final Map<NodeRun, List<int[]>> purges = new HashMap<>();

  private final boolean[][] cut = new boolean[NODES][NODES];

  /** When the last message of the replication arrives. */
  private final long[][] arrivals = new long[NODES][NODES];

  /** Whether some nodes have older versions. */
  private final boolean mixed;

  private final Events events = new Events();
  private boolean calm;
  long nowNanos;
  int open;

  ShareWorld(long seed, Set<ShareRule> broken) {
    random = new Random(seed);
    this.broken = broken.isEmpty() ? EnumSet.noneOf(ShareRule.class) : EnumSet.copyOf(broken);
    mixed = random.nextInt(4) == 0;
    for (int i = 0; i < NODES; i++) {
      int protocol = mixed ? 1 + random.nextInt(JGroupsGroup.PROTOCOL) : JGroupsGroup.PROTOCOL;
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

  /** Some faults and some load, then a quiet time in which everything has to become well. */
  void run() {
    for (ShareNode node : nodes) {
      node.start();
    }
    long end = 400 * MILLI;
    for (int i = 0; i < 60; i++) {
      at(random.nextInt((int) end), this::load);
    }
    calm = random.nextInt(3) == 0;
    for (int i = random.nextInt(10); i > 0; i--) {
      at(random.nextInt((int) end), calm ? this::otherView : this::fault);
    }
    runUntil(end);
    heal();
    runUntil(end + QUIET_NANOS);
    checkQuiet();
    askForTheColdKey();
  }

  private void load() {
    ShareNode node = nodes.get(random.nextInt(NODES));
    int key = Math.min(random.nextInt(KEYS), random.nextInt(KEYS));
    if (random.nextInt(4) == 0) {
      node.purge(key);
      // Those who wait for a purge look at once whether it worked.
      for (int i = 0; i < 3; i++) {
        at(delay(8), () -> nodes.get(random.nextInt(NODES)).request(key));
      }
    }
    for (int i = random.nextInt(6); i >= 0; i--) {
      ShareNode asked = random.nextBoolean() ? node : nodes.get(random.nextInt(NODES));
      at(delay(5), () -> asked.request(key));
    }
  }

  private void fault() {
    ShareNode node = nodes.get(random.nextInt(NODES));
    switch (random.nextInt(6)) {
      case 0 -> node.hang(random.nextInt(300) * MILLI);
      case 1 -> {
        node.crash();
        at(random.nextInt(200) * MILLI, node::start);
      }
      case 2 -> {
        int other = random.nextInt(NODES);
        set(node.index, other, true);
        at(random.nextInt(300) * MILLI, () -> set(node.index, other, false));
      }
      case 3 -> {
        boolean[] side = new boolean[NODES];
        for (int i = 0; i < NODES; i++) {
          side[i] = random.nextBoolean();
        }
        partition(side, true);
        at(random.nextInt(300) * MILLI, () -> partition(side, false));
      }
      default -> otherView();
    }
  }

  private void otherView() {
    ShareNode node = nodes.get(random.nextInt(NODES));
    node.view(someNodes(node.index), random.nextInt(NODES));
  }

  /** The next purge of {@code stream}. */
  void published(NodeRun stream, int key, int version) {
    published[key] = Math.max(published[key], version);
    purges.computeIfAbsent(stream, each -> new ArrayList<>()).add(new int[] {key, version});
  }

  /** Raises {@code versions} to those of the first {@code number} purges of {@code stream}. */
  void purged(NodeRun stream, long number, int[] versions) {
    for (int[] purge : purges.getOrDefault(stream, List.of()).subList(0, (int) number)) {
      versions[purge[0]] = Math.max(versions[purge[0]], purge[1]);
    }
  }

  boolean isMixed() {
    return mixed;
  }

  /** Whether no node and no link fails: there are only different views. */
  boolean isCalm() {
    return calm;
  }

  private boolean[] someNodes(int always) {
    boolean[] some = new boolean[NODES];
    for (int i = 0; i < NODES; i++) {
      some[i] = i == always || random.nextInt(3) > 0;
    }
    return some;
  }

  private void partition(boolean[] side, boolean isCut) {
    for (int i = 0; i < NODES; i++) {
      for (int j = 0; j < NODES; j++) {
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

  private void heal() {
    for (boolean[] row : cut) {
      Arrays.fill(row, false);
    }
    boolean[] all = new boolean[NODES];
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
      if (!node.state().caughtUp() || node.state().lag() != 0) {
        fail("node " + node.index + " is behind: " + node.state());
      }
      node.checkStored();
      node.recovered();
    }
  }

  private void askForTheColdKey() {
    fetches[KEYS] = 0;
    for (int i = 0; i < 12; i++) {
      ShareNode node = nodes.get(i % NODES);
      at(delay(2), () -> node.request(KEYS));
    }
    runUntil(nowNanos + 3_000 * MILLI);
    if (fetches[KEYS] != 1 || open > 0) {
      fail("fetches of a cold response: " + fetches[KEYS] + ", without an end: " + open);
    }
  }

  private void runUntil(long endNanos) {
    while (!events.isEmpty() && events.firstNanos() <= endNanos) {
      nowNanos = events.firstNanos();
      events.remove().run();
    }
    nowNanos = endNanos;
  }

  void at(long delayNanos, Runnable step) {
    events.add(nowNanos + delayNanos, step);
  }

  /** Up to {@code millis}, mostly short. */
  long delay(int millis) {
    return random.nextInt(1 + random.nextInt(millis * (int) MILLI));
  }

  /**
   * A message of the replication to a run of a node. It arrives behind those before it, or never.
   */
  void sendMessage(ShareNode from, NodeRun sender, ShareNode to, NodeRun run, byte[] message) {
    if (random.nextInt(100) < LOSS_PERCENT) {
      return;
    }
    long[] row = arrivals[from.index];
    row[to.index] = Math.max(row[to.index], nowNanos + delay(3));
    at(
        row[to.index] - nowNanos,
        () -> {
          if (!cut[from.index][to.index]) {
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
          if (cut[from.index][to.index]) {
            return;
          }
          if (to.isUp()) {
            to.step(0, () -> step.accept(to));
          } else {
            from.step(delay(1), refused);
          }
        });
  }
}
