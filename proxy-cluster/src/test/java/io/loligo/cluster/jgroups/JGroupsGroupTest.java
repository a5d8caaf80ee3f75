package io.loligo.cluster.jgroups;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.loligo.cluster.discovery.AddressSource;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.View;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.NioMessage;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.Util;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class JGroupsGroupTest {
  private static final long GUARD_SECONDS = 40;

  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void stop() {
    nodes.forEach(Node::close);
  }

  private record Fixed(List<InetSocketAddress> members) implements AddressSource {
    @Override
    public Set<InetSocketAddress> ask() {
      return new LinkedHashSet<>(members);
    }

    @Override
    public int fixed() {
      return members.size();
    }
  }

  private Node node(String name, InetSocketAddress address, List<InetSocketAddress> members)
      throws IOException {
    return node(name, address, members, JGroupsGroup.PROTOCOL);
  }

  private Node node(
      String name, InetSocketAddress address, List<InetSocketAddress> members, int protocol)
      throws IOException {
    Node node = new Node(name, address, new Fixed(members), null, protocol).start();
    nodes.add(node);
    return node;
  }

  private List<Node> three() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(3);
    for (InetSocketAddress address : addresses) {
      node("node" + nodes.size(), address, addresses);
    }
    for (Node node : nodes) {
      node.awaitSize(3);
    }
    return nodes;
  }

  private static List<String> names(View view) {
    return view.members().stream().map(Member::name).toList();
  }

  @Test
  void reportsItselfAtOnceAndTheOthersWhenTheyAreThere() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(2);
    Node first = node("first", addresses.get(0), addresses);
    assertThat(names(first.awaitView(view -> true))).containsExactly("first");
    Node second = node("second", addresses.get(1), addresses);
    View there = second.awaitSize(2);
    assertThat(names(first.awaitSize(2))).isEqualTo(names(there));
    assertThat(there.members()).extracting(Member::address).containsAll(addresses);
    assertThat(first.ask(first.group::configured)).isEqualTo(2);
  }

  @Test
  void keepsTheOrderOfEachSender() throws Exception {
    three();
    int count = 3_000;
    for (int i = 0; i < count; i++) {
      nodes.get(0).send(nodes.get(2), "a" + i);
      nodes.get(1).send(nodes.get(2), "b" + i);
    }
    List<String> fromFirst = new ArrayList<>();
    List<String> fromSecond = new ArrayList<>();
    for (int i = 0; i < 2 * count; i++) {
      Node.Received message = nodes.get(2).awaitMessage();
      (message.from().equals(nodes.get(0).group.self()) ? fromFirst : fromSecond)
          .add(message.text());
    }
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      expected.add("a" + i);
    }
    assertThat(fromFirst).isEqualTo(expected);
    assertThat(fromSecond)
        .isEqualTo(expected.stream().map(text -> "b" + text.substring(1)).toList());
  }

  @Test
  void aPartitionEndsWithAViewOfAll() throws Exception {
    three();
    ProtocolStack stack = nodes.get(2).group.channel().getProtocolStack();
    DISCARD discard = new DISCARD();
    discard.discardAll(true);
    stack.insertProtocol(discard, ProtocolStack.Position.ABOVE, GroupTransport.class);
    nodes.get(0).send(nodes.get(2), "from before"); // lost, and sent again by the engine
    nodes.get(0).awaitSize(2);
    nodes.get(1).awaitSize(2);
    nodes.get(2).awaitSize(1);
    assertThat(nodes.get(2).ask(nodes.get(2).group::missing))
        .containsExactlyInAnyOrder(nodes.get(0).address, nodes.get(1).address);
    discard.discardAll(false);
    for (Node node : nodes) {
      node.awaitSize(3);
      assertThat(node.merges).hasPositiveValue();
    }
    nodes.get(0).send(nodes.get(2), "again");
    assertThat(nodes.get(2).awaitMessage().text()).isEqualTo("again");
    nodes.get(2).send(nodes.get(0), "and back");
    assertThat(nodes.get(0).awaitMessage().text()).isEqualTo("and back");
  }

  @Test
  void aMemberOfAnotherProtocolIsLeftOut() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(3);
    Node first = node("first", addresses.get(0), addresses);
    node("old", addresses.get(1), addresses, 0);
    Node third = node("third", addresses.get(2), addresses);
    assertThat(names(first.awaitSize(2))).containsExactlyInAnyOrder("first", "third");
    assertThat(names(third.awaitSize(2))).containsExactlyInAnyOrder("first", "third");
  }

  @Test
  void aMemberBeyondTheListIsNotAConfiguredNode() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(3);
    Node first = node("first", addresses.get(0), addresses.subList(0, 2));
    node("second", addresses.get(1), addresses.subList(0, 2));
    Node guest = node("guest", addresses.get(2), addresses.subList(0, 2));
    View all = first.awaitSize(3);
    assertThat(first.ask(first.group::configured)).isEqualTo(2);
    assertThat(guest.ask(guest.group::configured)).as("and itself").isEqualTo(3);
    for (Member member : all.members()) {
      assertThat(first.ask(() -> first.group.isConfigured(member)))
          .isEqualTo(!member.name().equals("guest"));
    }
  }

  @Test
  void oneOtherNodeIsEnoughToFindAll() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(3);
    Node first = node("first", addresses.get(0), addresses);
    first.awaitSize(1);
    Node second = node("second", addresses.get(1), addresses);
    second.awaitSize(2);
    Node third = node("third", addresses.get(2), List.of(addresses.get(1)));
    third.awaitSize(3);
    first.awaitSize(3);
    assertThat(third.merges).as("it joins, it is not merged later").hasValue(0);
  }

  @Test
  void countsDiscoveredNodesAsOfTheLastCompleteView() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(3);
    Set<InetSocketAddress> found = ConcurrentHashMap.newKeySet();
    found.addAll(addresses);
    AddressSource discovered =
        new AddressSource() {
          @Override
          public Set<InetSocketAddress> ask() {
            return Set.copyOf(found);
          }

          @Override
          public int fixed() {
            return 0;
          }
        };
    List<Node> three = new ArrayList<>();
    for (InetSocketAddress address : addresses) {
      Node node = new Node("n", address, discovered, null, JGroupsGroup.PROTOCOL).start();
      nodes.add(node);
      three.add(node);
    }
    Node first = three.get(0);
    first.awaitSize(3);
    assertThat(first.ask(first.group::configured)).isEqualTo(3);
    nodes.remove(three.get(2));
    three.get(2).close();
    first.awaitSize(2);
    assertThat(first.ask(first.group::configured)).as("it is away").isEqualTo(3);
    first.views.clear();
    found.remove(addresses.get(2));
    first.awaitSize(2);
    assertThat(first.ask(first.group::configured)).as("it is not wanted any more").isEqualTo(2);
  }

  /** Properties of the JVM that the engine would take for its own. */
  @Test
  void propertiesOfTheJvmChangeNothing() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(1);
    List<String> names = List.of("jgroups.bind.port", "jgroups.bind_port", "jgroups.external_port");
    names.forEach(name -> System.setProperty(name, "1"));
    System.setProperty("jgroups.bind_addr", "192.0.2.1");
    System.setProperty("jgroups.external_addr", "192.0.2.1");
    System.setProperty("jgroups.tcpping.initial_hosts", "192.0.2.1[1]");
    try {
      Node alone = node("alone", addresses.get(0), addresses);
      alone.awaitSize(1);
      Address self = joined(alone);
      assertThat(alone.group.channel().getProtocolStack().getTransport().getBindPort())
          .isEqualTo(addresses.get(0).getPort());
      Object place = alone.group.channel().down(new Event(Event.GET_PHYSICAL_ADDRESS, self));
      assertThat(place).hasToString("127.0.0.1:" + addresses.get(0).getPort());
    } finally {
      names.forEach(System::clearProperty);
      System.clearProperty("jgroups.bind_addr");
      System.clearProperty("jgroups.external_addr");
      System.clearProperty("jgroups.tcpping.initial_hosts");
    }
  }

  private static Address joined(Node node) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (node.group.channel() == null || !node.group.channel().isConnected()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
    return node.group.channel().getAddress();
  }

  /** No port for failure detection, diagnostics or multicast. */
  @Test
  void onlyTheGroupPortListens() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/self/net/tcp")));
    Set<String> before = listening();
    List<InetSocketAddress> addresses = Node.addresses(2);
    node("a", addresses.get(0), addresses);
    Node b = node("b", addresses.get(1), addresses);
    b.awaitSize(2);
    Set<String> now = listening();
    now.removeAll(before);
    assertThat(now)
        .allSatisfy(
            port ->
                assertThat(addresses)
                    .extracting(address -> String.format("%04X", address.getPort()))
                    .contains(port));
    assertThat(now).hasSize(2);
  }

  /** Ports of this process: of TCP that listen, and all of UDP. */
  private static Set<String> listening() throws IOException {
    Set<String> inodes = new HashSet<>();
    try (var files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : files) {
        try {
          String target = Files.readSymbolicLink(file).toString();
          if (target.startsWith("socket:[")) {
            inodes.add(target.substring(8, target.length() - 1));
          }
        } catch (IOException gone) {
          // that of the listing itself
        }
      }
    }
    Set<String> ports = new HashSet<>();
    for (String table : List.of("tcp", "tcp6", "udp", "udp6")) {
      Path path = Path.of("/proc/self/net/" + table);
      if (!Files.exists(path)) {
        continue;
      }
      for (String line : Files.readAllLines(path)) {
        String[] words = line.strip().split("\\s+", -1);
        boolean isOpen = words.length > 9 && (table.startsWith("udp") || words[3].equals("0A"));
        if (isOpen && inodes.contains(words[9])) {
          ports.add(words[1].substring(words[1].indexOf(':') + 1));
        }
      }
    }
    return ports;
  }

  /** As the successor of a process that has the port. */
  @Test
  void waitsForAPortThatIsTaken() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(2);
    Node first = node("first", addresses.get(0), addresses);
    Node old = new Node("old", addresses.get(1), new Fixed(addresses), null, 1).start();
    first.awaitSize(2);
    Node next = new Node("next", addresses.get(1), new Fixed(addresses), null, 1, false).start();
    nodes.add(next);
    assertThat(names(next.awaitSize(1))).containsExactly("next");
    old.close();
    assertThat(names(next.awaitSize(2))).containsExactlyInAnyOrder("first", "next");
    first.awaitView(view -> names(view).contains("next"));
  }

  @Test
  void silentAndForeignClientsDelayNobody() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(2);
    Node first = node("first", addresses.get(0), addresses);
    List<Socket> clients = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      clients.add(new Socket(addresses.get(0).getAddress(), addresses.get(0).getPort()));
    }
    try (Socket foreign = new Socket(addresses.get(0).getAddress(), addresses.get(0).getPort())) {
      foreign.setSoTimeout(20_000);
      foreign.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
      assertThat(foreign.getInputStream().read()).as("behind silent ones").isEqualTo(-1);
    } catch (SocketException reset) {
      assertThat(reset).hasMessageContaining("reset"); // it had sent more than was read
    }
    Node second = node("second", addresses.get(1), addresses);
    second.awaitSize(2);
    first.awaitSize(2);
    for (Socket client : clients) {
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      client.close();
    }
  }

  private static Socket from(String address, InetSocketAddress port) throws IOException {
    Socket client = new Socket();
    client.bind(new InetSocketAddress(address, 0));
    client.connect(port);
    return client;
  }

  private static boolean isClosed(Socket client) {
    try {
      return client.getInputStream().read() < 0;
    } catch (IOException e) {
      return !(e instanceof SocketTimeoutException);
    }
  }

  /** More clients than threads that greet: those of another address are greeted all the same. */
  @Test
  void manySilentClientsOfOneAddressKeepOutNoOther() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/self/net/tcp")), "all of 127/8 is loopback");
    List<InetSocketAddress> addresses = Node.addresses(1);
    InetSocketAddress port = addresses.get(0);
    Node node = new Node("first", port, new Fixed(addresses), null, JGroupsGroup.PROTOCOL);
    nodes.add(node.start());
    node.awaitSize(1);
    joined(node);
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 80; i++) {
        Socket client = new Socket(port.getAddress(), port.getPort());
        client.setSoTimeout(1);
        silent.add(client);
      }
      try (Socket other = from("127.0.0.3", port)) {
        other.setSoTimeout(100);
        assertThatThrownBy(() -> other.getInputStream().read())
            .as("its greeting is awaited")
            .isInstanceOf(SocketTimeoutException.class);
      }
      long guard = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
      long closed = 0;
      while (closed < 70 && System.nanoTime() - guard < 0) {
        closed = silent.stream().filter(JGroupsGroupTest::isClosed).count();
      }
      assertThat(closed).as("closed without a greeting").isGreaterThanOrEqualTo(70);
    } finally {
      for (Socket client : silent) {
        client.close();
      }
    }
  }

  private static AppenderBase<ILoggingEvent> appender(BlockingQueue<String> lines) {
    AppenderBase<ILoggingEvent> log =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent line) {
            lines.add(line.getFormattedMessage());
          }
        };
    log.start();
    return log;
  }

  /** Else nobody sees why nodes with a wrong name do not find each other. */
  @Test
  void anotherClusterAtTheSameAddressesIsSeenInTheLog() throws Exception {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    AppenderBase<ILoggingEvent> log = appender(lines);
    Logger logger = (Logger) LoggerFactory.getLogger(Refusals.class);
    logger.addAppender(log);
    try {
      List<InetSocketAddress> addresses = Node.addresses(2);
      node("first", addresses.get(0), addresses);
      Fixed members = new Fixed(addresses);
      int protocol = JGroupsGroup.PROTOCOL;
      Node other =
          new Node("other", "second", addresses.get(1), members, null, protocol, true).start();
      nodes.add(other);
      assertThat(lines.poll(40, TimeUnit.SECONDS)).contains("gets messages of a cluster");
    } finally {
      logger.detachAppender(log);
    }
  }

  /** Others may be there, so a purge that only this node carried out is not answered 1/1. */
  @Test
  void withoutAnAnswerOfTheSourceThereMayBeMoreNodes() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(1);
    AtomicBoolean answers = new AtomicBoolean();
    AddressSource failing =
        new AddressSource() {
          @Override
          public Set<InetSocketAddress> ask() throws IOException {
            if (!answers.get()) {
              throw new IOException("no name server");
            }
            return Set.copyOf(addresses);
          }

          @Override
          public int fixed() {
            return 0;
          }
        };
    Node node = new Node("n", addresses.get(0), failing, null, JGroupsGroup.PROTOCOL).start();
    nodes.add(node);
    node.awaitSize(1);
    assertThat(node.ask(node.group::configured)).isEqualTo(2);
    joined(node);
    node.views.clear();
    answers.set(true);
    while (node.ask(node.group::configured) != 1) {
      node.awaitSize(1);
    }
  }

  /** A node whose steps are held up, by a member that sends on. */
  @Test
  void whatWaitsForTheStepsIsBoundedAndALossIsALossOfTheMember() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(2);
    Node sender = node("sender", addresses.get(0), addresses);
    Node held = node("held", addresses.get(1), addresses);
    held.awaitSize(2);
    sender.awaitSize(2);
    joined(held);
    held.views.clear();
    CountDownLatch going = new CountDownLatch(1);
    held.steps.execute(
        () -> {
          try {
            going.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    int sent = 120; // more than may wait for the steps, less than may wait to be sent
    String text = "x".repeat(100_000);
    for (int i = 0; i < sent; i++) {
      sender.send(held, i + text);
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (held.group.droppedMessages() == 0) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
    going.countDown();
    assertThat(names(held.awaitView(view -> true))).containsExactly("held");
    assertThat(names(held.awaitView(view -> true))).containsExactlyInAnyOrder("held", "sender");
    sender.send(held, "last");
    List<String> received = new ArrayList<>();
    while (received.isEmpty() || !received.get(received.size() - 1).equals("last")) {
      received.add(held.awaitMessage().text());
    }
    assertThat(received.size()).isLessThan(sent);
    assertThat(received.get(0)).startsWith("0x");
  }

  /** What follows in the connection is a frame again, and no kind that no node sends is taken. */
  @Test
  void aMalformedFrameIsDroppedAsAWhole() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(1);
    Node alone = node("alone", addresses.get(0), addresses);
    joined(alone);
    TP transport = alone.group.channel().getProtocolStack().getTransport();
    PhysicalAddress other = new IpAddress(addresses.get(0).getAddress(), 1);
    ByteArrayDataOutputStream frame = new ByteArrayDataOutputStream();
    Util.writeMessage(new NioMessage(null, ByteBuffer.allocate(5)), frame, false);
    byte[] twice = Arrays.copyOf(frame.buffer(), frame.position() + 7);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(twice));
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    AppenderBase<ILoggingEvent> log = appender(lines);
    Logger logger = (Logger) LoggerFactory.getLogger("io.loligo.cluster.engine");
    Level level = logger.getLevel();
    logger.setLevel(Level.DEBUG);
    logger.addAppender(log);
    try {
      transport.receive(other, in, frame.position() + 5);
      assertThat(lines).contains("a frame cannot be read");
    } finally {
      logger.detachAppender(log);
      logger.setLevel(level);
    }
    assertThat(in.available()).isEqualTo(2);
    assertThatThrownBy(() -> transport.receive(other, in, -1)).isInstanceOf(IOException.class);
  }
}
