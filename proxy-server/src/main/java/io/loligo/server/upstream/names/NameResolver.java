package io.loligo.server.upstream.names;

import io.loligo.core.acl.AclInput;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds addresses of hosts, and names of addresses, without blocking. One per event loop; confined
 * to it.
 */
public interface NameResolver {
  /** Told the result of a resolution. */
  interface Listener {
    /**
     * Called once on the event loop.
     *
     * @param addresses empty if the name has none or could not be resolved
     * @param failure why it is empty, for the operator; null if it is not
     */
    void resolved(List<InetAddress> addresses, @Nullable String failure);
  }

  /**
   * Addresses known without a query (literal, hosts file, cache), empty if the name is known to
   * have none; null if {@link #resolve} must be called.
   *
   * @param host without brackets, lower case
   */
  @Nullable List<InetAddress> known(String host);

  /** Resolves; {@code listener} may be called before this returns. */
  void resolve(String host, Listener listener);

  /**
   * The name of an address as far as it is known without a query (hosts file, cache), in lower
   * case; {@link AclInput#NO_NAME} if it is known to have none; null if {@link #findName} must be
   * called.
   *
   * @param address without brackets
   */
  default @Nullable String knownName(String address) {
    return AclInput.NO_NAME;
  }

  /**
   * Looks up the name of an address; {@code done} is called once on the event loop, perhaps before
   * this returns, with {@link AclInput#NO_NAME} if there is none.
   */
  default void findName(String address, Consumer<String> done) {
    done.accept(AclInput.NO_NAME);
  }
}
