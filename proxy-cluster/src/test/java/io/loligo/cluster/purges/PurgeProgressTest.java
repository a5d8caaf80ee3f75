package io.loligo.cluster.purges;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.FakeGroup;
import io.loligo.cluster.FakeSteps;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PurgeProgressTest {
  private static final NodeRun SELF = new NodeRun(new UUID(0, 1), 1);
  private static final NodeRun OTHER = new NodeRun(new UUID(0, 2), 1);

  private final List<String> told = new ArrayList<>();
  private final FakeSteps steps = new FakeSteps();
  private final List<Consumer<Boolean>> applying = new ArrayList<>();

  @Test
  void aPurgeOfAnotherNodeBeginsBeforeItsEffect() {
    Replication replication = replication();
    replication.view(new View(1, List.of(member(SELF), member(OTHER))));
    replication.message(
        OTHER, PurgeMessage.encode(new PurgeMessage.Entries(OTHER, 1, List.of(new byte[1]))));
    assertThat(told).containsExactly("begins 2:1", "effect");
    applying.get(0).accept(true);
    steps.pass(0);
    assertThat(told).containsExactly("begins 2:1", "effect", "applied 2:1");
  }

  @Test
  void aPurgeOfThisNodeHasANumberWhenItIsPublished() {
    Replication replication = replication();
    replication.publish(new byte[1], true, nodes -> {});
    assertThat(told).containsExactly("begins 1:1", "applied 1:1");
    told.clear();
    replication.publish(new byte[1], false, nodes -> {});
    assertThat(told).containsExactly("begins 1:2", "effect");
    applying.get(0).accept(true);
    steps.pass(0);
    assertThat(told).containsExactly("begins 1:2", "effect", "applied 1:2");
  }

  private Replication replication() {
    Replication replication =
        new Replication(
            steps,
            new FakeGroup(SELF),
            member(SELF),
            new Effects(),
            Replication.memoryJournal(),
            ReplicationLimits.USUAL);
    replication.report(
        new PurgeProgress() {
          @Override
          public void begins(NodeRun stream, long number) {
            told.add("begins " + stream.node().getLeastSignificantBits() + ":" + number);
          }

          @Override
          public void applied(NodeRun stream, long number) {
            told.add("applied " + stream.node().getLeastSignificantBits() + ":" + number);
          }
        });
    told.clear();
    replication.start();
    return replication;
  }

  private static Member member(NodeRun run) {
    InetSocketAddress address =
        InetSocketAddress.createUnresolved("n" + run.node().getLeastSignificantBits(), 1);
    return new Member(run, "n", address, address, 1, false, 1);
  }

  private final class Effects implements Invalidations {
    @Override
    public void apply(byte[] entry, Consumer<Boolean> then) {
      told.add("effect");
      applying.add(then);
    }

    @Override
    public void revalidateAll(Consumer<Boolean> then) {
      then.accept(true);
    }
  }
}
