package io.loligo.server.shaping;

/**
 * An address as a key of buckets: all of IPv4, the first 64 bits of IPv6, of which a client chooses
 * the others. Immutable.
 */
public record AddressKey(boolean v6, long bits) {
  /** The key of {@code address}, 4 or 16 bytes. */
  public static AddressKey of(byte[] address) {
    return of(address, 64);
  }

  /** The same with the first {@code bits} bits only. */
  public static AddressKey of(byte[] address, int bits) {
    int bytes = Math.min(8, address.length);
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = value << 8 | (address[i] & 0xff);
    }
    int drop = Math.max(0, 8 * bytes - bits);
    long kept = drop >= 64 ? 0 : value >>> drop << drop;
    return new AddressKey(address.length == 16, kept);
  }
}
