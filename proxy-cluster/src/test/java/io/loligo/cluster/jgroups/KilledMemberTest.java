package io.loligo.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two nodes here, and a third one in a process that is killed or stopped. */
class KilledMemberTest {
  private List<InetSocketAddress> addresses;
  private Process process;
  private Node first;
  private Node second;

  @BeforeEach
  void start() throws Exception {
    addresses = Node.addresses(3);
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                NodeProcess.class.getName(),
                port(2),
                port(1),
                port(0))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    first = node(0);
    second = node(1);
    first.awaitSize(3);
    second.awaitSize(3);
  }

  private String port(int index) {
    return Integer.toString(addresses.get(index).getPort());
  }

  private Node node(int index) throws IOException {
    AddressSource all =
        new AddressSource() {
          @Override
          public Set<InetSocketAddress> ask() {
            return new LinkedHashSet<>(addresses);
          }

          @Override
          public int fixed() {
            return addresses.size();
          }
        };
    return new Node("node" + index, addresses.get(index), all, null, JGroupsGroup.PROTOCOL).start();
  }

  @AfterEach
  void stop() throws Exception {
    process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    first.close();
    second.close();
  }

  private void signal(String name) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor())
        .isZero();
  }

  @Test
  void aKilledOneIsOutOfTheViewBeforeItsSilenceWouldSaySo() throws Exception {
    long before = System.nanoTime();
    signal("KILL");
    first.awaitSize(2);
    second.awaitSize(2);
    assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(5));
  }

  @Test
  void aHungOneDelaysNobodyAndComesBack() throws Exception {
    signal("STOP");
    byte[] large = new byte[GroupFrame.MAX_CONTENT];
    for (int i = 0; i < 64; i++) {
      first.sendTo(addresses.get(2), large);
    }
    first.send(second, "passes by");
    assertThat(second.awaitMessage().text()).isEqualTo("passes by");
    first.awaitSize(2);
    second.awaitSize(2);
    signal("CONT");
    first.awaitSize(3);
    second.awaitSize(3);
    while (first.merges.get()
        == 0) { // a view of three from its emptied outbox came before the merge
      first.awaitSize(3);
    }
  }
}
