package io.loligo.core.caching;

/**
 * What of its content an incomplete stored response has (RFC 9111 section 3.3): one piece.
 * Immutable.
 *
 * @param first offset of its first octet
 * @param end offset behind its last octet, beyond {@code first}
 */
public record ContentPart(long first, long end) {
  /** Octets in it. */
  public long length() {
    return end - first;
  }

  /** Whether all octets from {@code from} to {@code last} are in it. */
  public boolean holds(long from, long last) {
    return from >= first && last < end;
  }
}
