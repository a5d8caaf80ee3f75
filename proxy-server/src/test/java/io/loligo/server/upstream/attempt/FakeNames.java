package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.names.NameResolver;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Names a test knows; others wait until {@link #answer}. */
final class FakeNames implements NameResolver {
  private final Map<String, List<InetAddress>> known = new HashMap<>();
  private final Map<String, List<Listener>> waiting = new HashMap<>();

  void knows(String host, String... literals) {
    known.put(host, addresses(literals));
  }

  void answer(String host, String... literals) {
    List<InetAddress> found = addresses(literals);
    for (Listener listener : waiting.remove(host)) {
      listener.resolved(found, found.isEmpty() ? host + ": no such name" : null);
    }
  }

  @Override
  public List<InetAddress> known(String host) {
    return known.get(host);
  }

  @Override
  public void resolve(String host, Listener listener) {
    waiting.computeIfAbsent(host, key -> new ArrayList<>()).add(listener);
  }

  private static List<InetAddress> addresses(String... literals) {
    List<InetAddress> addresses = new ArrayList<>();
    for (String literal : literals) {
      try {
        addresses.add(
            InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(literal)));
      } catch (UnknownHostException e) {
        throw new AssertionError(e);
      }
    }
    return addresses;
  }
}
