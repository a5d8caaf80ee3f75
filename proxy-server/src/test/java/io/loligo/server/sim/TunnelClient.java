package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.sim.MessageReader.Message;
import java.util.Arrays;

/** A client that asks for a tunnel, and talks through it. */
final class TunnelClient implements SimPeer, MessageReader.Listener {
  private final Simulation simulation;
  private final World world;
  private final int number;
  private final Tunneled tunnel;
  private final MessageReader reader = new MessageReader(true, this);
  private SimSocket socket;
  private Talker talker;
  private boolean over;

  TunnelClient(Simulation simulation, int number, Tunneled tunnel) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.number = number;
    this.tunnel = tunnel;
  }

  Tunneled tunnel() {
    return tunnel;
  }

  /** Whether its tunnel is over, or it got none. */
  boolean isDone() {
    return over || (talker != null && talker.isOver());
  }

  /** Asks. */
  void begin() {
    if (!simulation.isListening()) {
      over = !simulation.comesBack();
      if (!over) {
        world.after(10_000 + world.draw(500_000), this::begin);
      }
      return;
    }
    socket = simulation.connect(this, number);
    simulation.asked(tunnel, socket);
    world.note("client %d asks for %s", number, tunnel);
    byte[] head = tunnel.head().getBytes(ISO_8859_1);
    if (!tunnel.upgrades && world.chance(15)) {
      // it does not wait to be told that it may
      byte[] first = tunnel.up.say(world.draw(tunnel.up.left() + 1));
      byte[] all = Arrays.copyOf(head, head.length + first.length);
      System.arraycopy(first, 0, all, head.length, first.length);
      head = all;
    }
    int cut = world.chance(70) ? head.length : world.draw(head.length);
    socket.peerSends(Arrays.copyOf(head, cut));
    socket.peerSends(Arrays.copyOfRange(head, cut, head.length));
    if (world.chance(simulation.faults().clients())) {
      world.after(world.draw(2_000_000), this::breakOff);
    }
    world.after(Client.PATIENCE_MILLIS * 1000, () -> tunnel.check(isAnswered(), "is not answered"));
  }

  private boolean isAnswered() {
    return over || tunnel.status > 0;
  }

  private void breakOff() {
    if (!isAnswered()) {
      over = true;
      tunnel.broken();
      if (world.chance(50)) {
        tunnel.up.end();
        socket.peerCloses();
      } else {
        socket.peerResets();
      }
    }
  }

  @Override
  public boolean hasNoContent(Message head) {
    return false;
  }

  @Override
  public boolean switches(Message head) {
    return head.status() == (tunnel.upgrades ? 101 : 200);
  }

  @Override
  public void head(Message head) {
    world.note("client %d is answered %d for %s", number, head.status(), tunnel);
    world.mark(tunnel.id * 1000L + head.status());
    tunnel.status = head.status();
    simulation.truth().tunnelAnswered(tunnel);
    if (switches(head)) {
      tunnel.check(tunnel.isOpened(), "is open, with nobody at its end");
      talker = simulation.talker(socket, tunnel, true);
      talker.begin();
    }
  }

  @Override
  public void complete(Message answer) {
    over = true;
    socket.peerCloses();
  }

  @Override
  public void raw(byte[] bytes) {
    talker.received(bytes);
  }

  @Override
  public void received(byte[] bytes) {
    if (!over) {
      reader.read(bytes);
    }
  }

  @Override
  public void fin() {
    if (talker != null) {
      talker.fin();
    } else {
      lost();
      socket.peerCloses();
    }
  }

  @Override
  public void reset() {
    if (talker != null) {
      talker.reset();
    } else {
      lost();
    }
  }

  private void lost() {
    if (!isAnswered()) {
      over = true;
      tunnel.check(
          simulation.mayBeLost(tunnel) || tunnel.isBroken(),
          "is not answered although nothing goes wrong");
    }
    over = true;
  }

  @Override
  public long readDelayMicros() {
    return talker == null ? 0 : talker.readDelayMicros();
  }
}
