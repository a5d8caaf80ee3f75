package io.loligo.cluster.sim;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.purges.Replication;
import io.loligo.cluster.purges.ReplicationLimits;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A node over all its runs: a store, a journal, and while it runs, replication. Others extend what
 * a run does by {@link Life}.
 */
final class SimNode {
  private final World world;
  private final Network network;
  private final int index;
  private final boolean keeps;
  private final int configured;
  private final ReplicationLimits limits;

  /** Version of its messages. */
  private final int protocol;

  /** Of this node's clocks, which are wrong. */
  private final long offsetNanos;

  private final SimDisk storeDisk;
  private final SimDisk journalDisk;
  private final SimStore store;
  private final SimJournal journal;
  private UUID id;
  private int runs;
  private boolean hung;
  private boolean checksHeard;
  private final ArrayDeque<Runnable> held = new ArrayDeque<>();
  private @Nullable Life life;
  private long revalidations;

  /** One run. */
  final class Life extends SimRun {
    private final Member member;
    private final Replication replication;
    private final Map<Integer, Integer> lastOfSender = new HashMap<>();
    private final Set<Long> seen = new HashSet<>();
    private long viewNumber;
    private int published;

    /** The other members. */
    private Set<NodeRun> others = Set.of();

    /** What members had when most of them were new: this node has it before it is caught up. */
    private final Map<NodeRun, Map<NodeRun, Long>> awaited = new HashMap<>();

    private Life() {
      super(new NodeRun(id, world.now() + offsetNanos + 1), configured);
      member =
          new Member(
              self(),
              "node" + index,
              Network.address(index),
              Network.address(index),
              1,
              false,
              protocol);
      replication =
          new Replication(
              this, this, member, store, keeps ? journal : Replication.memoryJournal(), limits);
    }

    @Override
    public long nanos() {
      return world.now() + offsetNanos;
    }

    @Override
    protected void later(long delayNanos, Runnable step) {
      world.after(delayNanos, () -> run(this, step));
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      network.send(SimNode.this, to, message);
    }

    Replication replication() {
      return replication;
    }

    private void sees(View view) {
      Set<NodeRun> now = new HashSet<>();
      view.members().forEach(each -> now.add(each.id()));
      now.remove(member.id());
      Set<NodeRun> fresh = new HashSet<>(now);
      fresh.removeAll(others);
      others = now;
      awaited.keySet().retainAll(now);
      if (checksHeard && 2 * fresh.size() > now.size()) {
        fresh.forEach(each -> awaited.put(each, network.applied(each)));
      }
    }

    private void checkHeard() {
      if (awaited.isEmpty() || !replication.isCaughtUp() || replication.state().lag() > 0) {
        return;
      }
      Map<NodeRun, Long> applied = replication.applied();
      awaited.forEach(
          (from, had) ->
              had.forEach(
                  (stream, number) -> {
                    if (applied.getOrDefault(stream, 0L) < number) {
                      throw new AssertionError(
                          SimNode.this
                              + " is caught up without purge "
                              + number
                              + " of "
                              + stream
                              + ", which "
                              + from
                              + " had when it came");
                    }
                  }));
      awaited.clear();
    }

    /** Number of the next purge of this run. */
    int nextNumber() {
      published++;
      return published;
    }
  }

  SimNode(
      World world,
      Network network,
      int index,
      boolean keeps,
      int configured,
      ReplicationLimits limits,
      boolean slow,
      int protocol) {
    this.protocol = protocol;
    this.world = world;
    this.network = network;
    this.index = index;
    this.keeps = keeps;
    this.configured = configured;
    this.limits = limits;
    offsetNanos = world.between(0, 3_600 * World.SECOND);
    storeDisk = new SimDisk(world, (slow ? 200 : 5) * World.MILLI);
    journalDisk = new SimDisk(world, (slow ? 500 : 20) * World.MILLI);
    store = new SimStore(world, storeDisk, keeps, this::applied);
    journal = new SimJournal(world, journalDisk);
    id = randomId();
  }

