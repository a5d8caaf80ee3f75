package io.loligo.cluster.jgroups;

import io.loligo.cluster.discovery.AddressSource;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A node in a process of its own, on the first of the ports that it gets; ends when it is killed.
 */
final class NodeProcess {
  private NodeProcess() {}

  public static void main(String[] ports) throws Exception {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (String port : ports) {
      addresses.add(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port)));
    }
    AddressSource all =
        new AddressSource() {
          @Override
          public Set<InetSocketAddress> ask() {
            return new LinkedHashSet<>(addresses);
          }

          @Override
          public int fixed() {
            return addresses.size();
          }
        };
    new Node("other", addresses.get(0), all, null, JGroupsGroup.PROTOCOL).start();
    while (System.in.read() >= 0) {
      // until the parent ends
    }
    Runtime.getRuntime().halt(0);
  }
}
