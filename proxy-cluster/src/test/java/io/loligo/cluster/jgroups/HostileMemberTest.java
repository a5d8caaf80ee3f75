package io.loligo.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.loligo.cluster.discovery.AddressSource;
import io.loligo.cluster.group.Member;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.FragHeader;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.NakAckHeader2;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A member that wants to fill the heap of another one: its bytes are counted there. */
class HostileMemberTest {
  private static final short NUMBERED = ClassConfigurator.getProtocolId(UNICAST3.class);
  private static final short TO_ALL = ClassConfigurator.getProtocolId(NAKACK2.class);
  private static final short FRAGMENT = ClassConfigurator.getProtocolId(FRAG2.class);

  /** Another connection of the protocol than that of the honest part of the hostile node. */
  private static final short CONNECTION = 1_000;

  private static final int LENGTH = 50_000;
  private static final int COUNT = 600;

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final AppenderBase<ILoggingEvent> log =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
          lines.add(line.getFormattedMessage());
        }
      };

  private Node victim;
  private Node honest;
  private Node hostile;

  private record Listed(List<InetSocketAddress> members) implements AddressSource {
    @Override
    public Set<InetSocketAddress> ask() {
      return new LinkedHashSet<>(members);
    }

    @Override
    public int fixed() {
      return members.size();
    }
  }

  @BeforeEach
  void start() throws Exception {
    log.start();
    ((Logger) LoggerFactory.getLogger(Refusals.class)).addAppender(log);
    List<InetSocketAddress> addresses = Node.addresses(3);
    victim = node("victim", addresses, 0);
    honest = node("honest", addresses, 1);
    hostile = node("hostile", addresses, 2);
    for (Node node : List.of(victim, honest, hostile)) {
      node.awaitSize(3);
    }
  }

  private static Node node(String name, List<InetSocketAddress> addresses, int number)
      throws IOException {
    InetSocketAddress address = addresses.get(number);
    return new Node(name, address, new Listed(addresses), null, JGroupsGroup.PROTOCOL).start();
  }

  @AfterEach
  void stop() {
    ((Logger) LoggerFactory.getLogger(Refusals.class)).detachAppender(log);
    Stream.of(hostile, honest, victim).forEach(Node::close);
  }

  private static Address of(Node node) {
    return node.group.channel().getAddress();
  }

  private static NumberedMessages protocol(Node node) {
    return node.group.channel().getProtocolStack().findProtocol(NumberedMessages.class);
  }

  private BytesMessage message(Address to) {
    BytesMessage message = new BytesMessage(to, new byte[LENGTH]);
    message.setSrc(of(hostile));
    return message;
  }

  private void send(Message message) {
    assertBounded();
    hostile.group.channel().getProtocolStack().getTransport().down(message);
  }

  private void assertBounded() {
    // in each of the three protocols
    assertThat(victim.group.held()).isLessThan(3 * EngineBounds.MAX_BYTES + (1 << 20));
  }

  /** Nothing tells of numbers. */
  private static void await(BooleanSupplier wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  /** Waits until the victim has closed the connection, and the others still have each other. */
  private void assertClosed(String reason) throws Exception {
    assertThat(lines.poll(40, TimeUnit.SECONDS)).contains("no node sends: " + reason);
    await(() -> victim.group.closedConnections() > 0);
    assertBounded();
    honest.send(victim, "from honest");
    String text = victim.awaitMessage().text();
    while (!text.equals("from honest")) {
      text = victim.awaitMessage().text();
    }
    victim.send(honest, "to honest");
    assertThat(honest.awaitMessage().text()).isEqualTo("to honest");
    assertThat(victim.views)
        .allSatisfy(
            view ->
                assertThat(view.members()).extracting(Member::name).contains("victim", "honest"));
  }

  @Test
  void gapsWaitWithinABound() throws Exception {
    BytesMessage first = message(of(victim));
    first.putHeader(NUMBERED, UnicastHeader3.createDataHeader(1, CONNECTION, true));
    send(first);
    for (int i = 0; i < COUNT; i++) {
      BytesMessage later = message(of(victim));
      later.putHeader(NUMBERED, UnicastHeader3.createDataHeader(3 + i, CONNECTION, false));
      send(later);
    }
    assertClosed("gaps");
    assertThat(victim.group.droppedMessages()).isPositive();
  }

  /** A table has a row for each thousand numbers, also for those that are missing. */
  @Test
  void noNumberIsFarAhead() throws Exception {
    BytesMessage first = message(of(victim));
    first.putHeader(NUMBERED, UnicastHeader3.createDataHeader(1, CONNECTION, true));
    send(first);
    BytesMessage far = message(of(victim));
    far.putHeader(
        NUMBERED, UnicastHeader3.createDataHeader(2 + EngineBounds.MAX_AHEAD, CONNECTION, false));
    send(far);
    assertClosed("gaps");
    assertThat(victim.group.droppedMessages()).isEqualTo(1);
  }

  @Test
  void gapsInMessagesToAllWaitWithinABound() throws Exception {
    for (int i = 0; i < COUNT; i++) {
      BytesMessage later = message(null);
      later.putHeader(TO_ALL, NakAckHeader2.createMessageHeader(1_000 + i));
      send(later);
    }
    assertClosed("gaps");
  }

  @Test
  void messagesWithoutAFirstOneWaitWithinABound() {
    protocol(victim).removeReceiveConnection(of(hostile));
    protocol(hostile).removeSendConnection(of(victim));
    for (int i = 0; i < COUNT; i++) {
      BytesMessage later = message(of(victim));
      later.putHeader(NUMBERED, UnicastHeader3.createDataHeader(3 + i, CONNECTION, false));
      send(later);
    }
    await(() -> victim.group.droppedMessages() > 0);
  }

  @Test
  void fragmentsWithoutAnEndWaitWithinABound() throws Exception {
    for (int i = 0; i < COUNT; i++) {
      BytesMessage part = message(of(victim));
      part.putHeader(FRAGMENT, new FragHeader(i, 0, 2));
      assertBounded();
      protocol(hostile).down(part);
    }
    assertClosed("gaps, or parts");
  }

  /** Each could have tables of its own. */
  @Test
  void aConnectionIsThatOfOneMember() throws Exception {
    BytesMessage other = message(of(victim));
    other.setSrc(UUID.randomUUID());
    send(other);
    assertClosed("those of several members");
  }

  @Test
  void noFrameIsLongerThanANodeSends() throws Exception {
    GroupTransport transport =
        (GroupTransport) hostile.group.channel().getProtocolStack().getTransport();
    byte[] frame = "x".repeat(GroupTransport.MAX_BYTES + 1).getBytes(UTF_8);
    InetSocketAddress to = victim.address;
    transport.send(new IpAddress(to.getAddress(), to.getPort()), frame, 0, frame.length);
    assertClosed("a frame of " + frame.length + " bytes");
  }
}
