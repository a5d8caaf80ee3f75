package io.loligo.cluster.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.FakeGroup;
import io.loligo.cluster.FakeSteps;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedLimitsTest {
  private static final InetSocketAddress PLACE = InetSocketAddress.createUnresolved("node", 7_800);

  private final FakeSteps steps = new FakeSteps();
  private final Sent group = new Sent();
  private final SharedLimits limits = new SharedLimits(steps, group);
  private final Counted limit = new Counted(7);

  private static NodeRun run(int node) {
    return new NodeRun(new UUID(0, node), 1);
  }

  private static final class Sent extends FakeGroup {
    private final List<String> sent = new ArrayList<>();
    private boolean closed;

    Sent() {
      super(run(1));
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      CountsMessage counts = CountsMessage.decode(message);
      assertThat(counts).isNotNull();
      String names =
          counts.names().size() > 3
              ? counts.names().size() + " names"
              : counts.names().stream().map(name -> name.name() + "=" + name.count()).toList() + "";
      sent.add(to.node().getLeastSignificantBits() + ": " + counts.limit() + " " + names);
    }

    @Override
    public void close() {
      closed = true;
    }

    List<String> take() {
      List<String> taken = List.copyOf(sent);
      sent.clear();
      return taken;
    }
  }

  /** A limit that only counts. */
  private static final class Counted implements SharedLimit {
    private final long id;
    private final Map<Long, Integer> untold = new TreeMap<>();
    private final List<String> elsewhere = new ArrayList<>();

    Counted(long id) {
      this.id = id;
    }

    void pass(long name, int count) {
      untold.merge(name, count, Integer::sum);
    }

    @Override
    public long id() {
      return id;
    }

    @Override
    public void untold(Names names) {
      Map.copyOf(untold).forEach(names::add);
    }

    @Override
    public void told(long name, int count) {
      untold.compute(name, (same, now) -> now == count ? null : now - count);
    }

    @Override
    public void passedElsewhere(long name, int count, int nodes) {
      elsewhere.add(name + "=" + count + " of " + nodes);
    }
  }

  @BeforeEach
  void start() {
    limits.start();
  }

  private void second() {
    steps.pass(SharedLimits.PERIOD_NANOS);
  }

  private void view(int... nodes) {
    List<Member> members =
        IntStream.of(nodes)
            .mapToObj(node -> new Member(run(node), "n", PLACE, PLACE, 1, false, 1))
            .toList();
    group.listener().view(new View(1, members));
  }

  private void told(int node, long limitId, NameCount... names) {
    group.listener().message(run(node), new CountsMessage(limitId, List.of(names)).encode());
  }

  @Test
  void tellsAllOthersOnceASecondAndEachRequestOnce() {
    limits.use(List.of(limit));
    view(1, 2, 3);
    limit.pass(10, 2);
    limit.pass(-4, 70_000);
    assertThat(group.take()).isEmpty();
    second();
    assertThat(group.take())
        .containsExactlyInAnyOrder("2: 7 [-4=65535, 10=2]", "3: 7 [-4=65535, 10=2]");
    limit.pass(10, 1);
    second();
    assertThat(group.take()).contains("2: 7 [-4=4465, 10=1]");
    second();
    assertThat(group.take()).as("nothing passed").isEmpty();
  }

  @Test
  void aNameThatIsNotAmongTheHeaviestIsToldLater() {
    limits.use(List.of(limit));
    view(1, 2);
    for (int name = 1; name <= HeaviestNames.MOST; name++) {
      limit.pass(name, 3);
    }
    limit.pass(5_000, 2);
    limit.pass(6_000, 1);
    second();
    assertThat(group.take()).containsExactly("2: 7 1000 names");
    assertThat(limit.untold).containsOnlyKeys(5_000L, 6_000L);
    second();
    assertThat(group.take()).containsExactly("2: 7 [5000=2, 6000=1]");
  }

  @Test
  void aNodeAloneTellsNobodyAndForgets() {
    limits.use(List.of(limit));
    view(1);
    limit.pass(10, 2);
    second();
    view(1, 2);
    second();
    assertThat(group.take()).isEmpty();
  }

  @Test
  void nothingTicksWithoutALimit() {
    view(1, 2);
    assertThat(steps.waiting()).isZero();
    limits.use(List.of(limit));
    assertThat(steps.waiting()).isEqualTo(1);
    limits.use(List.of());
    limit.pass(10, 1);
    second();
    assertThat(group.take()).isEmpty();
    assertThat(steps.waiting()).isZero();
    limits.use(List.of(limit));
    limits.close();
    second();
    assertThat(steps.waiting()).isZero();
    assertThat(group.closed).isTrue();
  }

  @Test
  void takesTheCountsOfMembersForLimitsThatItHas() {
    limits.use(List.of(limit, new Counted(8)));
    view(1, 2, 3);
    told(2, 7, new NameCount(10, 5));
    told(3, 7, new NameCount(10, 1), new NameCount(11, 2));
    told(3, 9, new NameCount(10, 1));
    told(4, 7, new NameCount(10, 1));
    group.listener().message(run(2), new byte[] {1, 2, 3});
    assertThat(limit.elsewhere).containsExactly("10=5 of 3", "10=1 of 3", "11=2 of 3");
  }

  @Test
  void aNodeThatSendsTooOftenTakesNoMoreThanItsPace() {
    limits.use(List.of(limit));
    view(1, 2, 3);
    Stream.generate(() -> new NameCount(10, 9)).limit(100).forEach(name -> told(2, 7, name));
    assertThat(limit.elsewhere).hasSize(TellingPace.AT_ONCE);
    told(3, 7, new NameCount(10, 1));
    assertThat(limit.elsewhere).as("another node").hasSize(TellingPace.AT_ONCE + 1);
    second();
    told(2, 7, new NameCount(10, 9));
    told(2, 7, new NameCount(10, 9));
    assertThat(limit.elsewhere).hasSize(TellingPace.AT_ONCE + 2);
  }
}
