package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.server.wire.conversation.Conversation;
import io.loligo.server.wire.conversation.ConversationReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds every conversation of {@code src/test/conversations} with the assembled reverse proxy over
 * real sockets. All that need the same configuration share one proxy, all share one origin and one
 * clock; each has URLs of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConversationsTest {
  private static final Path FOLDER = Path.of("src/test/conversations");

  @TempDir Path dir;
  private final PassingTime time = new PassingTime();
  private final Map<List<String>, ProxyUnderTest> proxies = new HashMap<>();
  private final Map<String, ConversationRun> runs = new ConcurrentHashMap<>();
  private ScriptedOrigin origin;

  @BeforeAll
  void startOrigin() throws IOException {
    origin = ScriptedOrigin.start().otherwise(this::answer);
  }

  @AfterAll
  void closeAll() throws IOException {
    for (ProxyUnderTest proxy : proxies.values()) {
      proxy.close();
    }
    origin.close();
  }

  @TestFactory
  Stream<DynamicContainer> conversations() throws IOException {
    List<DynamicContainer> areas = new ArrayList<>();
    for (Path area : sorted(FOLDER)) {
      if (Files.isDirectory(area)) {
        List<DynamicTest> tests = new ArrayList<>();
        for (Path file : sorted(area)) {
          String name = FOLDER.relativize(file).toString();
          tests.add(DynamicTest.dynamicTest(name, file.toUri(), () -> hold(file, name)));
        }
        areas.add(DynamicContainer.dynamicContainer(area.getFileName().toString(), tests));
      }
    }
    return areas.stream();
  }

  private static List<Path> sorted(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private void hold(Path file, String name) throws IOException {
    Conversation conversation = ConversationReader.read(Files.readAllLines(file, UTF_8));
    String here = "/" + name.replaceFirst("\\.txt$", "");
    ProxyUnderTest proxy = proxies.get(conversation.proxyLines());
    if (proxy == null) {
      proxy = ProxyUnderTest.start(configuration(conversation.proxyLines()), time);
      proxies.put(conversation.proxyLines(), proxy);
    }
    ConversationRun run =
        new ConversationRun(conversation, here, proxy.port(), proxy.port(1), time);
    runs.put(here, run);
    run.run();
  }

  private String configuration(List<String> further) {
    List<String> lines = new ArrayList<>();
    lines.add("http_port 127.0.0.1:0 accel defaultsite=site.test vhost");
    lines.add("http_port 127.0.0.1:0");
    lines.add("never_direct allow all");
    lines.add("cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    lines.add("visible_hostname proxy.test");
    lines.add("access_log none");
    lines.add("cache_log " + dir.resolve("cache.log"));
    lines.add("pid_filename none");
    lines.add("cache_mem 8 MB");
    lines.add("loligo_admin_port off");
    lines.add("loligo_event_loops 1");
    lines.add("http_access allow all");
    lines.addAll(further);
    return String.join("\n", lines) + "\n";
  }

  private void answer(ScriptedOrigin.Call call) throws IOException {
    String target = call.head().split(" ", 3)[1];
    for (Map.Entry<String, ConversationRun> run : runs.entrySet()) {
      if (target.startsWith(run.getKey() + "/")) {
        run.getValue().answer(call);
        return;
      }
    }
    call.whole();
    call.send("HTTP/1.1 404 No such conversation\r\nContent-Length: 0\r\n\r\n");
  }
}
