package io.loligo.server.sim;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A proxy that the proxy may ask, which dies and comes back. Confined to the world's thread. */
final class Parent {
  /** Failures in a row behind which it counts as dead: {@code connect-fail-limit}. */
  static final int FAIL_LIMIT = 2;

  /** For so long a dead one is left alone, nanoseconds. */
  private static final long DEAD_NANOS = 10_000_000_000L;

  /** Longest time after a failure in which earlier decisions still arrive. */
  private static final long NOTICED_NANOS = 500_000_000L;

  final int number;
  private final World world;
  private final Set<Origin.Connection> connections = new LinkedHashSet<>();
  private boolean down;
  private long downNanos;
  private int failures;
  private long deadNanos = -1;

  Parent(World world, int number) {
    this.world = world;
    this.number = number;
  }

  boolean isDown() {
    return down;
  }

  void add(Origin.Connection connection) {
    connections.add(connection);
  }

  void remove(Origin.Connection connection) {
    connections.remove(connection);
  }

  /**
   * It no longer accepts connections.
   *
   * @param politely whether pending requests still get their responses
   */
  void dies(boolean politely) {
    world.note("parent %d dies, politely: %s", number, politely);
    down = true;
    downNanos = world.nanoTime();
    failures = 0;
    List<Origin.Connection> all = new ArrayList<>(connections);
    all.forEach(connection -> connection.die(politely));
  }

  void comesBack() {
    world.note("parent %d is back", number);
    down = false;
    deadNanos = -1;
  }

  /** Other rules: its known state may be forgotten. */
  void forgotten() {
    failures = 0;
    deadNanos = -1;
    downNanos = world.nanoTime();
  }

  /** Whether a caller that dials it now should know that it is dead. */
  boolean isKnownDead() {
    long since = world.nanoTime() - deadNanos;
    return down && deadNanos >= 0 && since > NOTICED_NANOS && since < DEAD_NANOS;
  }

  /** The proxy learns that the port is closed, having dialled at {@code dialledNanos}. */
  void refused(long dialledNanos) {
    if (down && dialledNanos - downNanos > NOTICED_NANOS && ++failures >= FAIL_LIMIT) {
      deadNanos = world.nanoTime();
    }
  }
}
