package io.loligo.server.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hops that a request would get now, and the parents that it would not. Immutable.
 *
 * @param hops in the order in which they would be asked
 * @param unused the other {@code cache_peer} lines, in the order of the configuration
 * @param failure why there is no hop although one is needed; else null
 */
public record RouteSurvey(List<Asked> hops, List<Unused> unused, @Nullable String failure) {
  /** No hop is needed. */
  public static final RouteSurvey NOWHERE = new RouteSurvey(List.of(), List.of(), null);

  /**
   * A hop.
   *
   * @param peer {@code name=} of the parent; null: the origin
   * @param code the code in the access log if it answers
   */
  public record Asked(@Nullable String peer, HierarchyCode code) {}

  /** A parent that is not asked. */
  public record Unused(String peer, Reason reason) {}

  /** Why a parent is not asked. */
  public enum Reason {
    /** {@code cache_peer_access}. */
    DENIED("denied by cache_peer_access"),
    /** A sibling, or a multicast group. */
    SIBLING("it gets requests only for responses that it says it has"),
    /** It gets tunnels to its own port only. */
    NO_TUNNEL("an originserver gets tunnels to its own port only"),
    /** It failed too often, or its checks fail. */
    DOWN("down"),
    /** {@code max-conn}. */
    FULL("max-conn is reached"),
    /** {@code http_access}. */
    ADDRESS_DENIED("http_access denies an address of the host"),
    /** {@code always_direct}, {@code nonhierarchical_direct} and the like. */
    ORIGIN_ONLY("this request goes to the origin only");

    private final String text;

    Reason(String text) {
      this.text = text;
    }

    /** In words. */
    public String text() {
      return text;
    }
  }
}
