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
   * The addresses to which the address {@code bytes}, of 4 or 16, leads besides itself, also
   * indirectly; most lead nowhere else, and nothing is allocated for them. The unspecified address
   * leads to this machine, because systems connect to it there.
   */
  public static List<byte[]> of(byte[] bytes) {
    if (bytes.length == 4) {
      return isZero(bytes) ? List.of(LOOPBACK_4) : List.of();
    }
    if (bytes.length != 16 || Arrays.equals(bytes, LOOPBACK_6)) {
      return List.of();
    }
    if (isZero(bytes)) {
      return List.of(LOOPBACK_6);
    }
    List<byte[]> byPrefix = byPrefix(bytes);
    if (!isIsatap(bytes)) {
      return byPrefix;
    }
    List<byte[]> all = new ArrayList<>(byPrefix);
    all.addAll(carried(bytes, 12, 13, 14, 15));
    return all;
  }

  private static List<byte[]> byPrefix(byte[] bytes) {
    if (startsWith(bytes, SIX_TO_FOUR)) {
      return carried(bytes, 2, 3, 4, 5);
    }
    if (startsWith(bytes, TEREDO)) {
      return carried(inverted(bytes), 12, 13, 14, 15);
    }
    if (startsWith(bytes, LOCAL_NAT64)) {
      return behindLocalPrefix(bytes);
    }
    for (byte[] prefix : PREFIXES) {
      if (startsWith(bytes, prefix)) {
        return carried(bytes, 12, 13, 14, 15);
      }
    }
    return List.of();
  }

  /** The network defines the length of its prefix, which is unknown here. */
  private static List<byte[]> behindLocalPrefix(byte[] bytes) {
    List<byte[]> all = new ArrayList<>();
    for (int[] places : BEHIND_SHORT_PREFIXES) {
      // 0.0.0.0/8 is not reachable: a value that begins so belongs to a longer prefix
      if (bytes[8] == 0 && bytes[places[0]] != 0) {
        all.addAll(carried(bytes, places));
      }
    }
    List<byte[]> last = carried(bytes, 12, 13, 14, 15);
    if (all.isEmpty() || !isZero(last.get(0))) {
      all.addAll(last); // otherwise these bytes are the suffix after a short prefix
    }
    return all;
  }

  private static List<byte[]> carried(byte[] bytes, int... places) {
    byte[] four = new byte[places.length];
    for (int i = 0; i < places.length; i++) {
      four[i] = bytes[places[i]];
    }
    return isZero(four) ? List.of(four, LOOPBACK_4) : List.of(four);
  }

  private static byte[] inverted(byte[] bytes) {
    byte[] inverted = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      inverted[i] = (byte) ~bytes[i];
    }
    return inverted;
  }

  /** RFC 5214 section 6.1: determined by the interface identifier, with any prefix. */
  private static boolean isIsatap(byte[] bytes) {
    return (bytes[8] & ~2) == 0 && bytes[9] == 0 && bytes[10] == 94 && bytes[11] == -2;
  }

  private static boolean startsWith(byte[] bytes, byte[] prefix) {
    for (int i = 0; i < prefix.length; i++) {
      if (bytes[i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }

  private static boolean isZero(byte[] bytes) {
    for (byte b : bytes) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }
}
