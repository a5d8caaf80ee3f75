package io.loligo.server.wire;

import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.server.cluster.Cluster;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jgroups.JChannel;
import org.jgroups.protocols.DISCARD;
import org.jgroups.stack.ProtocolStack;

/**
 * Main class of a proxy whose messages to and from the other nodes of its cluster are lost from the
 * line {@code cut} of its standard input on, until {@code heal}.
 */
final class PartedNode {
  private final Cluster cluster;
  private DISCARD discard;

  private PartedNode(Cluster cluster) {
    this.cluster = cluster;
  }

  /** {@code FILE PROTOCOL}: the configuration, and the version that the node says it speaks. */
  public static void main(String[] arguments) throws Exception {
    ProxyUnderTest proxy = ProxyUnderTest.start(Files.readString(Path.of(arguments[0])));
    PartedNode node = new PartedNode(proxy.cluster());
    node.speak(Integer.parseInt(arguments[1]));
    Runtime.getRuntime().addShutdownHook(new Thread(proxy::close));
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      node.discard(line.equals("cut"));
    }
    System.exit(0);
  }

  /** Is a member that says so, from before it finds another one. */
  private void speak(int protocol) throws Exception {
    Member self = cluster.self();
    Member told =
        new Member(
            self.id(),
            self.name(),
            self.address(),
            self.bodies(),
            self.weight(),
            self.draining(),
            protocol);
    Field announced = Cluster.class.getDeclaredField("self");
    announced.setAccessible(true);
    announced.set(cluster, told);
    Group group = (Group) group();
    cluster.steps().execute(() -> group.announce(told));
  }

  private void discard(boolean all) throws Exception {
    if (discard == null) {
      Method channel = group().getClass().getDeclaredMethod("channel");
      channel.setAccessible(true);
      ProtocolStack stack = ((JChannel) channel.invoke(group())).getProtocolStack();
      discard = new DISCARD();
      stack.insertProtocol(discard, ProtocolStack.Position.ABOVE, stack.getTransport().getClass());
    }
    discard.discardAll(all);
  }

  /** The engine, which no part of the proxy gives away. */
  private Object group() throws Exception {
    Field group = Cluster.class.getDeclaredField("group");
    group.setAccessible(true);
    return group.get(cluster);
  }
}
