package io.loligo.server.exchange.admission;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.transport.ConnectionTable;
import io.loligo.server.transport.SocketEnds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionMarksTest {
  private static final InetAddress ADDRESS = InetAddress.getLoopbackAddress();

  @TempDir Path dir;
  private final Queue<Runnable> passes = new ArrayDeque<>();
  private final List<String> told = new ArrayList<>();

  private Path table() {
    return dir.resolve("table");
  }

  private void write(int port, int mark) throws IOException {
    String line =
        "ipv4 2 tcp 6 9 ESTABLISHED src=127.0.0.1 dst=127.0.0.1 sport=%d dport=3128"
            + " src=127.0.0.1 dst=127.0.0.1 sport=3128 dport=%d [ASSURED] mark=%d use=2\n";
    Files.writeString(table(), line.formatted(port, port, mark), ISO_8859_1);
  }

  private static SocketEnds ends(int port) {
    return new SocketEnds(
        new InetSocketAddress(ADDRESS, 3128), new InetSocketAddress(ADDRESS, port));
  }

  private ConnectionMarks marks() {
    return new ConnectionMarks(new ConnectionTable(table()), passes::add, Runnable::run);
  }

  @Test
  void requestsThatComeDuringAPassShareTheNextOne() throws Exception {
    ConnectionMarks marks = marks();
    marks.find(ends(1), mark -> told.add("1 has " + mark));
    marks.find(ends(2), mark -> told.add("2 has " + mark));
    marks.find(ends(2), mark -> told.add("2 has " + mark + ", too"));
    assertThat(passes).hasSize(1);
    write(1, 5);
    passes.remove().run();
    assertThat(told).containsExactly("1 has 5");
    assertThat(passes).hasSize(1);
    write(2, 6);
    passes.remove().run();
    assertThat(told).containsExactly("1 has 5", "2 has 6", "2 has 6, too");
    assertThat(passes).isEmpty();
  }

  @Test
  void aConnectionThatTheTableHasNotHasNoMark() throws Exception {
    write(1, 5);
    marks().find(ends(2), mark -> told.add("mark " + mark));
    passes.remove().run();
    assertThat(told).containsExactly("mark 0");
  }

  @Test
  void aTableThatCannotBeReadHasNoMarks() {
    marks().find(ends(1), mark -> told.add("mark " + mark));
    passes.remove().run();
    assertThat(told).containsExactly("mark 0");
  }

  /** Whatever breaks a pass: nobody waits for ever, and the next one is made. */
  @Test
  void aPassThatBreaksTellsNoMarks() throws Exception {
    write(1, 5);
    ConnectionMarks marks = marks();
    InetSocketAddress nowhere = InetSocketAddress.createUnresolved("host", 3128);
    marks.find(new SocketEnds(nowhere, nowhere), mark -> told.add("mark " + mark));
    passes.remove().run();
    marks.find(ends(1), mark -> told.add("1 has " + mark));
    passes.remove().run();
    assertThat(told).containsExactly("mark 0", "1 has 5");
  }
}
