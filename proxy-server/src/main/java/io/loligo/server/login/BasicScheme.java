package io.loligo.server.login;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The scheme Basic (RFC 7617): its challenge, and its credentials. Immutable; any thread. */
final class BasicScheme {
  /** Most bytes of user name and password: {@value}. */
  static final int MAX_BYTES = 1_024;

  private static final byte[] NAME = "basic".getBytes(StandardCharsets.ISO_8859_1);

  private final boolean caseSensitive;
  private final boolean utf8;
  private final String challenge;

  BasicScheme(BasicSettings settings) {
    caseSensitive = settings.caseSensitive();
    utf8 = settings.utf8();
    String realm = settings.realm().replace("\\", "\\\\").replace("\"", "\\\"");
    challenge = "Basic realm=\"" + realm + "\"" + (utf8 ? ", charset=\"UTF-8\"" : "");
  }

  /** The value of WWW-Authenticate or Proxy-Authenticate. */
  String challenge() {
    return challenge;
  }

  /**
   * The result of reading credentials.
   *
   * @param user the name, as far as there is one; for logs
   * @param credentials null: they are not valid
   */
  record Read(@Nullable String user, @Nullable Credentials credentials) {
    static final Read NOTHING = new Read(null, null);
  }

  /** Reads the field value {@code bytes[start, end)}; borrowed. */
  Read read(byte[] bytes, int start, int end) {
    int at = start + NAME.length;
    if (end <= at || !isName(bytes, start) || bytes[at] != ' ') {
      return Read.NOTHING;
    }
    while (at < end && bytes[at] == ' ') {
      at++;
    }
    byte[] clear = decoded(bytes, at, end);
    if (clear == null || clear.length > MAX_BYTES) {
      return Read.NOTHING;
    }
    return credentials(clear);
  }

  private static boolean isName(byte[] bytes, int start) {
    for (int i = 0; i < NAME.length; i++) {
      if ((bytes[start + i] | 0x20) != NAME[i]) {
        return false;
      }
    }
    return true;
  }

  private static byte @Nullable [] decoded(byte[] bytes, int start, int end) {
    if (end - start > 2 * MAX_BYTES) {
      return null;
    }
    try {
      return Base64.getDecoder().decode(Arrays.copyOfRange(bytes, start, end));
    } catch (IllegalArgumentException notBase64) {
      return null;
    }
  }

  private Read credentials(byte[] clear) {
    String text = new String(clear, StandardCharsets.ISO_8859_1);
    if (utf8 && !isUtf8(clear)) {
      // as elsewhere, each character is one byte, here of UTF-8
      text = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
    int colon = text.indexOf(':');
    String user = colon < 0 ? text : text.substring(0, colon);
    String password = colon < 0 ? "" : text.substring(colon + 1);
    if (user.isEmpty() || hasControls(user)) {
      return Read.NOTHING;
    }
    user = caseSensitive ? user : lower(user);
    boolean usable = !password.isEmpty() && !hasLineEnd(password);
    return new Read(user, usable ? new Credentials(user, password) : null);
  }

  static boolean isUtf8(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static boolean hasControls(String text) {
    return text.chars().anyMatch(c -> c < ' ' || c == 0x7f);
  }

  private static boolean hasLineEnd(String text) {
    return text.chars().anyMatch(c -> c == 0 || c == '\r' || c == '\n');
  }

  /** In ASCII only: other characters are bytes of an encoding that nobody knows. */
  private static String lower(String text) {
    char[] chars = text.toCharArray();
    for (int i = 0; i < chars.length; i++) {
      if (chars[i] >= 'A' && chars[i] <= 'Z') {
        chars[i] = (char) (chars[i] | 0x20);
      }
    }
    return new String(chars);
  }
}
