package io.loligo.core.acl;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Other addresses to which an address leads. A rule against an IPv4 address must also hold for IPv6
 * addresses that carry it: a translator or a relay forwards them to the IPv4 host. Stateless.
 *
 * <p>IPv4-mapped addresses are not among these: they are the IPv4 address everywhere.
 */
public final class Aliases {
  private static final byte[] LOOPBACK_4 = {127, 0, 0, 1};
  private static final byte[] LOOPBACK_6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  // first bytes of addresses that carry an IPv4 address in their last four
  private static final byte[][] PREFIXES = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, // IPv4-compatible, RFC 4291 section 2.5.5.1
    {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0}, // IPv4-translated, RFC 2765 section 2.1
    {0, 100, -1, -101, 0, 0, 0, 0, 0, 0, 0, 0}, // NAT64, RFC 6052 section 2.1
  };
  private static final byte[] SIX_TO_FOUR = {32, 2}; // RFC 3056 section 2
  private static final byte[] TEREDO = {32, 1, 0, 0}; // RFC 4380 section 4
  private static final byte[] LOCAL_NAT64 = {0, 100, -1, -101, 0, 1}; // RFC 8215

  /**
   * The position of the IPv4 address after prefixes of 48, 56 and 64 bits in RFC 6052 section 2.2.
   */
  private static final int[][] BEHIND_SHORT_PREFIXES = {
    {6, 7, 9, 10}, {7, 9, 10, 11}, {9, 10, 11, 12}
  };

  private Aliases() {}

  /**
   * The addresses to which {@code octets}, 4 or 16 of them, leads besides itself, also indirectly;
   * most lead nowhere else, and nothing is allocated for them. The unspecified address leads to
   * this machine, because systems connect to it there.
   */
  public static List<byte[]> of(byte[] octets) {
    if (octets.length == 4) {
      return isZero(octets) ? List.of(LOOPBACK_4) : List.of();
    }
    if (octets.length != 16 || Arrays.equals(octets, LOOPBACK_6)) {
      return List.of();
    }
    if (isZero(octets)) {
      return List.of(LOOPBACK_6);
    }
    List<byte[]> byPrefix = byPrefix(octets);
    if (!isIsatap(octets)) {
      return byPrefix;
    }
    List<byte[]> all = new ArrayList<>(byPrefix);
    all.addAll(carried(octets, 12, 13, 14, 15));
    return all;
  }

  private static List<byte[]> byPrefix(byte[] octets) {
    if (startsWith(octets, SIX_TO_FOUR)) {
      return carried(octets, 2, 3, 4, 5);
    }
    if (startsWith(octets, TEREDO)) {
      return carried(inverted(octets), 12, 13, 14, 15);
    }
    if (startsWith(octets, LOCAL_NAT64)) {
      return behindLocalPrefix(octets);
    }
    for (byte[] prefix : PREFIXES) {
      if (startsWith(octets, prefix)) {
        return carried(octets, 12, 13, 14, 15);
      }
    }
    return List.of();
  }

  /** The network defines the length of its prefix, which is unknown here. */
  private static List<byte[]> behindLocalPrefix(byte[] octets) {
    List<byte[]> all = new ArrayList<>();
    for (int[] places : BEHIND_SHORT_PREFIXES) {
      // 0.0.0.0/8 is not reachable: a value that begins so belongs to a longer prefix
      if (octets[8] == 0 && octets[places[0]] != 0) {
        all.addAll(carried(octets, places));
      }
    }
    List<byte[]> last = carried(octets, 12, 13, 14, 15);
    if (all.isEmpty() || !isZero(last.get(0))) {
      all.addAll(last); // otherwise these bytes are the suffix after a short prefix
    }
    return all;
  }

  private static List<byte[]> carried(byte[] octets, int... places) {
    byte[] four = new byte[places.length];
    for (int i = 0; i < places.length; i++) {
      four[i] = octets[places[i]];
    }
    return isZero(four) ? List.of(four, LOOPBACK_4) : List.of(four);
  }

  private static byte[] inverted(byte[] octets) {
    byte[] inverted = new byte[octets.length];
    for (int i = 0; i < octets.length; i++) {
      inverted[i] = (byte) ~octets[i];
    }
    return inverted;
  }

  /** RFC 5214 section 6.1: determined by the interface identifier, with any prefix. */
  private static boolean isIsatap(byte[] octets) {
    return (octets[8] & ~2) == 0 && octets[9] == 0 && octets[10] == 94 && octets[11] == -2;
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
