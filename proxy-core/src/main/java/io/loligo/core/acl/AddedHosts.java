package io.loligo.core.acl;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hosts that operators have added to an ACL while the proxy runs. Thread-safe: any thread. A
 * test reads one field and allocates nothing; it compares with each host, so that they should be
 * some hundred at most.
 */
public final class AddedHosts implements Condition {
  private volatile List<AddedHost> hosts = List.of();

  AddedHosts() {}

  /** Takes {@code now} in the place of all hosts. */
  public void set(List<AddedHost> now) {
    hosts = List.copyOf(now);
  }

  @Override
  public int test(AclInput request, byte @Nullable [] destination) {
    List<AddedHost> present = hosts;
    for (int i = 0; i < present.size(); i++) {
      if (present.get(i).matches(request)) {
        return YES;
      }
    }
    return NO;
  }
}
