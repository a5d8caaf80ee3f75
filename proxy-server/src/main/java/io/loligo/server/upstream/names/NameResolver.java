package io.loligo.server.upstream.names;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds addresses of hosts without blocking. One per event loop; confined to it. */
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
}
