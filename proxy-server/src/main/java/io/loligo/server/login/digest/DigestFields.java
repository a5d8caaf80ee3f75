package io.loligo.server.login.digest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of a client (RFC 7616 section 3.4). Each character is one byte. Immutable.
 *
 * @param user not empty, without control characters and quotes
 * @param realm as the client repeats it
 * @param nonce as the client repeats it
 * @param uri as the client gives it
 * @param algorithm how {@code response} was made
 * @param response the hash, in lower case
 * @param cnonce not empty
 * @param nc eight hexadecimal digits
 */
public record DigestFields(
    String user,
    String realm,
    String nonce,
    String uri,
    DigestAlgorithm algorithm,
    String response,
    String cnonce,
    String nc) {
  /** The longest field value in bytes: {@value}. */
  public static final int MAX_BYTES = 8_192;

  private static final String EXTENDED = "utf-8'";

  /**
   * Reads the parameters behind the word Digest. Null: one is missing, given twice, malformed or
   * asks for something that no challenge offers.
   */
  public static @Nullable DigestFields read(String text) {
    Map<String, String> all = parameters(text);
    if (all == null) {
      return null;
    }
    String user = user(all);
    DigestAlgorithm algorithm = DigestAlgorithm.named(all.getOrDefault("algorithm", "MD5"));
    String response = all.getOrDefault("response", "").toLowerCase(Locale.ROOT);
    String cnonce = all.getOrDefault("cnonce", "");
    String nc = all.getOrDefault("nc", "");
    String uri = all.getOrDefault("uri", "");
    if (user == null || algorithm == null) {
      return null;
    }
    boolean complete =
        isHex(response, algorithm.digits())
            && isHex(nc, 8)
            && !cnonce.isEmpty()
            && !uri.isEmpty()
            && all.getOrDefault("qop", "").equalsIgnoreCase("auth")
            && !all.getOrDefault("userhash", "false").equalsIgnoreCase("true");
    String realm = all.getOrDefault("realm", "");
    String nonce = all.getOrDefault("nonce", "");
    return complete
        ? new DigestFields(user, realm, nonce, uri, algorithm, response, cnonce, nc)
        : null;
  }

  /** The user in the parameters {@code text}, for logs; null: there is none. */
  public static @Nullable String userIn(String text) {
    Map<String, String> all = parameters(text);
    return all == null ? null : user(all);
  }

  private static @Nullable String user(Map<String, String> all) {
    String plain = all.get("username");
    String extended = all.get("username*");
    if (plain != null && extended != null) {
      return null;
    }
    String user = extended == null ? plain : decoded(extended);
    boolean usable =
        user != null
            && !user.isEmpty()
            && user.chars().noneMatch(c -> c < ' ' || c == 0x7f || c == '"');
    return usable ? user : null;
  }

  /** The bytes of an extended value (RFC 8187), which must be UTF-8; null: it is malformed. */
  private static @Nullable String decoded(String text) {
    int language = text.indexOf('\'', EXTENDED.length());
    if (language < 0 || !text.regionMatches(true, 0, EXTENDED, 0, EXTENDED.length())) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = language + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        if (i + 2 >= text.length() || !isHex(text.substring(i + 1, i + 3), 2)) {
          return null;
        }
        bytes.write(Integer.parseInt(text, i + 1, i + 3, 16));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toString(ISO_8859_1);
  }

  private static boolean isHex(String text, int digits) {
    return text.length() == digits && text.chars().allMatch(c -> Character.digit(c, 16) >= 0);
  }

  /** Parameters by their names in lower case; null: they are malformed. */
  private static @Nullable Map<String, String> parameters(String text) {
    Map<String, String> all = new HashMap<>();
    int at = 0;
    while (true) {
      while (at < text.length() && (isBlank(text.charAt(at)) || text.charAt(at) == ',')) {
        at++;
      }
      if (at == text.length()) {
        return all;
      }
      int equals = text.indexOf('=', at);
      if (equals < 0) {
        return null;
      }
      String name = text.substring(at, equals).strip().toLowerCase(Locale.ROOT);
      at = equals + 1;
      while (at < text.length() && isBlank(text.charAt(at))) {
        at++;
      }
      StringBuilder value = new StringBuilder();
      at = value(text, at, value);
      if (at < 0 || name.isEmpty() || all.putIfAbsent(name, value.toString()) != null) {
        return null;
      }
    }
  }

  /** Reads one value; the place of the comma behind it, or the end; -1: it is malformed. */
  private static int value(String text, int start, StringBuilder value) {
    int at = start;
    if (at < text.length() && text.charAt(at) == '"') {
      for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
        if (text.charAt(at) == '\\' && at + 1 < text.length()) {
          at++;
        }
        value.append(text.charAt(at));
      }
      if (at == text.length()) {
        return -1;
      }
      at++;
    } else {
      while (at < text.length() && text.charAt(at) != ',' && !isBlank(text.charAt(at))) {
        value.append(text.charAt(at));
        at++;
      }
    }
    while (at < text.length() && isBlank(text.charAt(at))) {
      at++;
    }
    return at == text.length() || text.charAt(at) == ',' ? at : -1;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  /** The count of the nonce. */
  public long count() {
    return Long.parseLong(nc, 16);
  }

  /**
   * Whether the response is the one of a user with {@code ha1} (RFC 7616 section 3.4.1). Takes the
   * same time for every response.
   *
   * @param ha1 in lower case, made with {@link #algorithm}
   */
  public boolean answers(String ha1, String method) {
    String right =
        algorithm.hex(
            String.join(":", ha1, nonce, nc, cnonce, "auth", algorithm.hex(method + ":" + uri)));
    return MessageDigest.isEqual(right.getBytes(ISO_8859_1), response.getBytes(ISO_8859_1));
  }

  /** The user only. */
  @Override
  public String toString() {
    return "DigestFields[" + user + "]";
  }
}
