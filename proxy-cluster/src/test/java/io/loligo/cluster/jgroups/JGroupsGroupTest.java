package io.loligo.cluster.jgroups;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.discovery.AddressSource;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.View;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jgroups.protocols.DISCARD;
import org.jgroups.stack.ProtocolStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JGroupsGroupTest {
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
    nodes.get(0).awaitSize(2);
    nodes.get(1).awaitSize(2);
    nodes.get(2).awaitSize(1);
    discard.discardAll(false);
    for (Node node : nodes) {
      node.awaitSize(3);
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
  void silentAndForeignClientsDelayNobody() throws Exception {
    List<InetSocketAddress> addresses = Node.addresses(2);
    Node first = node("first", addresses.get(0), addresses);
    List<Socket> clients = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Socket client = new Socket(addresses.get(0).getAddress(), addresses.get(0).getPort());
      if (i % 2 == 0) {
        client.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
      }
      clients.add(client);
    }
    Node second = node("second", addresses.get(1), addresses);
    second.awaitSize(2);
    first.awaitSize(2);
    for (Socket client : clients) {
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      client.close();
    }
  }
}
