package io.loligo.bench.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A proxy of a cluster in a process of its own. Confined to one thread, except {@link #port}. */
final class NodeProcess {
  private static final int PATIENCE_SECONDS = 60;
  private static final int LOOK_MILLIS = 50;

  private final Path dir;
  private final int number;
  private final int port = freePort();
  private final int admin = freePort();
  private final int group = freePort();
  private final int bodies = freePort();
  private @Nullable Process process;
  private Path jar = Path.of("");

  NodeProcess(Path dir, int number) throws IOException {
    this.dir = dir;
    this.number = number;
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  /** The port for clients. */
  int port() {
    return port;
  }

  /** The address of the group port. */
  String address() {
    return "127.0.0.1:" + group;
  }

  /** Starts the jar {@code what} with a line of the cluster. */
  void start(Path what, String mode, List<NodeProcess> members) throws IOException {
    jar = what;
    List<String> addresses = members.stream().map(NodeProcess::address).toList();
    String text =
        String.join(
            "\n",
            "http_port 127.0.0.1:" + port + " name=web",
            "visible_hostname node" + number,
            "access_log none",
            "cache_log " + dir.resolve("cache" + number + ".log"),
            "pid_filename none",
            "cache_mem 256 MB",
            "loligo_admin_port 127.0.0.1:" + admin,
            "loligo_admin_secret bench-secret",
            "loligo_event_loops 1",
            "shutdown_lifetime 1 second",
            "http_access allow all",
            "acl purges method PURGE",
            "loligo_cluster bench listen="
                + address()
                + " members="
                + String.join(",", addresses)
                + " mode="
                + mode
                + " bodies="
                + bodies,
            "");
    Path file = file();
    Files.writeString(file, text);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", jar.toString(), "run", "-f", file.toString()));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(dir.resolve("output" + number).toFile()))
            .start();
  }

  /** Sends a signal by name. */
  void signal(String name) throws IOException, InterruptedException {
    Process running = running();
    new ProcessBuilder("kill", "-" + name, Long.toString(running.pid())).start().waitFor();
  }

  private Process running() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("node " + number + " was not started");
    }
    return running;
  }

  /** Waits for its end. */
  void awaitEnd() throws InterruptedException {
    running().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Ends it, whatever state it is in. */
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  /** A page of the admin port; empty: it does not answer. */
  String page(String path) {
    try (HttpConnection connection = new HttpConnection(admin)) {
      return new String(connection.ask("GET", path).content(), ISO_8859_1);
    } catch (IOException notYet) {
      return "";
    }
  }

  /** As {@code loligo cluster drain}. */
  void drain() throws IOException, InterruptedException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    new ProcessBuilder(
            java.toString(), "-jar", jar.toString(), "cluster", "drain", "-f", file().toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(dir.resolve("output" + number).toFile()))
        .start()
        .waitFor();
  }

  private Path file() {
    return dir.resolve("node" + number + ".conf");
  }

  /** Waits until it sees so many members, and trusts what it has. */
  void awaitMembers(int members) throws InterruptedException, IOException {
    long begun = System.nanoTime();
    for (String page = ""; !isSettled(page, members); page = page("/cluster")) {
      if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
        throw new IOException(
            "node "
                + number
                + " does not see "
                + members
                + ": "
                + page
                + Files.readString(dir.resolve("output" + number)));
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private static boolean isSettled(String page, int members) {
    return page.contains("\"members\": " + members + ",") && page.contains("\"trusted\": true");
  }
}
