package io.loligo.core.acl;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether a name of the TLS server matches. Immutable; any thread.
 *
 * @param source the names that count
 * @param matches tests one name
 */
record ServerNameCondition(Source source, Predicate<String> matches) implements Condition {
  /** The names that count, as options of {@code ssl::server_name} have them. */
  enum Source {
    /** Those of the certificate if it is known, else the client's. */
    BEST,
    /** The one that the client asked for. */
    CLIENT_REQUESTED,
    /** Those of the certificate. */
    SERVER_PROVIDED,
    /** The client's, once the certificate has it too. */
    CONSENSUS;

    /** The source that {@code option} names; null: it names none. */
    static @Nullable Source of(String option) {
      return switch (option) {
        case "--client-requested" -> CLIENT_REQUESTED;
        case "--server-provided" -> SERVER_PROVIDED;
        case "--consensus" -> CONSENSUS;
        default -> null;
      };
    }
  }

  @Override
  public int test(AclInput request, byte @Nullable [] destination) {
    String requested = request.requestedServerName();
    List<String> certified = request.certifiedServerNames();
    return Condition.of(
        switch (source) {
          case BEST -> certified == null ? is(requested) : isAny(certified);
          case CLIENT_REQUESTED -> is(requested);
          case SERVER_PROVIDED -> certified != null && isAny(certified);
          case CONSENSUS -> certified != null && covers(certified, requested) && is(requested);
        });
  }

  /** As in Squid, a server without any name matches the value {@code none}. */
  private boolean is(String name) {
    return matches.test(name.isEmpty() ? "none" : name);
  }

  private boolean isAny(List<String> names) {
    for (String name : names) {
      if (is(name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean covers(List<String> certified, String requested) {
    int dot = requested.indexOf('.');
    String above = dot < 0 ? "" : "*" + requested.substring(dot);
    return certified.contains(requested) || certified.contains(above);
  }
}
