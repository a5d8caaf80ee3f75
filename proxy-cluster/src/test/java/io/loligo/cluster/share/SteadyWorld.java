package io.loligo.cluster.share;

import static io.loligo.cluster.sim.World.MILLI;
import static io.loligo.cluster.sim.World.SECOND;

import io.loligo.cluster.purges.Nodes;
import io.loligo.cluster.sim.World;
import java.util.Arrays;
import java.util.EnumSet;

/**
 * Nodes that are well under a steady load, until one of them is killed, stands still, or joins.
 * Counts errors, slow responses, and fetches. Confined to one thread.
 */
final class SteadyWorld extends ShareWorld {
  private static final int KEYS = 40;

  /** A response that takes longer is slow. */
  static final long SLOW_NANOS = 300 * MILLI;

  /** Members notice within this time that one is gone. */
  private static final long NOTICE_NANOS = 2 * SECOND;

  /** Until the nodes have found each other. */
  private static final int BEGIN_MILLIS = 700;

  /** The node to which something happens. */
  private final ShareNode one;

  private boolean counts;

  /** Requests of clients from the event on. */
  int requests;

  int slow;

  /** Fetches from the origin from the event on. */
  int originFetches;

  /** Most fetches of one key at a time, of the other nodes. */
  int mostAtOnce;

  SteadyWorld(long seed, int count) {
    super(
        new World(seed, Long.getLong("sim.first", 0) > 0),
        EnumSet.noneOf(ShareRule.class),
        count,
        KEYS,
        new Faults(false, false, false, 20));
    one = nodes.get(world.below(count));
  }

  /** kill -9 of one node, which runs again later. */
  void kill() {
    nodes.forEach(ShareNode::start);
    ask(BEGIN_MILLIS - 60, BEGIN_MILLIS, 40);
    at((BEGIN_MILLIS - 60) * MILLI, () -> nodes.forEach(ShareNode::isWarm));
    at(BEGIN_MILLIS * MILLI, this::killOne);
    world.runUntil((long) BEGIN_MILLIS * MILLI + 3 * SECOND);
    check();
  }

  private void killOne() {
    counts = true;
    one.kill();
    at(NOTICE_NANOS, this::isGone);
    ask(0, 50, 60);
    ask(50, 400, 20);
  }

  /** SIGSTOP of one node for 11 s; the others purge meanwhile. Then it has no old response. */
  void stop() {
    nodes.forEach(ShareNode::start);
    ask(BEGIN_MILLIS - 60, BEGIN_MILLIS, 40);
    at((BEGIN_MILLIS - 60) * MILLI, () -> nodes.forEach(ShareNode::isWarm));
    at(BEGIN_MILLIS * MILLI, this::stopOne);
    world.runUntil((long) BEGIN_MILLIS * MILLI + 16 * SECOND);
    check();
  }

  private void stopOne() {
    counts = true;
    one.hang(11 * SECOND);
    at(NOTICE_NANOS, this::isGone);
    ask(0, 50, 60);
    ask(50, 400, 20);
    at(
        3 * SECOND,
        () -> {
          for (int i = 0; i < 5; i++) {
            other().purge(i);
          }
        });
    at(
        11 * SECOND,
        () -> {
          for (int i = 0; i < 5; i++) {
            int key = i;
            at(world.below(20) * MILLI, () -> one.request(key));
          }
        });
    at(11 * SECOND + world.below(1_000) * MILLI, this::isBack);
  }

  /** A node joins. All responses are stored before. */
  void join() {
    nodes.stream().filter(node -> node != one).forEach(ShareNode::start);
    at(
        BEGIN_MILLIS * MILLI,
        () -> {
          for (int key = 0; key < KEYS; key++) {
            int asked = key;
            at(world.below(20) * MILLI, () -> other().request(asked));
          }
        });
    world.runUntil((long) BEGIN_MILLIS * MILLI + 200 * MILLI);
    counts = true;
    one.start();
    for (int i = 0; i < 100; i++) {
      at(
          world.below(300) * MILLI,
          () -> {
            ShareNode node = anyNode();
            (node.isUp() ? node : other()).request(world.below(KEYS));
          });
    }
    world.runUntil(world.now() + 3 * SECOND);
    check();
  }

  /** Responses with status 503, and those that broke off. */
  int errors() {
    return seen.getOrDefault(Seen.REFUSED, 0) + seen.getOrDefault(Seen.TRUNCATED, 0);
  }

  private void check() {
    if (open > 0) {
      fail("requests without an end: " + open);
    }
  }

  private void ask(int fromMillis, int toMillis, int requests) {
    for (int i = 0; i < requests; i++) {
      at(world.between(fromMillis, toMillis) * MILLI, () -> other().request(world.below(KEYS)));
    }
  }

  private ShareNode other() {
    ShareNode node = anyNode();
    while (node == one) {
      node = anyNode();
    }
    return node;
  }

  private void isGone() {
    boolean[] left = new boolean[count()];
    Arrays.fill(left, true);
    left[one.index] = false;
    nodes.stream().filter(node -> node != one).forEach(node -> node.view(left, -1));
  }

  private void isBack() {
    boolean[] all = new boolean[count()];
    Arrays.fill(all, true);
    nodes.forEach(node -> node.view(all, -1));
  }

  /** The node that stood still asks the others before it serves anything. */
  @Override
  boolean isConfirmed(Nodes told) {
    return told.acknowledged() >= told.configured() - 1;
  }

  @Override
  boolean hasEntityTag(int key) {
    return true;
  }

  @Override
  int fallBacks() {
    return PeerRequests.ALWAYS;
  }

  @Override
  int hotRequests() {
    return 10;
  }

  @Override
  int slowMillis() {
    return 20;
  }

  @Override
  void fetched(int key) {
    super.fetched(key);
    if (counts) {
      originFetches++;
      int atOnce =
          nodes.stream().filter(node -> node != one).mapToInt(node -> node.fetchesNow(key)).sum();
      mostAtOnce = Math.max(mostAtOnce, atOnce);
    }
  }

  @Override
  void answered(boolean well, long tookNanos) {
    super.answered(well, tookNanos);
    if (counts) {
      requests++;
      slow += tookNanos > SLOW_NANOS ? 1 : 0;
    }
  }
}
