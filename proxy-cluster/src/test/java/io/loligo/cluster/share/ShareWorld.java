package io.loligo.cluster.share;

import io.loligo.cluster.Events;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
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
 * stand still, crash and run again, and each node has a view of its own. The replication of purges
 * is a simple one that keeps its promises: in order, durable, and confirmed when applied.
 */
final class ShareWorld {
  static final int NODES = 5;
  static final int KEYS = 5;
  static final long MILLI = 1_000_000L;

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
  private final boolean[][] cut = new boolean[NODES][NODES];
  private final Events events = new Events();
  private boolean calm;
  private boolean quiet;
  long nowNanos;
  int open;

  ShareWorld(long seed, Set<ShareRule> broken) {
    random = new Random(seed);
    this.broken = broken.isEmpty() ? EnumSet.noneOf(ShareRule.class) : EnumSet.copyOf(broken);
    for (int i = 0; i < NODES; i++) {
      nodes.add(new ShareNode(this, i));
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
    runUntil(end + 60_000 * MILLI);
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
    quiet = true;
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
    runUntil(nowNanos + 10_000 * MILLI);
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

  /** Whether nobody has to be told more purges, so that the gossip may end. */
  boolean isSettled() {
    for (ShareNode node : nodes) {
      if (!node.numbers().equals(nodes.get(0).numbers())) {
        return false;
      }
    }
    return quiet && nowNanos > 1_000 * MILLI;
  }

  void at(long delayNanos, Runnable step) {
    events.add(nowNanos + delayNanos, step);
  }

  /** Up to {@code millis}, mostly short. */
  long delay(int millis) {
    return random.nextInt(1 + random.nextInt(millis * (int) MILLI));
  }

  /**
   * A message. It is lost if the nodes cannot reach each other.
   *
   * @param lossPercent of other losses; only for messages that are repeated
   * @param refused run at {@code from} if {@code to} does not run
   */
  void send(
      ShareNode from, ShareNode to, int lossPercent, Consumer<ShareNode> step, Runnable refused) {
    if (random.nextInt(100) < lossPercent) {
      return;
    }
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
