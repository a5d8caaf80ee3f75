package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proxies of one shared cache, in processes of their own, while they are killed, stopped, parted
 * and replaced. Node 2 has to suffer; nodes 0 and 1 serve all the time.
 */
class ClusterProcessesWireTest {
  private static final int KEYS = 60;

  /** Half of them are more than the fall-backs that a node has in a second. */
  private static final int HELD = 40;

  private static final int CLIENTS = 2;

  @TempDir private static Path dir;
  private static ScriptedOrigin origin;
  private static VersionedOrigin content;
  private static SharingProcesses nodes;

  private final List<String> paths = new ArrayList<>();

  @BeforeAll
  static void startNodes() throws Exception {
    content = new VersionedOrigin("node2");
    origin = ScriptedOrigin.start(InetAddress.getLoopbackAddress(), 0, content);
    nodes = new SharingProcesses(dir, 4);
    nodes.start(0);
    nodes.start(1);
  }

  @AfterAll
  static void endAll() throws Exception {
    nodes.close();
    origin.close();
  }

  /** All three see each other, and have these paths in their cache. */
  @BeforeEach
  void threeWithAWarmCache() throws Exception {
    if (nodes.runs(3)) {
      nodes.stop(3);
    }
    if (!nodes.runs(2)) {
      nodes.startParted(2, SharingProcesses.PRESENT);
    }
    nodes.awaitMembers(3, 0, 1, 2);
    content = new VersionedOrigin("node2");
    origin.otherwise(content);
    IntStream.range(0, KEYS).forEach(i -> paths.add("/" + System.nanoTime() + "/" + i));
    assertAllNew();
    assertAllNew(); // the first requests of a process may be slow, and go elsewhere
  }

  private SharedLoad load(int... numbers) {
    List<String> urls = paths.stream().map(origin::url).toList();
    int prefix = origin.url("").length();
    SharedLoad load = new SharedLoad(nodes, urls, url -> content.content(url.substring(prefix)));
    for (int number : numbers) {
      for (int i = 0; i < CLIENTS; i++) {
        load.client(number, number * (long) CLIENTS + i);
      }
    }
    return load;
  }

