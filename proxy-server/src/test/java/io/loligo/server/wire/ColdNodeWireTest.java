package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first request that a node of a shared cache sends to another one, both in processes of their
 * own that have just begun. It waits for each class that the JVM loads on its way: classes are
 * counted, not milliseconds.
 */
class ColdNodeWireTest {
  /**
   * Without requests of the nodes to themselves before: 49 at the asking node, 279 at the owner.
   */
  private static final int FEW = 30;

  @TempDir private Path dir;
  private ScriptedOrigin origin;
  private SharingProcesses nodes;

  @BeforeEach
  void startNodes() throws Exception {
    VersionedOrigin content = new VersionedOrigin("node1");
    origin = ScriptedOrigin.start(InetAddress.getLoopbackAddress(), 0, content);
    nodes = new SharingProcesses(dir, 3);
    for (int number = 0; number < 2; number++) {
      nodes.start(number, List.of("-Xlog:class+load:file=" + log(number)));
    }
    nodes.awaitMembers(2, 0, 1);
  }

  @AfterEach
  void end() throws Exception {
    nodes.close();
    origin.close();
  }

  private Path log(int number) {
    return dir.resolve("classes" + number + ".log");
  }

  /** The classes of a proxy that {@code number} has loaded so far. */
  private List<String> classes(int number) throws IOException {
    return Files.readAllLines(log(number)).stream()
        .filter(line -> line.contains("io.loligo.") || line.contains("io.netty."))
        .filter(line -> !line.contains("io.loligo.cluster."))
        .toList();
  }

  private String ownedBy(int number, int which) {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> origin.url("/" + which + "/" + i))
        .filter(url -> nodes.owner(url) == number)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theFirstRequestOfANodeToAnotherLoadsFewClasses() throws Exception {
    String url = ownedBy(1, 0);
    // what the first request of any client loads at the node that it asks
    assertThat(nodes.get(0, ownedBy(0, 1)).status()).isEqualTo(200);
    List<Integer> before = List.of(classes(0).size(), classes(1).size());
    assertThat(nodes.get(0, url).status()).isEqualTo(200);
    assertThat(nodes.get(0, url).fields("Cache-Status").get(0)).startsWith("node1.test; hit");
    List<Integer> loaded =
        List.of(classes(0).size() - before.get(0), classes(1).size() - before.get(1));
    System.out.println("classes of the asking node and of the owner: " + loaded);
    assertThat(loaded).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(FEW));
  }
}
