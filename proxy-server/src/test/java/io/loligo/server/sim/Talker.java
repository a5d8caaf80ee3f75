package io.loligo.server.sim;

import java.util.List;

/** One side of an open tunnel: sends its bytes, and receives those of the other. */
final class Talker implements SimPeer {
  /** How a side ends. */
  private enum End {
    /** When it has said all. */
    FINS,
    /** When the other has ended, too. */
    ANSWERS,
    /** It hears nothing from then on. */
    CLOSES,
    /** Never. */
    STAYS
  }

  private static final List<End> ENDS =
      List.of(End.FINS, End.FINS, End.FINS, End.ANSWERS, End.ANSWERS, End.CLOSES, End.STAYS);

  private final World world;
  private final SimSocket socket;
  private final Tunneled tunnel;
  private final Tunneled.Way says;
  private final Tunneled.Way hears;
  private final End end;
  private final int pauseMicros;
  private final long readDelayMicros;
  private final int faults;
  private boolean silent;
  private boolean otherEnded;
  private boolean dead;

  /**
   * A side that begins to talk soon.
   *
   * @param faults percent of sides that break off, and of those that stop listening
   */
  Talker(World world, SimSocket socket, Tunneled tunnel, boolean isClient, int faults) {
    this.world = world;
    this.socket = socket;
    this.tunnel = tunnel;
    this.says = isClient ? tunnel.up : tunnel.down;
    this.hears = isClient ? tunnel.down : tunnel.up;
    this.faults = faults;
    end = world.one(ENDS);
    pauseMicros = world.one(List.of(1, 20_000, 400_000, 400_000, 3_000_000));
    boolean stalls = world.chance(faults / 3);
    readDelayMicros = stalls ? 8_000_000 : world.chance(15) ? 1_000 + world.draw(30_000) : 0;
  }

  /** Begins to talk. */
  void begin() {
    if (world.chance(faults)) {
      world.after(world.draw(3_000_000), this::breakOff);
    }
    world.after(world.draw(pauseMicros), this::say);
  }

  private void say() {
    if (silent || dead) {
      return;
    }
    if (says.left() == 0) {
      end();
      return;
    }
    int length = world.chance(40) ? says.left() : 1 + world.draw(says.left());
    socket.peerSends(says.say(length));
    world.after(world.draw(world.chance(2) ? 7_000_000 : pauseMicros), this::say);
  }

  private void end() {
    switch (end) {
      case FINS -> fins();
      case ANSWERS -> {
        if (otherEnded) {
          fins();
        }
      }
      case CLOSES -> {
        says.end();
        tunnel.broken();
        dead = true;
        socket.peerCloses();
      }
      case STAYS -> silent = true;
    }
  }

  private void fins() {
    silent = true;
    says.end();
    socket.peerFins();
  }

  /** Resets the connection, regardless of bytes in transit. */
  void breakOff() {
    if (!isOver()) {
      world.note("%s is broken off", tunnel);
      tunnel.broken();
      dead = true;
      socket.peerResets();
    }
  }

  /** Whether it neither says nor hears anything any more. */
  boolean isOver() {
    return dead || (silent && otherEnded);
  }

  @Override
  public void received(byte[] bytes) {
    if (!dead) {
      hears.heard(bytes);
    }
  }

  @Override
  public void fin() {
    if (!dead) {
      otherEnded = true;
      hears.endHeard();
      if (end == End.ANSWERS && says.left() == 0 && !silent) {
        fins();
      }
    }
  }

  @Override
  public void reset() {
    if (!dead) {
      dead = true;
      tunnel.check(tunnel.isBroken() || tunnel.mayBeCut(), "is reset");
    }
  }

  @Override
  public long readDelayMicros() {
    return readDelayMicros;
  }
}
