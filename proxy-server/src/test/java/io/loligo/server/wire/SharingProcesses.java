package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.jgroups.JGroupsGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Proxies that share one cache, each in a process of its own. Confined to the thread of the test,
 * except that any thread may ask.
 */
final class SharingProcesses implements AutoCloseable {
  /** The version of the messages between nodes. */
  static final int PRESENT = JGroupsGroup.PROTOCOL;

  private final Path dir;
  private final List<Node> nodes = new ArrayList<>();

  /** The ports of one node, and its process; null: it does not run. */
  private static final class Node {
    private final int port = ProxyProcess.freePort();
    private final int admin = ProxyProcess.freePort();
    private final int group = ProxyProcess.freePort();
    private final int bodies = ProxyProcess.freePort();
    private ProxyProcess process;
    private boolean frozen;
  }

  /** So many nodes, which do not run yet. */
  SharingProcesses(Path dir, int count) {
    this.dir = dir;
    for (int i = 0; i < count; i++) {
      nodes.add(new Node());
    }
  }

  /** Starts {@code number}, which knows those before it and itself, and all of the first three. */
  void start(int number) throws IOException {
    run(number, ProxyProcess.loligo(dir, "run", "-f", file(number)));
  }

  /** The same with further options of the virtual machine. */
  void start(int number, List<String> options) throws IOException {
    run(number, ProxyProcess.loligo(dir, options, "run", "-f", file(number)));
  }

  /** The same as a {@link PartedNode} with this version of the messages. */
  void startParted(int number, int protocol) throws IOException {
    String main = PartedNode.class.getName();
    String version = Integer.toString(protocol);
    run(number, ProxyProcess.listening(dir, List.of(), main, file(number), version));
  }

  private void run(int number, ProxyProcess process) {
    nodes.get(number).process = process;
    nodes.get(number).frozen = false;
  }

  private String file(int number) throws IOException {
    Node node = nodes.get(number);
    String members =
        nodes.subList(0, Math.max(3, number + 1)).stream()
            .map(each -> "127.0.0.1:" + each.group)
            .collect(Collectors.joining(","));
    List<String> lines =
        List.of(
            "http_port 127.0.0.1:" + node.port + " name=web",
            "visible_hostname node" + number + ".test",
            "access_log none",
            "cache_log " + dir.resolve("cache" + number + ".log"),
            "pid_filename none",
            "cache_mem 32 MB",
            "loligo_admin_port 127.0.0.1:" + node.admin,
            "loligo_event_loops 1",
            "shutdown_lifetime 1 second",
            "http_access allow all",
            "request_header_add " + VersionedOrigin.NODE + " node" + number,
            "acl purges method PURGE",
            "loligo_cluster web listen=127.0.0.1:"
                + node.group
                + " members="
                + members
                + " mode=share bodies="
                + node.bodies);
    Path file = dir.resolve("node" + number + ".conf");
    return Files.writeString(file, String.join("\n", lines) + "\n").toString();
  }

  /** Whether {@code number} runs. One that a failed test left hanging is killed before. */
  boolean runs(int number) throws Exception {
    if (nodes.get(number).frozen) {
      signal(number, "KILL");
    }
    return nodes.get(number).process != null;
  }

  /** Sends {@code number} a signal. */
  void signal(int number, String name) throws Exception {
    Node node = nodes.get(number);
    node.process.signal(name);
    node.frozen = name.equals("STOP");
    if (name.equals("KILL")) {
      node.process.awaitExit();
      node.process = null;
    }
  }

  /** Ends {@code number} as an operator does. */
  void stop(int number) throws Exception {
    Node node = nodes.get(number);
    node.process.process().destroy();
    node.process.awaitExit();
    node.process = null;
  }

  /** Writes to the standard input of {@code number}, a {@link PartedNode}. */
  void tell(int number, String line) throws IOException {
    nodes.get(number).process.tell(line);
  }

  /** Waits until each of {@code numbers} sees so many members, and trusts what it has stored. */
  void awaitMembers(int members, int... numbers) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3L * RawClient.GUARD_MILLIS);
    for (int number : numbers) {
      for (String page = ""; !shows(page, members); page = page(number, "/cluster")) {
        // the processes are given the core between two looks
        boolean ended = nodes.get(number).process.process().waitFor(20, TimeUnit.MILLISECONDS);
        assertThat(ended || System.nanoTime() - deadline > 0)
            .as("node %s does not see %s: %s%s", number, members, page, output(number))
            .isFalse();
      }
    }
  }

  private static boolean shows(String page, int members) {
    return page.contains("\"members\": " + members + ",")
        && page.contains("\"trusted\": true")
        && !page.contains("\"draining\": true");
  }

  private String output(int number) throws IOException {
    return nodes.get(number).process.output();
  }

  /** A page of the admin port; empty: it is not open yet. */
  String page(int number, String path) {
    int port = nodes.get(number).admin;
    try (RawClient client = RawClient.connect(port)) {
      String head = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port;
      return client.send(head + "\r\nConnection: close\r\n\r\n").responseTo("GET").text();
    } catch (IOException notOpen) {
      return "";
    }
  }

  /** The number of the node that owns {@code url}. */
  int owner(String url) {
    String page = page(0, "/cluster/owner?url=" + url);
    Matcher port = Pattern.compile("\"owner\": \"127\\.0\\.0\\.1:(\\d+)\"").matcher(page);
    assertThat(port.find()).as(page).isTrue();
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).group == Integer.parseInt(port.group(1))) {
        return i;
      }
    }
    throw new AssertionError(page);
  }

  RawClient connect(int number) throws IOException {
    return RawClient.connect(nodes.get(number).port);
  }

  WireMessage get(int number, String url) throws IOException {
    try (RawClient client = connect(number)) {
      return client.get(url).response();
    }
  }

  /** Purges {@code url} at {@code number}. Returns the nodes that it has reached. */
  String purge(int number, String url) throws IOException {
    try (RawClient client = connect(number)) {
      String reached = client.request("PURGE", url).responseTo("PURGE").field("Loligo-Purged");
      return reached == null ? "" : reached.replaceFirst(".*nodes ", "");
    }
  }

  @Override
  public void close() throws IOException {
    for (Node node : nodes) {
      if (node.process != null && node.frozen) {
        node.process.process().destroyForcibly();
      } else if (node.process != null) {
        node.process.process().destroy();
      }
    }
    for (Node node : nodes) {
      if (node.process != null) {
        node.process.close();
      }
    }
  }
}