  /** Paths that node 2 owns, and which nobody has asked for. */
  private List<String> ofNode2() {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> paths.get(0) + "/cold/" + i)
        .filter(path -> nodes.owner(origin.url(path)) == 2)
        .limit(HELD)
        .toList();
  }

  /**
   * Two requests for each of {@code cold}, at node 0 or at node 1. Node 2 asks the origin, where
   * they wait.
   */
  private List<RawClient> waiting(List<String> cold, CountDownLatch release) throws Exception {
    cold.forEach(path -> content.hold(path, release));
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 2 * HELD; i++) {
      clients.add(nodes.connect(i % 2).get(origin.url(cold.get(i % HELD))));
    }
    for (String path : cold) {
      Waiting.until("the owner asks for " + path, () -> content.inProgress(path) > 0);
    }
    return clients;
  }

  /** With at most two fetches of a key at a time, beside that of node 2. */
  private void assertServedByOthers(
      List<RawClient> clients, List<String> cold, CountDownLatch release) throws Exception {
    for (String path : cold) {
      Waiting.until("another node asks for " + path, () -> content.ofOthers(path) > 0);
    }
    release.countDown();
    for (int i = 0; i < clients.size(); i++) {
      WireMessage reply = clients.get(i).response();
      assertThat(reply.text()).as("%s", reply).isEqualTo(content.content(cold.get(i % HELD)));
      clients.get(i).close();
    }
    assertThat(cold).allSatisfy(path -> assertThat(content.mostOfOthers(path)).isBetween(1, 2));
  }

  @Test
  void aKilledOwnerIsNoErrorOfAClient() throws Exception {
    List<String> cold = ofNode2();
    CountDownLatch release = new CountDownLatch(1);
    try (SharedLoad load = load(0, 1)) {
      load.awaitMore(200);
      List<RawClient> clients = waiting(cold, release);
      nodes.signal(2, "KILL");
      assertServedByOthers(clients, cold, release);
      load.awaitMore(500);
      System.out.println("kill: " + load.end());
    }
  }

  @Test
  void anOwnerThatHangsIsNoErrorOfAClientAndComesBack() throws Exception {
    List<String> cold = ofNode2();
    List<String> purged = paths.subList(0, KEYS / 2);
    CountDownLatch release = new CountDownLatch(1);
    try (SharedLoad load = load(0, 1)) {
      load.awaitMore(200);
      List<RawClient> clients = waiting(cold, release);
      nodes.signal(2, "STOP");
      assertServedByOthers(clients, cold, release);
      nodes.awaitMembers(2, 0, 1);
      load.awaitMore(500);
      System.out.println("hang: " + load.end());
    }
    for (String path : purged) {
      content.change(path);
      assertThat(nodes.purge(0, origin.url(path))).isEqualTo("2/3");
    }
    nodes.signal(2, "CONT");
    for (String path : purged) { // it has not noticed yet that the others left it out
      WireMessage reply = nodes.get(2, origin.url(path));
      assertThat(reply.text()).as("%s", reply).isEqualTo(content.content(path));
    }
    nodes.awaitMembers(3, 0, 1, 2);
    assertAllNew();
  }

  private void assertAllNew() throws Exception {
    for (String path : paths) {
      for (int number = 0; number < 3; number++) {
        WireMessage reply = nodes.get(number, origin.url(path));
        assertThat(reply.text()).as("node %s: %s", number, reply).isEqualTo(content.content(path));
      }
    }
  }

  /**
   * As on a machine whose CPU is taken away, with keys that nobody has asked for. A request may
   * find the fall-backs used up, but each has an end.
   */
  @Test
  void nodesThatStandStillByTurnsAnswerEachRequest() throws Exception {
    List<String> cold =
        IntStream.range(0, 600).mapToObj(i -> paths.get(0) + "/still/" + i).toList();
    AtomicInteger next = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger served = new AtomicInteger();
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      int number = i % 3;
      Thread client =
          new Thread(
              () -> {
                for (int n = next.getAndIncrement(); n < cold.size(); n = next.getAndIncrement()) {
                  String path = cold.get(n);
                  try {
                    WireMessage reply = nodes.get(number, origin.url(path));
                    if (reply.status() == 503) {
                      refused.incrementAndGet();
                    } else if (reply.text().equals(content.content(path))) {
                      served.incrementAndGet();
                    } else {
                      faults.add(path + " at node " + number + ": " + reply);
                    }
                  } catch (IOException e) {
                    faults.add(path + " at node " + number + ": " + e);
                  }
                }
              });
      clients.add(client);
      client.start();
    }
    int turns = 0;
    while (next.get() < cold.size()) {
      int number = turns++ % 3;
      nodes.signal(number, "STOP");
      int begun = next.get();
      Waiting.until("the others answer", () -> next.get() >= Math.min(begun + 30, cold.size()));
      nodes.signal(number, "CONT");
    }
    for (Thread client : clients) {
      client.join();
    }
    System.out.println(
        "still: " + turns + " stops, " + served + " served, " + refused + " refused with 503");
    assertThat(faults).isEmpty();
    assertThat(served.get() + refused.get()).isEqualTo(cold.size());
    assertThat(turns).isGreaterThan(5);
  }

  @Test
  void purgesOfBothSidesOfAPartitionHoldAfterIt() throws Exception {
    nodes.tell(2, "cut");
    nodes.awaitMembers(2, 0, 1);
    nodes.awaitMembers(1, 2);
    for (String path : paths) {
      for (int number = 0; number < 3; number++) { // now both sides have all
        assertThat(nodes.get(number, origin.url(path)).text()).isEqualTo(content.content(path));
      }
    }
    for (int i = 0; i < KEYS; i++) {
      content.change(paths.get(i));
      int side = i % 2 == 0 ? 0 : 2;
      assertThat(nodes.purge(side, origin.url(paths.get(i)))).isEqualTo(side == 0 ? "2/3" : "1/3");
    }
    nodes.tell(2, "heal");
    nodes.awaitMembers(3, 0, 1, 2);
    assertAllNew();
  }

  /** The new owner of a key asks the one before it. */
  @Test
  void aNodeThatJoinsUnderLoadCostsAlmostNoFetches() throws Exception {
    long before = content.requests();
    try (SharedLoad load = load(0, 1, 2)) {
      load.awaitMore(200);
      nodes.start(3);
      nodes.awaitMembers(4, 0, 1, 2, 3);
      load.awaitMore(500);
      System.out.println("join: " + load.end());
    }
    assertThat(paths).anyMatch(path -> nodes.owner(origin.url(path)) == 3);
    for (int number = 0; number < 4; number++) {
      for (String path : paths) {
        assertThat(nodes.get(number, origin.url(path)).text()).isEqualTo(content.content(path));
      }
    }
    // 2 % of the requests after it alone
    assertThat(content.requests() - before).isLessThan(4 * KEYS / 50);
  }

  /** First one node of the next version beside two of this one, then the other way round. */
  @Test
  void nodesAreReplacedOneByOneByAVersionWithOtherMessages() throws Exception {
    int next = SharingProcesses.PRESENT + 1;
    for (int number : new int[] {2, 1}) {
      try (SharedLoad load = load((number + 1) % 3, (number + 2) % 3)) {
        load.awaitMore(100);
        nodes.stop(number);
        load.awaitMore(100);
        nodes.startParted(number, next);
        nodes.awaitMembers(3, 0, 1, 2);
        load.awaitMore(100);
        System.out.println("replace: " + load.end());
      }
      for (String path : paths.subList(10 * number, 10 * number + 10)) {
        content.change(path);
        assertThat(nodes.purge(number, origin.url(path))).isEqualTo("3/3");
      }
      assertAllNew();
    }
    assertThat(nodes.page(0, "/cluster"))
        .contains("\"protocol\": " + next, "\"protocol\": " + SharingProcesses.PRESENT);
  }
}
