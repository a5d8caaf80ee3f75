package io.loligo.core.acl;

import java.util.Arrays;

/**
 * Other addresses that an address leads to. A rule against an IPv4 address must hold for IPv6
 * addresses that carry it, too: what stands behind a translator or a relay is the IPv4 host.
 * Stateless.
 *
 * <p>IPv4-mapped addresses are none of these: they are the IPv4 address everywhere.
 */
public final class Aliases {
  private static final byte[] LOOPBACK_4 = {127, 0, 0, 1};
  private static final byte[] LOOPBACK_6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  // first octets of what carries an IPv4 address in its last four
  private static final byte[][] PREFIXES = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, // IPv4-compatible, RFC 4291 section 2.5.5.1
    {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0}, // IPv4-translated, RFC 2765 section 2.1
    {0, 100, -1, -101, 0, 0, 0, 0, 0, 0, 0, 0}, // NAT64, RFC 6052 section 2.1
    {0, 100, -1, -101, 0, 1}, // NAT64 within a network, RFC 8215
  };
  private static final byte[] SIX_TO_FOUR = {32, 2}; // RFC 3056 section 2

  private Aliases() {}

  /**
   * The address that {@code octets}, 4 or 16 of them, leads to besides itself, or null. The
   * unspecified address leads to this machine, for that is where systems connect to.
   */
  public static byte[] of(byte[] octets) {
    if (octets.length == 4) {
      return isZero(octets) ? LOOPBACK_4 : null;
    }
    if (octets.length != 16) {
      return null;
    }
    if (isZero(octets)) {
      return LOOPBACK_6;
    }
    if (startsWith(octets, SIX_TO_FOUR)) {
      return four(octets, SIX_TO_FOUR.length);
    }
    for (byte[] prefix : PREFIXES) {
      if (startsWith(octets, prefix) && !isLoopback(octets)) {
        return four(octets, 12);
      }
    }
    return null;
  }

  private static boolean isLoopback(byte[] octets) {
    return Arrays.equals(octets, LOOPBACK_6);
  }

  private static byte[] four(byte[] octets, int from) {
    return new byte[] {octets[from], octets[from + 1], octets[from + 2], octets[from + 3]};
  }

  private static boolean startsWith(byte[] octets, byte[] prefix) {
    for (int i = 0; i < prefix.length; i++) {
      if (octets[i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }

  private static boolean isZero(byte[] octets) {
    for (byte octet : octets) {
      if (octet != 0) {
        return false;
      }
    }
    return true;
  }
}
