package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.wire.hostile.HostileFile;
import io.loligo.server.wire.hostile.HostileVector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends every vector of {@code src/test/hostile} through the assembled proxy over real sockets to a
 * recording origin, and checks the bytes on both sides and the later responses to others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileVectorsTest {
  /** Reasons that no bytes of HTTP/1 have. */
  private static final Set<ParseFailure> OTHERS =
      EnumSet.of(
          ParseFailure.TOO_SLOW, // a matter of time: SlowPeersWireTest
          // HTTP/2: RequestComposerTest, Http2WireTest and Http2OriginWireTest
          ParseFailure.BAD_PSEUDO_FIELD,
          ParseFailure.UNSUPPORTED_PROTOCOL,
          ParseFailure.FIELD_OF_CONNECTION,
          ParseFailure.CONTENT_LENGTH_OF_DATA,
          ParseFailure.BAD_FRAME,
          ParseFailure.BAD_FIELD_BLOCK,
          ParseFailure.TOO_MANY_FRAMES);

  private static final Path FOLDER = Path.of("src/test/hostile");
  private static final int LEAST = 300;

  private Path dir;
  private final Map<String, HostileOrigin> origins = new ConcurrentHashMap<>();
  private ScriptedOrigin origin;
  private ProxyUnderTest forward;
  private ProxyUnderTest gateway;
  private int vectors;
  private volatile String latest;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    dir = folder;
    origin = ScriptedOrigin.start().otherwise(this::answer);
    forward = ProxyUnderTest.start(configuration("http_port 127.0.0.1:0"));
    gateway =
        ProxyUnderTest.start(
            configuration(
                "http_port 127.0.0.1:0 accel defaultsite=site.test vhost",
                "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver"));
  }

  @AfterAll
  void stop() throws IOException {
    forward.close();
    gateway.close();
    origin.close();
  }

  private String configuration(String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("visible_hostname proxy.test");
    all.add("access_log none");
    all.add("cache_log " + dir.resolve("cache.log"));
    all.add("pid_filename none");
    all.add("cache_mem 8 MB");
    all.add("loligo_admin_port off");
    all.add("loligo_event_loops 1");
    all.add("http_access allow all");
    return String.join("\n", all) + "\n";
  }

  private void answer(ScriptedOrigin.Call call) throws IOException {
    String target = call.head().split(" ", 3)[1];
    String here = target.equals("*") ? latest : target.replaceFirst("^(/v\\d+/).*", "$1");
    HostileOrigin asked = origins.get(here);
    if (asked == null) {
      throw new AssertionError("no vector asks for " + call.head());
    }
    asked.answer(call);
  }

  @TestFactory
  Stream<DynamicContainer> vectors() throws IOException {
    List<DynamicContainer> areas = new ArrayList<>();
    for (Path file : files()) {
      List<DynamicTest> tests = new ArrayList<>();
      for (HostileVector vector : HostileFile.read(Files.readAllLines(file, UTF_8))) {
        String name = vector.title() + " (line " + vector.line() + ")";
        tests.add(DynamicTest.dynamicTest(name, file.toUri(), () -> run(vector)));
      }
      areas.add(DynamicContainer.dynamicContainer(file.getFileName().toString(), tests));
    }
    return areas.stream();
  }

  @Test
  void thereAreEnoughAndEachReasonIsAmongThem() throws IOException {
    List<HostileVector> all = new ArrayList<>();
    for (Path file : files()) {
      all.addAll(HostileFile.read(Files.readAllLines(file, UTF_8)));
    }
    assertThat(all).hasSizeGreaterThanOrEqualTo(LEAST);
    for (ParseFailure reason : ParseFailure.values()) {
      if (OTHERS.contains(reason)) {
        continue;
      }
      assertThat(all).as("%s", reason).anyMatch(v -> reason.name().equals(v.expected().reason()));
    }
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".txt")).sorted().toList();
    }
  }

  private void run(HostileVector vector) throws Exception {
    String here = "/v" + ++vectors + "/";
    HostileRun run =
        new HostileRun(vector, here, origin.authority(), vector.gateway() ? gateway : forward);
    origins.put(here, run.origin());
    latest = here;
    run.run();
  }
}
