package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.sim.MessageReader.Message;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** A client that makes some requests, one after the other or in a row, and looks at the answers. */
final class Client implements SimPeer, MessageReader.Listener {
  /** Longest time without bytes before a client gives up, milliseconds. */
  static final long PATIENCE_MILLIS = 150_000;

  private final Simulation simulation;
  private final World world;
  private final Faults faults;
  private final Truth truth;
  private final int number;
  private final Deque<SimRequest> left;
  private final Deque<SimRequest> asked = new ArrayDeque<>();
  private final boolean stalls;
  private final long paceMicros;
  private final boolean inARow;
  private FarEnd socket;

  /** The streams of its connection; null: it speaks HTTP/1. */
  private ClientStreams streams;

  private long connectedNanos;
  private MessageReader reader;
  private boolean leavesAfter;

  /** Bytes that arrived. */
  private long received;

  Client(Simulation simulation, int number, List<SimRequest> requests) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.faults = simulation.faults();
    this.truth = simulation.truth();
    this.number = number;
    this.left = new ArrayDeque<>(requests);
    this.stalls = world.chance(faults.clients() / 3);
    this.paceMicros = world.chance(15) ? 1_000 + world.draw(30_000) : 0;
    this.inARow = world.chance(10);
  }

  /** Whether it has nothing more to ask. */
  boolean isDone() {
    return left.isEmpty() && asked.isEmpty();
  }

  /** Makes its next request. */
  void next() {
    if (left.isEmpty()) {
      if (asked.isEmpty()) {
        leave();
      }
      return;
    }
    if (socket == null) {
      if (!simulation.isListening()) {
        if (simulation.comesBack()) {
          world.after(10_000 + world.draw(500_000), this::next);
        } else {
          left.clear(); // the port is closed
        }
        return;
      }
      reader = new MessageReader(true, this);
      streams = simulation.speaksHttp2(number) ? simulation.connectStreams(this, number) : null;
      socket = streams != null ? streams : simulation.connect(this, number);
      connectedNanos = world.nanoTime();
    }
    ask();
    while (inARow && !left.isEmpty() && asked.size() < 3 && !asked.peekLast().http10) {
      ask();
    }
  }

  /**
   * The proxy is about to stop. A client of HTTP/2 that is idle, and has more to ask, asks for more
   * at about the same time.
   */
  void meetsTheEnd() {
    if (isIdleOverHttp2()) {
      world.after(
          world.draw(1_000),
          () -> {
            if (isIdleOverHttp2()) {
              left.addFirst(simulation.again(left.peek()));
              ask();
            }
          });
    }
  }

  private boolean isIdleOverHttp2() {
    return streams != null && socket != null && asked.isEmpty() && !left.isEmpty();
  }

  private void leave() {
    if (socket != null) {
      socket.peerCloses();
      socket = null;
    }
  }

  private void ask() {
    SimRequest request = left.poll();
    asked.add(request);
    request.sentNanos = world.nanoTime();
    simulation.sent(request);
    world.note("client %d sends %s", number, request);
    byte[] all = request.bytes();
    FarEnd to = socket;
    int at = 0;
    while (at < all.length) {
      int length = world.chance(70) ? all.length - at : 1 + world.draw(all.length - at);
      to.peerSends(Arrays.copyOfRange(all, at, at + length));
      at += length;
    }
    if (world.chance(faults.clients())) {
      breakOff(to, request);
    }
    waitFor(request);
  }

  private void waitFor(SimRequest request) {
    long before = received;
    world.after(
        PATIENCE_MILLIS * 1000,
        () -> {
          if (!request.over && request.records == 0) {
            if (received == before) {
              throw new AssertionError("nothing for " + PATIENCE_MILLIS + " ms: " + request);
            }
            waitFor(request); // it reads slowly
          }
        });
  }

  private void breakOff(FarEnd from, SimRequest request) {
    int how = world.draw(4);
    world.after(
        world.chance(50) ? world.draw(50_000) : world.draw(5_000_000),
        () -> {
          if (!from.equals(socket) || request.over) {
            return;
          }
          world.note("client %d breaks off", number);
          switch (how) {
            case 0 -> {
              leavesAfter = true;
              from.peerFins();
            }
            case 1 -> {
              from.peerCloses();
              lost();
            }
            default -> {
              from.peerResets();
              lost();
            }
          }
        });
  }

  @Override
  public long readDelayMicros() {
    return stalls ? 8_000_000 : paceMicros;
  }

  // ---- arriving bytes

  @Override
  public void received(byte[] bytes) {
    received += bytes.length;
    if (socket != null) {
      reader.read(bytes);
    }
  }

  @Override
  public boolean hasNoContent(Message head) {
    int status = head.status();
    SimRequest request = asked.peek();
    return status == 304
        || status == 204
        || (request != null && request.method.equals("HEAD") && status >= 200);
  }

  @Override
  public void head(Message head) {
    SimRequest request = asked.peek();
    if (request == null) {
      throw new AssertionError("an answer that nobody asked for: " + head.startLine);
    }
    request.headArrived = true;
    request.status = head.status();
    world.note("client %d is answered %d, %s", number, request.status, head.fields);
    world.mark(request.id * 1000L + request.status);
    truth.head(request, head);
    Life.Drain drain = simulation.drain();
    if (drain != null && request.sentNanos > drain.announced() && !request.http10) {
      assertThat(head.field("connection")).as("%s, while draining", request).isEqualTo("close");
    }
  }

  @Override
  public void complete(Message answer) {
    SimRequest request = asked.poll();
    over(request, answer, true);
    simulation.answered(request);
    boolean closes =
        "close".equals(answer.field("connection")) || answer.untilClose || request.http10;
    if (closes || leavesAfter) {
      putBack();
      leave();
    }
    if (asked.isEmpty()) {
      later();
    }
  }

  private void over(SimRequest request, Message answer, boolean complete) {
    request.over = true;
    truth.over(request, answer, complete);
    if (!complete && faults.isCalm() && !mayBeLost(request)) {
      throw new AssertionError("not answered although nothing goes wrong: " + request);
    }
  }

  private boolean mayBeLost(SimRequest request) {
    Life.Drain drain = simulation.drain();
    boolean stopping =
        drain != null
            && (world.nanoTime() >= drain.deadline()
                || (!request.headArrived && drain.mayMiss(request.sentNanos) && !isWarned()));
    return stopping
        || connectedNanos <= simulation.endedNanos()
        || simulation.mayBeCut(request.resource);
  }

  /** Whether the proxy waits for its requests before it ends the connection: it reads at once. */
  private boolean isWarned() {
    return streams != null && streams.isAcknowledged() && paceMicros == 0;
  }

  /** Requests in a row that will not be answered on this connection are sent again. */
  private void putBack() {
    while (!asked.isEmpty()) {
      SimRequest request = asked.pollLast();
      simulation.abandoned(request);
      left.addFirst(simulation.again(request));
    }
  }

  @Override
  public void fin() {
    if (socket == null) {
      return;
    }
    boolean proper = reader.closed();
    if (socket != null) {
      socket.peerCloses();
    }
    if (!proper || !asked.isEmpty()) {
      lost();
    } else {
      socket = null;
    }
  }

  @Override
  public void reset() {
    if (socket != null && asked.isEmpty()) {
      socket = null; // the next question is on its way already
    } else if (socket != null) {
      lost();
    }
  }

  /** The connection is lost, with its pending requests. */
  private void lost() {
    socket = null;
    Message partial = reader.partial();
    SimRequest first = asked.poll();
    if (first != null) {
      world.note("client %d loses its answer", number);
      over(first, first.headArrived ? partial : null, false);
    }
    putBack();
    later();
  }

  private void later() {
    leavesAfter = false;
    world.after(world.chance(60) ? world.draw(50_000) : world.draw(4_000_000), this::next);
  }
}
