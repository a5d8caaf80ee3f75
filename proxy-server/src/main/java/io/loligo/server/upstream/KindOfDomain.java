package io.loligo.server.upstream;

/**
 * One domain of a {@code neighbor_type_domain} line. Immutable.
 *
 * @param kind parent or sibling
 * @param name in lower case; with a leading dot, the domain and all names below it
 */
record KindOfDomain(PeerKind kind, String name) {
  /** Whether {@code host}, in lower case, is in the domain. */
  boolean has(String host) {
    return name.startsWith(".")
        ? host.endsWith(name) || host.equals(name.substring(1))
        : host.equals(name);
  }
}
