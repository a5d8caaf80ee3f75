package io.loligo.server.ldap;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Values in filters (RFC 4515 section 3) and distinguished names (RFC 4514 section 2.4). Stateless;
 * any thread. Each character of a value is one byte. Bytes that are no text become hex pairs, so
 * that the directory gets exactly the bytes of the client.
 */
final class LdapText {
  private LdapText() {}

  /** {@code value} in a filter: it is never a wildcard, and ends no parenthesis. */
  static String inFilter(String value) {
    return escaped(value, "*()\\", false);
  }

  /** {@code value} in a distinguished name: it is never a second attribute. */
  static String inName(String value) {
    return escaped(value, ",+\"\\<>;=#", encoded(decoded(value)).equals(value));
  }

  /** The text whose UTF-8 the bytes of {@code text} are. */
  static String decoded(String text) {
    return new String(text.getBytes(ISO_8859_1), UTF_8);
  }

  /** The bytes of {@code text} in UTF-8, each one a character. */
  static String encoded(String text) {
    return new String(text.getBytes(UTF_8), ISO_8859_1);
  }

  private static String escaped(String value, String special, boolean isUtf8) {
    StringBuilder text = new StringBuilder(value.length() + 8);
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c == 0x7f || (c > 0x7f && !isUtf8) || special.indexOf(c) >= 0) {
        text.append('\\').append(Character.forDigit(c >> 4 & 15, 16));
        text.append(Character.forDigit(c & 15, 16));
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  /**
   * Whether {@code user} may be a name, as Squid has it: directories ignore blanks that others do
   * not, so there are none at its ends, and only single ones in it.
   */
  static boolean isUserName(String user) {
    boolean blank = true;
    for (int i = 0; i < user.length(); i++) {
      char c = user.charAt(i);
      boolean now = c == ' ' || (c >= '\t' && c <= '\r');
      if (now && (blank || c != ' ')) {
        return false;
      }
      blank = now;
    }
    return !blank;
  }
}
