package io.loligo.core.acl;

import java.util.Collection;

/**
 * Host names and whole domains. {@code .example.com} holds the domain and everything below it,
 * {@code example.com} only itself. Immutable; looking up allocates nothing: the host is hashed from
 * its end and the table probed at each dot.
 */
final class DomainSet {
  private static final int FACTOR = 31;

  private final String[] names;
  private final boolean[] withSubdomains;
  private final int mask;

  /** Values in lower case; a leading dot means the domain and all below it. */
  DomainSet(Collection<String> values) {
    int slots = Math.max(8, Integer.highestOneBit(values.size() * 2) << 1);
    names = new String[slots];
    withSubdomains = new boolean[slots];
    mask = slots - 1;
    for (String value : values) {
      boolean below = value.startsWith(".");
      String name = below ? value.substring(1) : value;
      int slot = spread(hash(name)) & mask;
      while (names[slot] != null && !names[slot].equals(name)) {
        slot = slot + 1 & mask;
      }
      names[slot] = name;
      withSubdomains[slot] |= below;
    }
  }

  /** Whether {@code host}, in lower case, is in the set. */
  boolean contains(String host) {
    int hash = 0;
    for (int at = host.length() - 1; at >= 0; at--) {
      hash = hash * FACTOR + host.charAt(at);
      if ((at == 0 || host.charAt(at - 1) == '.') && holds(host, at, hash)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the set has every host of {@code value}, in lower case: a name, or with a leading dot a
   * domain and everything below it.
   */
  boolean covers(String value) {
    // no name has this label: what holds for it holds for everything below the domain
    return value.startsWith(".")
        ? contains(value.substring(1)) && contains("\0" + value)
        : contains(value);
  }

  private boolean holds(String host, int from, int hash) {
    int length = host.length() - from;
    int slot = spread(hash) & mask;
    while (names[slot] != null) {
      String name = names[slot];
      if (name.length() == length
          && (from == 0 || withSubdomains[slot])
          && host.regionMatches(from, name, 0, length)) {
        return true;
      }
      slot = slot + 1 & mask;
    }
    return false;
  }

  private static int hash(String name) {
    int hash = 0;
    for (int at = name.length() - 1; at >= 0; at--) {
      hash = hash * FACTOR + name.charAt(at);
    }
    return hash;
  }

  private static int spread(int hash) {
    return hash ^ hash >>> 16;
  }
}