  private UUID randomId() {
    return new UUID(world.between(0, Long.MAX_VALUE), index);
  }

  int index() {
    return index;
  }

  boolean keeps() {
    return keeps;
  }

  boolean isUp() {
    return life != null;
  }

  boolean isHung() {
    return hung;
  }

  SimStore store() {
    return store;
  }

  SimJournal journal() {
    return journal;
  }

  SimDisk storeDisk() {
    return storeDisk;
  }

  SimDisk journalDisk() {
    return journalDisk;
  }

  /** This run; the node is up. */
  Life life() {
    Life running = life;
    if (running == null) {
      throw new IllegalStateException("node " + index + " is down");
    }
    return running;
  }

  boolean isLife(Life other) {
    return life == other;
  }

  Member member() {
    return life().member;
  }

  long viewNumber() {
    return life == null ? -1 : life.viewNumber;
  }

  long revalidations() {
    return revalidations;
  }

  void start() {
    runs++;
    if (!keeps) {
      id = randomId();
    }
    Life fresh = new Life();
    life = fresh;
    world.tell(() -> this + " starts");
    run(
        fresh,
        () -> {
          fresh.replication.start();
          view(fresh.member.id(), new View(0, List.of(fresh.member)));
        });
    network.changed();
  }

  void crash() {
    world.tell(() -> this + " crashes");
    revalidations += life().replication.state().revalidations();
    life = null;
    hung = false;
    held.clear();
    storeDisk.crash();
    journalDisk.crash();
    store.crash();
    journal.crash();
    network.changed();
  }

  void hang() {
    world.tell(() -> this + " hangs");
    hung = true;
    network.changed();
  }

  void resume() {
    world.tell(() -> this + " resumes");
    hung = false;
    while (!held.isEmpty() && !hung) {
      held.remove().run();
    }
    network.changed();
  }

  /** Runs {@code step} of {@code of} unless that run is over; once the node no longer hangs. */
  void run(Life of, Runnable step) {
    if (life != of) {
      return;
    }
    if (hung) {
      held.add(() -> run(of, step));
    } else {
      step.run();
      of.checkHeard();
    }
  }

  /** From now on this node has to know what the others have before it is caught up. */
  void checksHeard() {
    checksHeard = true;
  }

  void view(NodeRun run, View view) {
    Life running = life;
    if (running == null || !running.member.id().equals(run)) {
      return;
    }
    run(
        running,
        () -> {
          world.tell(() -> this + " sees " + view.members().stream().map(Member::name).toList());
          running.viewNumber = view.number();
          running.sees(view);
          running.replication.view(view);
        });
  }

  void message(NodeRun from, NodeRun to, byte[] message) {
    Life running = life;
    if (running != null && running.member.id().equals(to)) {
      run(running, () -> running.replication.message(from, message));
    }
  }

  /** Purges of a sender come to a store in their order; what comes again came before. */
  private void applied(byte[] entry) {
    ByteBuffer in = ByteBuffer.wrap(entry);
    int key = in.getInt();
    int sender = in.getInt();
    int number = in.getInt();
    world.tell(() -> this + " purges key " + key + ", " + number + " of " + sender);
    Life running = life();
    boolean isNew = running.seen.add(((long) sender << 32) | number);
    Integer last = running.lastOfSender.get(sender);
    // a stream that was forgotten may come again from its begin
    if (isNew && last != null && number < last && limits.streams() > 100) {
      throw new AssertionError(this + " gets " + number + " of " + sender + " after " + last);
    }
    running.lastOfSender.merge(sender, number, Math::max);
  }

  /** Names this run among all runs of all nodes. */
  int sender() {
    return index * 1_000 + runs;
  }

  @Override
  public String toString() {
    return "node" + index + "." + runs + (hung ? " (hangs)" : "");
  }
}
