package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.json.JsonValue;
import io.loligo.server.systemd.NotifyReceiver;
import io.loligo.server.takeover.Takeover;
import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.ListeningSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process takes over from another one, as clients and operators see it. */
@EnabledOnOs(OS.LINUX)
class TakeoverWireTest extends WireTest {
  private static final int SMALL = 60;
  private static final int LARGE_BYTES = 24_000_000;
  private static final int ON_DISK_BYTES = 1_000_000;
  private static final int WAITING = 32;
  private static final int ARRIVING_BYTES = 4_000_000;

  private final CountDownLatch release = new CountDownLatch(1);
  private int port;
  private int multiplexed;
  private int adminPort;

  @BeforeEach
  void script() {
    port = ProxyProcess.freePort();
    multiplexed = ProxyProcess.freePort();
    adminPort = ProxyProcess.freePort();
    origin.onOk("/hit", "stored", "Cache-Control: max-age=1000");
    origin.onOk("/miss", "fetched", "Cache-Control: no-store");
    origin.on(
        "/half",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
          await(release);
          call.send("done");
        });
  }

  private String lines(String name, String... more) {
    List<String> lines = new ArrayList<>(List.of(more));
    lines.add("http_port 127.0.0.1:" + port);
    lines.add("http_port 127.0.0.1:" + multiplexed + " accel h2c defaultsite=site.test");
    lines.add("cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    lines.add("loligo_admin_port 127.0.0.1:" + adminPort);
    lines.add("pid_filename " + dir.resolve("loligo.pid"));
    lines.add("visible_hostname " + name);
    if (lines.stream().noneMatch(line -> line.startsWith("loligo_event_loops"))) {
      lines.add("loligo_event_loops 2");
    }
    return configuration(lines.toArray(String[]::new));
  }

  private Path file(String name, String... more) throws IOException {
    return Files.writeString(dir.resolve(name + ".conf"), lines(name, more));
  }

  private ProxyProcess first(String... more) throws Exception {
    Path file = file("first", more);
    return closing(ProxyProcess.loligo(dir, "run", "-f", file.toString())).awaitOutput(" ready\n");
  }

  private ProxyProcess next(String name, String... more) throws Exception {
    Path file = file(name, more);
    return closing(ProxyProcess.loligo(dir, "run", "--take-over", "-f", file.toString()));
  }

  private RawClient connect() throws IOException {
    return closing(RawClient.connect(port));
  }

  private static String servedBy(WireMessage response) {
    return response.field("Via").replaceAll(".* (\\S+) \\(.*", "$1");
  }

  @Test
  void connectionsOfTheOldProcessEndThereAndNewOnesAreTheNextProcesss() throws Exception {
    ProxyProcess old = first("shutdown_lifetime 1 hour");
    RawClient half = connect().get(origin.url("/half"));
    half.readContent(half.responseHead(), 4);
    RawClient idle = connect().get(origin.url("/hit"));
    assertThat(servedBy(idle.response())).isEqualTo("first");
    RawClient silent = connect();
    RawClient served = connect().get(origin.url("/hit"));
    served.response();

    ProxyProcess next = next("second").awaitOutput(" ready\n");
    old.awaitOutput("has taken over");
    WireMessage fresh = connect().get(origin.url("/hit")).response();
    assertThat(servedBy(fresh)).isEqualTo("second");
    for (RawClient kept : List.of(idle, silent)) {
      WireMessage last = kept.get(origin.url("/hit")).response();
      assertThat(servedBy(last)).isEqualTo("first");
      assertThat(last.text()).isEqualTo("stored");
      assertThat(last.field("Connection")).isEqualTo("close");
      kept.expectClose();
      kept.close();
    }
    assertThat(Files.readString(dir.resolve("loligo.pid")).strip())
        .isEqualTo(Long.toString(next.process().pid()));
    assertThat(old.process().isAlive()).isTrue();
    release.countDown();
    assertThat(half.read(4)).isEqualTo("done");
    // it was not told before: its client may be sending
    assertThat(half.get(origin.url("/hit")).response().field("Connection")).isEqualTo("close");
    half.close();
    served.close();
    assertThat(old.awaitExit()).as(old.output()).isZero();
    assertThat(dir.resolve("loligo.pid")).exists();
    assertThat(servedBy(connect().get(origin.url("/hit")).response())).isEqualTo("second");
  }

  /** Each loop has a socket of its own, with a queue of its own. */
  @Test
  void connectionsThatWaitInAnySocketOfAPortAreTheSuccessors() throws Exception {
    ProxyProcess old = first();
    try (Takeover successor = Takeover.at(dir.resolve("loligo.pid.takeover"));
        InheritedSockets sockets = successor.sockets("test")) {
      successor.takeStore(); // each loop accepts one more at most
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < WAITING; i++) {
        clients.add(connect());
      }
      successor.complete();
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
      List<FileDescriptor> listening =
          sockets.claim(ListeningSocket.CLIENTS, "127.0.0.1", port, address);
      assertThat(listening).hasSize(2);
      int accepted = 0;
      for (FileDescriptor descriptor : listening) {
        accepted += acceptAll(new io.netty.channel.unix.Socket(descriptor.intValue()));
        descriptor.close();
      }
      assertThat(accepted).isBetween(WAITING - 2, WAITING);
      assertThat(clients.stream().filter(this::isServed).count()).isEqualTo(WAITING - accepted);
      assertThat(old.awaitExit()).as(old.output()).isZero();
    }
  }

  private boolean isServed(RawClient client) {
    try {
      return client.get(origin.url("/hit")).response().text().equals("stored");
    } catch (IOException closed) {
      return false;
    }
  }

  private static int acceptAll(io.netty.channel.unix.Socket listening) throws IOException {
    int accepted = 0;
    for (int one = listening.accept(new byte[26]); one >= 0; one = listening.accept(new byte[26])) {
      new FileDescriptor(one).close();
      accepted++;
    }
    return accepted;
  }

  @Test
  void aProcessThatCannotStartLeavesTheOldOneInService() throws Exception {
    ProxyProcess old = first();
    RawClient idle = connect().get(origin.url("/hit"));
    idle.response();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ProxyProcess failing =
          next("failing", "http_port 127.0.0.1:" + taken.getLocalPort() + " name=taken");
      assertThat(failing.awaitExit()).isEqualTo(1);
      assertThat(failing.output()).contains("not started").contains("in use");
    }
    old.awaitOutput("has not taken over; this one goes on");
    WireMessage kept = idle.get(origin.url("/hit")).response();
    assertThat(servedBy(kept)).isEqualTo("first");
    assertThat(kept.field("Connection")).isNull();
    for (int i = 0; i < 20; i++) {
      // the old process waits for open connections at its end
      try (RawClient client = connect()) {
        assertThat(servedBy(client.get(origin.url("/hit")).response())).isEqualTo("first");
      }
    }
    assertThat(Files.readString(dir.resolve("loligo.pid")).strip())
        .isEqualTo(Long.toString(old.process().pid()));
    ProxyProcess second = next("second").awaitOutput(" ready\n");
    assertThat(servedBy(connect().get(origin.url("/hit")).response())).isEqualTo("second");
    idle.close();
    assertThat(old.awaitExit()).isZero();
    assertThat(second.process().isAlive()).isTrue();
  }

  @Test
  void queriesByIcpAreTheSuccessors() throws Exception {
    int icp = IcpNeighbour.freePort();
    String[] lines = {"icp_port " + icp, "udp_incoming_address 127.0.0.1"};
    ProxyProcess old = first("shutdown_lifetime 1 hour", lines[0], lines[1]);
    RawClient half = connect().get(origin.url("/half"));
    half.readContent(half.responseHead(), 4);
    next("second", lines[0], lines[1], "icp_access allow all").awaitOutput(" ready\n");
    old.awaitOutput("has taken over");
    // the system would spread them over two sockets
    for (int i = 0; i < 8; i++) {
      try (IcpNeighbour neighbour = new IcpNeighbour("127.0.0.1")) {
        assertThat(neighbour.ask(icp, i, origin.url("/none"))).isEqualTo(IcpNeighbour.MISS);
      }
    }
    release.countDown();
  }

  @Test
  void theAdminPortGoesToTheNextProcess() throws Exception {
    ProxyProcess old = first("shutdown_lifetime 1 hour");
    RawClient idle = connect();
    next("second").awaitOutput(" ready\n");
    old.awaitOutput("has taken over");
    try (RawClient admin = RawClient.connect(adminPort)) {
      String config =
          admin.send("GET /config HTTP/1.1\r\nHost: localhost\r\n\r\n").response().text();
      assertThat(config).contains("second");
    }
    idle.close();
    assertThat(old.awaitExit()).isZero();
  }

  @Test
  void theUpgradeCommandMakesTheRunningProxyStartItsSuccessor() throws Exception {
    Path socket = dir.resolve("upgrade");
    Path notified = dir.resolve("notify");
    Path file = file("first", "loligo_takeover_socket " + socket, "shutdown_lifetime 1 hour");
    List<String> command = new ArrayList<>(List.of("env", "NOTIFY_SOCKET=" + notified));
    command.addAll(
        ProxyProcess.command(
            List.of("-Xmx128m", "-XX:MaxDirectMemorySize=512m"),
            ProxyProcess.MAIN,
            "run",
            "-f",
            file.toString()));
    try (NotifyReceiver told = new NotifyReceiver(notified.toString())) {
      ProxyProcess old =
          closing(ProxyProcess.start(dir, command.toArray(String[]::new))).awaitOutput(" ready\n");
      assertThat(told.next()).isEqualTo("READY=1");
      assertThat(Files.getPosixFilePermissions(socket))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      RawClient idle = connect().get(origin.url("/hit"));
      idle.response();
      // the files of the program and of the configuration may be others by now
      file("first", "loligo_takeover_socket " + socket, "via off");
      ProxyProcess upgrade = ProxyProcess.loligo(dir, "upgrade", "-f", file.toString());
      assertThat(upgrade.awaitExit()).as(upgrade.output()).isZero();
      long pid =
          Long.parseLong(
              upgrade.output().replaceAll("(?s).*process (\\d+) has taken over.*", "$1"));
      ProcessHandle successor = ProcessHandle.of(pid).orElseThrow();
      try {
        assertThat(told.next()).isEqualTo("MAINPID=" + pid);
        assertThat(told.next()).isEqualTo("READY=1");
        assertThat(connect().get(origin.url("/hit")).response().field("Via")).isNull();
        assertThat(servedBy(idle.get(origin.url("/hit")).response())).isEqualTo("first");
        idle.close();
        assertThat(old.awaitExit()).as(old.output()).isZero();
        assertThat(told.isEmpty()).as("the old process says no more").isTrue();
      } finally {
        successor.destroy();
        successor.onExit().get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
    assertThat(socket).doesNotExist();
  }

  /** systemd does not notice that: it has not started the new process. */
  @Test
  void theOldProcessFailsIfItsSuccessorDoes() throws Exception {
    Path notified = dir.resolve("notify");
    Path file = file("first", "shutdown_lifetime 1 hour");
    List<String> command = new ArrayList<>(List.of("env", "NOTIFY_SOCKET=" + notified));
    command.addAll(
        ProxyProcess.command(
            List.of("-Xmx128m", "-XX:MaxDirectMemorySize=512m"),
            ProxyProcess.MAIN,
            "run",
            "-f",
            file.toString()));
    try (NotifyReceiver told = new NotifyReceiver(notified.toString())) {
      ProxyProcess old =
          closing(ProxyProcess.start(dir, command.toArray(String[]::new))).awaitOutput(" ready\n");
      assertThat(told.next()).isEqualTo("READY=1");
      RawClient half = connect().get(origin.url("/half"));
      half.readContent(half.responseHead(), 4);
      ProxyProcess upgrade = ProxyProcess.loligo(dir, "upgrade", "--json", "-f", file.toString());
      assertThat(upgrade.awaitExit()).as(upgrade.output()).isZero();
      String pid = "" + JsonValue.parse(upgrade.output()).get("pid").whole();
      assertThat(told.next()).isEqualTo("MAINPID=" + pid);
      assertThat(told.next()).isEqualTo("READY=1");
      assertThat(old.process().isAlive()).isTrue();
      ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly();
      assertThat(told.next()).isEqualTo("MAINPID=" + old.process().pid());
      assertThat(old.awaitExit()).as(old.output()).isEqualTo(75);
      assertThat(old.output()).contains("process " + pid + " has taken over, and has ended with");
    }
  }

  /** A successor, and the commands, find the process by the file that was reloaded. */
  @Test
  void aReloadMovesTheFilesOfTheProcess() throws Exception {
    Path file = file("first");
    ProxyProcess old =
        closing(ProxyProcess.loligo(dir, "run", "-f", file.toString())).awaitOutput(" ready\n");
    Path number = dir.resolve("loligo.pid");
    Path socket = dir.resolve("loligo.pid.takeover");
    assertThat(number).content().isEqualTo(old.process().pid() + "\n");
    assertThat(socket).exists();

    // both or neither
    String lines = Files.readString(file);
    Path moved = dir.resolve("moved.pid");
    Path busy = Files.writeString(dir.resolve("busy"), "no socket");
    String refused =
        lines.replace("" + number, "" + moved) + "loligo_takeover_socket " + busy + "\n";
    Files.writeString(file, refused);
    reload(
        old, "not reloaded, the old configuration stays in force: loligo_takeover_socket " + busy);
    assertThat(moved).doesNotExist();
    assertThat(number).exists();
    assertThat(socket).exists();
    assertThat(busy).content().isEqualTo("no socket");
    Path foreign =
        Files.writeString(dir.resolve("foreign.pid"), ProcessHandle.current().pid() + "\n");
    Files.writeString(file, lines.replace("" + number, "" + foreign));
    reload(old, "is running: stop it, or name another file");
    assertThat(dir.resolve("foreign.pid.takeover")).doesNotExist();
    assertThat(foreign).content().isEqualTo(ProcessHandle.current().pid() + "\n");

    Files.writeString(file, lines.replace("" + number, "" + moved));
    reload(old, "reload: pid_filename " + number + " -> " + moved);
    Waiting.until(
        "the former files are gone", () -> !Files.exists(number) && !Files.exists(socket));
    assertThat(moved).content().isEqualTo(old.process().pid() + "\n");
    ProxyProcess upgrade = ProxyProcess.loligo(dir, "upgrade", "--json", "-f", file.toString());
    assertThat(upgrade.awaitExit()).as(upgrade.output()).isZero();
    long pid = JsonValue.parse(upgrade.output()).get("pid").whole();
    ProcessHandle successor = ProcessHandle.of(pid).orElseThrow();
    try {
      assertThat(old.awaitExit()).as(old.output()).isZero();
      assertThat(moved).content().isEqualTo(pid + "\n");
    } finally {
      successor.destroy();
      successor.onExit().get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    }
    assertThat(moved).doesNotExist();
    assertThat(dir.resolve("moved.pid.takeover")).doesNotExist();
  }

  private static void reload(ProxyProcess process, String outcome) throws Exception {
    new ProcessBuilder("kill", "-HUP", "" + process.process().pid()).start().waitFor();
    process.awaitOutput(outcome);
  }

  /** As after a line was copied from the configuration of another proxy. */
  @Test
  void aStartLeavesTheTakeoverSocketOfARunningProxyAlone() throws Exception {
    Path socket = dir.resolve("shared");
    ProxyProcess old = first("loligo_takeover_socket " + socket);
    List<String> lines = List.of("http_port 127.0.0.1:0", "loligo_takeover_socket " + socket);
    Path file =
        Files.writeString(dir.resolve("copy.conf"), configuration(lines.toArray(String[]::new)));
    ProxyProcess copy = closing(ProxyProcess.loligo(dir, "run", "-f", file.toString()));
    assertThat(copy.awaitExit()).as(copy.output()).isEqualTo(1);
    assertThat(copy.output())
        .containsOnlyOnce("loligo_takeover_socket " + socket + ": another process");
    try (Takeover successor = Takeover.at(socket)) {
      successor.sockets("test").close();
    }
    assertThat(old.process().isAlive()).isTrue();
  }

  private ProxyProcess ofJar(Path jar, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ProxyProcess.compiler());
    command.addAll(List.of("-Xmx128m", "-XX:MaxDirectMemorySize=512m", "-jar", jar.toString()));
    command.addAll(List.of(arguments));
    return closing(ProxyProcess.start(dir, command.toArray(String[]::new)));
  }

  /** To another version and back; each running process keeps the file that it began with. */
  @Test
  void anUpgradeStartsTheJarThatIsThereNow() throws Exception {
    Path jar = ProxyJar.write(dir.resolve("loligo.jar"), "1");
    String file = file("first", withDisk()).toString();
    ProxyProcess old = ofJar(jar, "run", "-f", file).awaitOutput(" ready\n");
    fetch("/hit");
    List<ProcessHandle> successors = new ArrayList<>();
    try {
      for (String version : List.of("2", "1")) {
        Path next = ProxyJar.write(dir.resolve("next.jar"), version);
        Files.move(next, jar, StandardCopyOption.ATOMIC_MOVE);
        ProxyProcess upgrade = ofJar(jar, "upgrade", "-f", file);
        assertThat(upgrade.awaitExit()).as(upgrade.output()).isZero();
        String pid = upgrade.output().replaceAll("(?s).*process (\\d+) has taken over.*", "$1");
        successors.add(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
        assertThat(old.output())
            .contains("process " + pid + " (version " + version + ") begins to take over");
        assertThat(fetch("/hit").field("Cache-Status")).contains("; hit").endsWith("; detail=disk");
      }
      assertThat(origin.fetches("/hit")).isEqualTo(1);
      assertThat(old.awaitExit()).as(old.output()).isZero();
    } finally {
      for (ProcessHandle successor : successors) {
        successor.destroy();
        successor.onExit().get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  @Test
  void theUpgradeCommandSaysWhyTheOldProcessGoesOn() throws Exception {
    ProxyProcess old = first();
    Path file = file("first");
    Files.writeString(file, "no_such_directive_as_this\nhttp_access\n" + Files.readString(file));
    ProxyProcess upgrade = ProxyProcess.loligo(dir, "upgrade", "-f", file("same").toString());
    assertThat(upgrade.awaitExit()).isEqualTo(1);
    assertThat(upgrade.output()).contains("has ended with status 1; the old one goes on");
    assertThat(servedBy(connect().get(origin.url("/hit")).response())).isEqualTo("first");
    assertThat(old.process().isAlive()).isTrue();
  }

  private String[] withDisk(String... more) {
    List<String> lines = new ArrayList<>(List.of(more));
    lines.add("cache_dir rock " + dir.resolve("cache") + " 64");
    lines.add("maximum_object_size 64 MB");
    lines.add("loligo_cache_dir_wait 60 seconds");
    return lines.toArray(String[]::new);
  }

  /** On a connection of its own, which would otherwise keep the old process. */
  private WireMessage fetch(String path) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      return client.get(origin.url(path)).response();
    }
  }

  private void assertFromDisk(String path, String body) throws IOException {
    WireMessage hit = fetch(path);
    assertThat(servedBy(hit)).isEqualTo("second");
    assertThat(hit.field("Cache-Status")).as(path).contains("; hit").endsWith("; detail=disk");
    assertThat(hit.text()).isEqualTo(body);
    assertThat(origin.fetches(path)).as(path).isEqualTo(1);
  }

  @Test
  void everythingOnDiskIsAHitInTheNextProcess() throws Exception {
    ProxyProcess old = first(withDisk("shutdown_lifetime 1 hour"));
    for (int i = 0; i < SMALL; i++) {
      origin.onOk("/small/" + i, "small " + i, "Cache-Control: max-age=1000");
      fetch("/small/" + i);
    }
    String large = "0123456789".repeat(LARGE_BYTES / 10);
    origin.onOk("/large", large, "Cache-Control: max-age=1000");
    assertThat(fetch("/large").text()).isEqualTo(large);
    // before that, it comes from the memory that it is written from
    Waiting.until(
        "it is on disk", () -> fetch("/large").field("Cache-Status").endsWith("; detail=disk"));
    // more than the kernel takes at once
    RawClient slow = closing(RawClient.connect(port, 4_096)).get(origin.url("/large"));
    assertThat(slow.responseHead()).contains("detail=disk");
    StringBuilder content = new StringBuilder(slow.read(1_000));

    next("second", withDisk()).awaitOutput(" ready\n");
    for (int i = 0; i < SMALL; i++) {
      assertFromDisk("/small/" + i, "small " + i);
    }
    assertFromDisk("/large", large);
    assertThat(old.process().isAlive()).isTrue();
    content.append(slow.read(LARGE_BYTES - 1_000));
    assertThat(content.toString()).isEqualTo(large);
    assertThat(origin.fetches("/large")).isEqualTo(1);
    slow.close();
    assertThat(old.awaitExit()).as(old.output()).isZero();
    // in memory by now
    assertThat(fetch("/small/0").field("Cache-Status")).contains("; hit");
  }

  @Test
  void aResponseThatArrivesOnDiskIsStoredBeforeTheChange() throws Exception {
    String half = "0123456789".repeat(ARRIVING_BYTES / 20);
    origin.on(
        "/arriving",
        call -> {
          String fresh = "HTTP/1.1 200 OK\r\nCache-Control: max-age=1000\r\nContent-Length: ";
          call.send(fresh + ARRIVING_BYTES + "\r\n\r\n" + half);
          await(release);
          call.send(half);
        });
    ProxyProcess old = first(withDisk());
    RawClient client = connect().get(origin.url("/arriving"));
    client.responseHead();
    assertThat(client.read(half.length())).isEqualTo(half);
    ProxyProcess next = next("second", withDisk());
    old.awaitOutput("waits up to 30000 ms for 1 responses");
    assertThat(servedBy(connect().get(origin.url("/hit")).response())).isEqualTo("first");
    release.countDown();
    assertThat(client.read(half.length())).isEqualTo(half);
    client.close();
    next.awaitOutput(" ready\n");
    assertFromDisk("/arriving", half + half);
  }

  @Test
  void theOldProcessTakesTheStoreBackFromOneThatFails() throws Exception {
    ProxyProcess old = first(withDisk());
    fetch("/hit");
    // not for memory
    String body = "0123456789".repeat(ON_DISK_BYTES / 10);
    origin.onOk("/on-disk", body, "Cache-Control: max-age=1000");
    fetch("/on-disk");
    int before = adminPort;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      adminPort = taken.getLocalPort();
      assertThat(next("failing", withDisk()).awaitExit()).isEqualTo(1);
    }
    adminPort = before;
    old.awaitOutput("has not taken over; this one goes on")
        .awaitOutput("(?s)ready in .* ms.*has not taken over.*ready in .* ms");
    WireMessage hit = fetch("/on-disk");
    assertThat(servedBy(hit)).isEqualTo("first");
    assertThat(hit.field("Cache-Status")).contains("; hit").endsWith("; detail=disk");
    assertThat(hit.text()).isEqualTo(body);
    origin.onOk("/late", body, "Cache-Control: max-age=1000");
    fetch("/late");
    next("second", withDisk()).awaitOutput(" ready\n");
    assertFromDisk("/hit", "stored");
    assertFromDisk("/on-disk", body);
    assertFromDisk("/late", body);
  }

  /** Also the way back: the third process has the options of the first. */
  @Test
  void noClientUnderLoadSeesTheChange() throws Exception {
    List<ProxyProcess> processes = new ArrayList<>();
    processes.add(first(withDisk("shutdown_lifetime 1 hour")));
    try (EchoServer echo = new EchoServer();
        Load load = new Load()) {
      load.add(this::keptConnection);
      load.add(this::keptConnection);
      load.add(this::freshConnections);
      load.add(this::freshConnections);
      load.add(this::multiplexedConnection);
      load.add(each -> tunnel(echo, each));
      load.awaitRounds(20);
      processes.add(
          next("second", withDisk("loligo_event_loops 3", "shutdown_lifetime 1 hour"))
              .awaitOutput(" ready\n"));
      load.awaitRounds(20);
      processes.add(
          next("third", withDisk("loligo_event_loops 1", "shutdown_lifetime 1 hour"))
              .awaitOutput(" ready\n"));
      load.awaitRounds(20);
      load.stop();
    }
    assertThat(processes.get(0).awaitExit()).isZero();
    assertThat(processes.get(1).awaitExit()).isZero();
    assertThat(processes.get(2).process().isAlive()).isTrue();
  }

  /** Rounds of a client on its connection; each ends with that. */
  private interface Client {
    void run(Load load) throws Exception;
  }

  private void keptConnection(Load load) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      boolean kept = true;
      while (kept && load.goesOn()) {
        kept = served(client, load, "/hit", "stored") && served(client, load, "/miss", "fetched");
      }
    }
  }

  /** Whether the connection persists. */
  private boolean served(RawClient client, Load load, String path, String body) throws IOException {
    WireMessage response = client.get(origin.url(path)).response();
    assertThat(response.text()).isEqualTo(body);
    load.round();
    return !"close".equals(response.field("Connection"));
  }

  private void freshConnections(Load load) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      served(client, load, "/miss", "fetched");
    }
  }

  private void multiplexedConnection(Load load) throws IOException {
    try (Http2Client client = Http2Client.connect(multiplexed)) {
      for (int stream = 1; !client.isToldToLeave() && load.goesOn(); stream += 2) {
        client.get(stream, "site.test", "/hit");
        assertThat(client.response(stream).text()).isEqualTo("stored");
        load.round();
      }
    }
  }

  /** One tunnel for all the time: the old process keeps it. */
  private void tunnel(EchoServer echo, Load load) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      String authority = "127.0.0.1:" + echo.port();
      client.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
      assertThat(client.responseHead()).startsWith("HTTP/1.1 200");
      while (load.goesOn()) {
        client.send("echo");
        assertThat(client.read(4)).isEqualTo("echo");
        load.round();
      }
    }
  }

  /** Clients, each on a thread of its own, that repeat their work until one of them fails. */
  private static final class Load implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Map<Thread, Semaphore> rounds = new ConcurrentHashMap<>();
    private volatile boolean stopped;

    void add(Client client) {
      Thread thread = new Thread(() -> repeat(client), "client-" + threads.size());
      rounds.put(thread, new Semaphore(0));
      threads.add(thread);
      thread.start();
    }

    private void repeat(Client client) {
      try {
        while (goesOn()) {
          client.run(this);
        }
      } catch (Exception | AssertionError e) {
        failures.add(e);
      }
    }

    boolean goesOn() {
      return !stopped && failures.isEmpty();
    }

    /** The calling client had one more response. */
    void round() {
      rounds.get(Thread.currentThread()).release();
    }

    /** Waits until each client had so many more responses. */
    void awaitRounds(int count) throws InterruptedException {
      for (Semaphore each : rounds.values()) {
        each.drainPermits();
      }
      for (Semaphore each : rounds.values()) {
        boolean done = each.tryAcquire(count, RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(failures).isEmpty();
        assertThat(done).as("each client goes on").isTrue();
      }
    }

    void stop() throws InterruptedException {
      stopped = true;
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failures).isEmpty();
    }

    @Override
    public void close() {
      stopped = true;
    }
  }

  /** Sends back what it receives. */
  private static final class EchoServer implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    EchoServer() throws IOException {
      new Thread(this::accept, "echo").start();
    }

    int port() {
      return listener.getLocalPort();
    }

    private void accept() {
      try {
        while (true) {
          Socket socket = listener.accept();
          new Thread(() -> echo(socket), "echo").start();
        }
      } catch (IOException closed) {
        // the end
      }
    }

    private static void echo(Socket socket) {
      try (socket) {
        socket.getInputStream().transferTo(socket.getOutputStream());
      } catch (IOException gone) {
        // the client's test notices
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
