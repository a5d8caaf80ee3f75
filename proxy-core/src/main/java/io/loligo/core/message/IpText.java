package io.loligo.core.message;

import org.jspecify.annotations.Nullable;

/** Reads and writes textual IP addresses without network access. Stateless. */
public final class IpText {
  private static final int GROUPS = 8;

  private IpText() {}

  /**
   * The 4 or 16 bytes of {@code text}, IPv4-mapped IPv6 as 4, or null if it is not an address.
   * Dotted IPv4 needs all four parts; IPv6 follows RFC 4291 section 2.2, without zone or brackets.
   */
  public static byte @Nullable [] parse(String text) {
    if (text.indexOf(':') >= 0) {
      byte[] bytes = v6(text);
      return bytes == null ? null : unmapped(bytes);
    }
    return v4(text, 0);
  }

  /**
   * {@code text} in the form that all spellings of the address share: IPv6 as in RFC 5952 section
   * 4, IPv4-mapped as IPv4; itself if it is not an address.
   */
  public static String normal(String text) {
    byte[] bytes = parse(text);
    return bytes == null ? text : text(bytes);
  }

  /** The text of 4 or 16 {@code bytes}, IPv6 as in RFC 5952 section 4. */
  public static String text(byte[] bytes) {
    return bytes.length == 4 ? dotted(bytes) : grouped(bytes);
  }

  private static String dotted(byte[] bytes) {
    return (bytes[0] & 0xff)
        + "."
        + (bytes[1] & 0xff)
        + "."
        + (bytes[2] & 0xff)
        + "."
        + (bytes[3] & 0xff);
  }

  private static String grouped(byte[] bytes) {
    int gap = longestGap(bytes);
    int gapEnd = gap + zeros(bytes, gap);
    StringBuilder text = new StringBuilder(40);
    for (int i = 0; i < GROUPS; i++) {
      if (i == gap && gapEnd > gap) {
        text.append("::");
        i = gapEnd - 1;
      } else {
        text.append(i == 0 || i == gapEnd ? "" : ":").append(Integer.toHexString(group(bytes, i)));
      }
    }
    return text.toString();
  }

  /** The start of the longest run of 0 groups, the first of several; 8: no run of two or more. */
  private static int longestGap(byte[] bytes) {
    int gap = GROUPS;
    int longest = 1;
    for (int i = 0; i < GROUPS; i++) {
      int zeros = zeros(bytes, i);
      if (zeros > longest) {
        longest = zeros;
        gap = i;
      }
    }
    return gap;
  }

  private static int zeros(byte[] bytes, int from) {
    int to = from;
    while (to < GROUPS && group(bytes, to) == 0) {
      to++;
    }
    return to - from;
  }

  private static int group(byte[] bytes, int i) {
    return (bytes[i * 2] & 0xff) << 8 | (bytes[i * 2 + 1] & 0xff);
  }

  /** IPv4-mapped IPv6 as its 4 bytes, anything else unchanged. */
  public static byte[] unmapped(byte[] bytes) {
    if (bytes.length != 16 || bytes[10] != -1 || bytes[11] != -1) {
      return bytes;
    }
    for (int i = 0; i < 10; i++) {
      if (bytes[i] != 0) {
        return bytes;
      }
    }
    return new byte[] {bytes[12], bytes[13], bytes[14], bytes[15]};
  }

  private static byte @Nullable [] v4(String text, int from) {
    byte[] bytes = new byte[4];
    int at = from;
    for (int part = 0; part < 4; part++) {
      int start = at;
      int value = 0;
      while (at < text.length() && Ascii.isDigit(text.charAt(at)) && at - start < 3) {
        value = value * 10 + text.charAt(at++) - '0';
      }
      boolean separated =
          part == 3 ? at == text.length() : at < text.length() && text.charAt(at++) == '.';
      if (at == start || value > 255 || !separated || !Ascii.isDigit(text.charAt(start))) {
        return null;
      }
      bytes[part] = (byte) value;
    }
    return bytes;
  }

  private static byte @Nullable [] v6(String text) {
    int gap = text.indexOf("::");
    if (gap < 0) {
      int[] all = groups(text);
      return all == null || all.length != GROUPS ? null : bytes(all, new int[0]);
    }
    if (text.indexOf("::", gap + 1) >= 0) {
      return null;
    }
    int[] head = groups(text.substring(0, gap));
    int[] tail = groups(text.substring(gap + 2));
    if (head == null || tail == null || head.length + tail.length >= GROUPS) {
      return null;
    }
    return bytes(head, tail);
  }

  private static int @Nullable [] groups(String text) {
    if (text.isEmpty()) {
      return new int[0];
    }
    String[] parts = text.split(":", -1);
    boolean dotted = parts[parts.length - 1].indexOf('.') >= 0;
    int[] groups = new int[parts.length + (dotted ? 1 : 0)];
    if (groups.length > GROUPS) {
      return null;
    }
    for (int i = 0; i < parts.length - (dotted ? 1 : 0); i++) {
      groups[i] = group(parts[i]);
      if (groups[i] < 0) {
        return null;
      }
    }
    if (dotted) {
      byte[] last = v4(parts[parts.length - 1], 0);
      if (last == null) {
        return null;
      }
      groups[groups.length - 2] = (last[0] & 0xff) << 8 | (last[1] & 0xff);
      groups[groups.length - 1] = (last[2] & 0xff) << 8 | (last[3] & 0xff);
    }
    return groups;
  }

  private static int group(String text) {
    if (text.isEmpty() || text.length() > 4) {
      return -1;
    }
    int value = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = Character.digit(text.charAt(i), 16);
      if (digit < 0) {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static byte[] bytes(int[] head, int[] tail) {
    byte[] bytes = new byte[16];
    for (int i = 0; i < head.length; i++) {
      put(bytes, i, head[i]);
    }
    for (int i = 0; i < tail.length; i++) {
      put(bytes, GROUPS - tail.length + i, tail[i]);
    }
    return bytes;
  }

  private static void put(byte[] bytes, int group, int value) {
    bytes[group * 2] = (byte) (value >> 8);
    bytes[group * 2 + 1] = (byte) value;
  }
}
