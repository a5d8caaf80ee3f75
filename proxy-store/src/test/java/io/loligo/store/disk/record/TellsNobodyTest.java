package io.loligo.store.disk.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The library of the map would like to tell its maker of each start. That its analytics cannot be
 * there, that nothing is left in the home directory, that no class is compiled, and that no name is
 * looked up and no connection made, which no Java code does without loading one of a few classes.
 */
final class TellsNobodyTest {
  /** A channel of sockets needs {@code Net}; its own class JDK 25 loads to read a file. */
  private static final Pattern NETWORK =
      Pattern.compile(
          "java\\.net\\.(InetAddress|Socket|DatagramSocket|HttpURLConnection) "
              + "|sun\\.nio\\.ch\\.(Net|NioSocketImpl|DatagramChannelImpl) "
              + "|sun\\.net\\.www\\.protocol\\.https?\\.");

  @TempDir Path directory;

  /** The process: a map is made, used and closed; and a connection, if asked for. */
  static final class Session {
    private Session() {}

    public static void main(String[] arguments) throws IOException {
      use(ChronicleRecordMap.create(1000));
      if (arguments[0].equals("connect")) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), 1)) {
          System.out.println(socket);
        } catch (IOException e) {
          System.out.println(e);
        }
      }
    }

    private static void use(RecordMap map) throws IOException {
      TestRecord.put(map, 1, 1);
      TestRecord.get(map, 1);
      map.remove(TestRecord.high(1), 1);
      map.close();
    }
  }

  @Test
  void aJavaWithoutTheCompilerIsNamedAsTheCause() throws Exception {
    ProcessBuilder child =
        ChildJvm.of(Session.class, List.of("--limit-modules=java.se,jdk.unsupported"), "");
    assertThatThrownBy(() -> ChildJvm.run(child))
        .hasMessageContaining("IOException: this Java lacks the module jdk.compiler");
  }

  @Test
  void hasNoAnalytics() {
    assertThatThrownBy(() -> Class.forName("net.openhft.chronicle.analytics.Analytics"))
        .isInstanceOf(ClassNotFoundException.class);
  }

  @Test
  void leavesNothingInTheHomeDirectoryOrBesideIt() throws Exception {
    session("keep quiet");
    try (Stream<Path> left = Files.walk(directory.resolve("home"))) {
      assertThat(left).containsExactly(directory.resolve("home"));
    }
    try (Stream<Path> left = Files.list(directory.resolve("work"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void makesNoConnection() throws Exception {
    assertThat(network(session("keep quiet"))).isEmpty();
  }

  /** The build has compiled the classes that Chronicle Map would compile at the first map. */
  @Test
  void compilesNothing() throws Exception {
    assertThat(session("keep quiet")).noneMatch(line -> line.contains("com.sun.tools.javac.comp."));
  }

  @Test
  void aConnectionWouldBeNoticed() throws Exception {
    assertThat(network(session("connect"))).isNotEmpty();
  }

  /** The classes that a session loaded. */
  private List<String> session(String what) throws Exception {
    Path home = Files.createDirectory(directory.resolve("home"));
    Path work = Files.createDirectory(directory.resolve("work"));
    Path classes = directory.resolve("classes");
    ProcessBuilder child =
        ChildJvm.of(
            Session.class,
            List.of("-Duser.home=" + home, "-Xlog:class+load:file=" + classes),
            what);
    child.environment().put("HOME", home.toString());
    child.environment().remove("XDG_CACHE_HOME");
    child.environment().remove("XDG_CONFIG_HOME");
    ChildJvm.run(child.directory(work.toFile()));
    return Files.readAllLines(classes);
  }

  private static List<String> network(List<String> classes) {
    return classes.stream().filter(NETWORK.asPredicate()).toList();
  }
}
