package io.loligo.core.message;

import java.util.Arrays;

/**
 * Strings of recent hosts, so that a repeated one costs no allocation: one slot per hash, the
 * newest stays. Confined to one thread.
 */
final class HostNames {
  private static final int SLOTS = 64;

  private final byte[][] spelled = new byte[SLOTS][];
  private final String[] names = new String[SLOTS];

  /**
   * The host in {@code bytes[start, end)}, valid by {@link Authority}: in lower case, without
   * brackets and trailing dot, addresses as {@link IpText#normal} writes them.
   */
  String of(byte[] bytes, int start, int end) {
    int hash = 0;
    for (int i = start; i < end; i++) {
      hash = hash * 31 + bytes[i];
    }
    int slot = (hash ^ hash >>> 16) & SLOTS - 1;
    byte[] seen = spelled[slot];
    if (seen == null || !Arrays.equals(seen, 0, seen.length, bytes, start, end)) {
      spelled[slot] = Arrays.copyOfRange(bytes, start, end);
      names[slot] = normal(spelled[slot]);
    }
    return names[slot];
  }

  @SuppressWarnings("deprecation") // String(byte[], int, int, int): Latin-1 without a decoder
  private static String normal(byte[] spelled) {
    byte[] lower = spelled.clone();
    for (int i = 0; i < lower.length; i++) {
      lower[i] = Ascii.lower(lower[i]);
    }
    boolean literal = lower[0] == '[';
    int start = literal ? 1 : 0;
    boolean cut = literal || lower[lower.length - 1] == '.';
    String name = new String(lower, 0, start, lower.length - start - (cut ? 1 : 0));
    return literal ? IpText.normal(name) : name;
  }
}
