package io.loligo.core.acl;

import io.loligo.core.message.IpText;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The host of the URL, or the name that DNS has for a host given as an address. Immutable.
 *
 * @param names the hosts that match
 * @param looksUp whether an address that does not match itself is looked up
 */
record HostCondition(Predicate<String> names, boolean looksUp) implements Condition {
  @Override
  public int test(AclInput request, byte @Nullable [] destination) {
    String host = request.host();
    if (names.test(host)) {
      return YES;
    }
    if (!looksUp || !isAddress(host)) {
      return NO;
    }
    String name = request.destinationName();
    return name == null ? NEEDS_NAME : Condition.of(names.test(name));
  }

  private static boolean isAddress(String host) {
    return !host.isEmpty()
        && (host.indexOf(':') >= 0 || Character.isDigit(host.charAt(0)))
        && IpText.parse(host) != null;
  }
}
