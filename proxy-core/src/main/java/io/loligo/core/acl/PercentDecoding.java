package io.loligo.core.acl;

import java.util.HexFormat;

/**
 * Percent-decoding as in Squid, applied before expressions are searched in URLs: {@code %61dmin} is
 * a spelling of {@code admin} (RFC 3986 section 2.1), and a rule against the one holds for the
 * other. {@code %00} stays as it is, {@code %%} is one {@code %}, and nothing is decoded twice.
 * Stateless.
 */
public final class PercentDecoding {
  private PercentDecoding() {}

  /** {@code text} decoded, byte by byte; itself if nothing is encoded. */
  public static String of(String text) {
    int percent = text.indexOf('%');
    if (percent < 0) {
      return text;
    }
    StringBuilder decoded = new StringBuilder(text.length()).append(text, 0, percent);
    for (int at = percent; at < text.length(); at++) {
      char c = text.charAt(at);
      int value = c == '%' ? encoded(text, at + 1) : -1;
      if (value > 0) {
        decoded.append((char) value);
        at += 2;
      } else {
        decoded.append(c);
        at += c == '%' && at + 1 < text.length() && text.charAt(at + 1) == '%' ? 1 : 0;
      }
    }
    return decoded.toString();
  }

  /** The byte of two hexadecimal digits, or -1. */
  private static int encoded(String text, int at) {
    boolean encoded =
        at + 1 < text.length()
            && HexFormat.isHexDigit(text.charAt(at))
            && HexFormat.isHexDigit(text.charAt(at + 1));
    return encoded ? HexFormat.fromHexDigits(text, at, at + 2) : -1;
  }
}
