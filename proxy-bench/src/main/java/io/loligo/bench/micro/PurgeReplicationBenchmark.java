package io.loligo.bench.micro;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.purges.Invalidations;
import io.loligo.cluster.purges.Nodes;
import io.loligo.cluster.purges.Replication;
import io.loligo.cluster.purges.ReplicationLimits;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * How much CPU does a purge take on three nodes together, from {@code publish} to the answer 3/3,
 * without sockets, stores and disks? One node publishes 1,000 a second; the times between them are
 * only counted. The share of a core is the time of an operation, times 1,000 a second.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar PurgeReplicationBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PurgeReplicationBenchmark extends AbstractBenchmark {
  private static final int PURGES = 1_000;
  private static final long MILLI = 1_000_000;

  /** Of a purge: a key of a usual length. */
  @Param({"80"})
  private int bytes;

  /** Published at the same time. */
  @Param({"1", "20"})
  private int together;

  private final List<Replication> nodes = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private final Time time = new Time();
  private int answered;

  /** Three nodes that know each other. */
  @Setup
  public void begin() {
    for (int i = 0; i < 3; i++) {
      InetSocketAddress address = InetSocketAddress.createUnresolved("node" + i, 7_800);
      members.add(
          new Member(new NodeRun(new UUID(1, i), 1), "node" + i, address, address, 1, false, 1));
    }
    for (Member member : members) {
      nodes.add(
          new Replication(
              time,
              new Loopback(member),
              member,
              new Willing(),
              Replication.memoryJournal(),
              ReplicationLimits.USUAL));
    }
    nodes.forEach(Replication::start);
    nodes.forEach(node -> node.view(new View(1, members)));
    time.pass(10 * MILLI);
  }

  /** Purges of a second. */
  @Benchmark
  @OperationsPerInvocation(PURGES)
  public int purge() {
    answered = 0;
    for (int i = 0; i < PURGES; i += together) {
      for (int j = 0; j < together; j++) {
        nodes.get(0).publish(new byte[bytes], true, this::answered);
      }
      time.pass(together * MILLI);
    }
    time.pass(10 * MILLI);
    if (answered != PURGES) {
      throw new IllegalStateException("answered: " + answered + " (expected: " + PURGES + ")");
    }
    return answered;
  }

  private void answered(Nodes told) {
    if (told.acknowledged() == members.size()) {
      answered++;
    }
  }

  /** Runs the steps of all nodes. */
  private static final class Time implements Steps {
    private record Later(long nanos, long order, Runnable step) implements Comparable<Later> {
      @Override
      public int compareTo(Later other) {
        return nanos != other.nanos
            ? Long.compare(nanos, other.nanos)
            : Long.compare(order, other.order);
      }
    }

    private final ArrayDeque<Runnable> now = new ArrayDeque<>();
    private final PriorityQueue<Later> later = new PriorityQueue<>();
    private long nanos;
    private long order;

    void pass(long passing) {
      long until = nanos + passing;
      run();
      while (!later.isEmpty() && later.peek().nanos() <= until) {
        Later next = later.remove();
        nanos = next.nanos();
        next.step().run();
        run();
      }
      nanos = until;
    }

    private void run() {
      Runnable step = now.poll();
      while (step != null) {
        step.run();
        step = now.poll();
      }
    }

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public void execute(Runnable step) {
      now.add(step);
    }

    @Override
    public Runnable schedule(Runnable step, long delayNanos) {
      Later one = new Later(nanos + delayNanos, order++, step);
      later.add(one);
      return () -> later.remove(one);
    }
  }

  private final class Loopback implements Group {
    private final Member self;

    private Loopback(Member self) {
      this.self = self;
    }

    @Override
    public NodeRun self() {
      return self.id();
    }

    @Override
    public void start(Listener listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      for (int i = 0; i < members.size(); i++) {
        if (members.get(i).id().equals(to)) {
          Replication node = nodes.get(i);
          time.execute(() -> node.message(self.id(), message));
        }
      }
    }

    @Override
    public void announce(Member member) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int configured() {
      return members.size();
    }

    @Override
    public void close() {
      throw new UnsupportedOperationException();
    }
  }

  private static final class Willing implements Invalidations {
    @Override
    public void apply(byte[] entry, Consumer<Boolean> then) {
      then.accept(true);
    }

    @Override
    public void revalidateAll(Consumer<Boolean> then) {
      then.accept(true);
    }
  }
}
