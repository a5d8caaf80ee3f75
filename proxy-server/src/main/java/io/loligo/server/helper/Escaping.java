package io.loligo.server.helper;

/** The percent-encoding of words in questions (RFC 1738 section 2.2). Stateless; any thread. */
public final class Escaping {
  private static final String UNSAFE = "<>\"#%{}|\\^~[]`'";

  private Escaping() {}

  /**
   * The text that {@code word} of a question stands for: {@code %XX} is one byte, {@code %%} one
   * percent sign, {@code %00} stays.
   */
  public static String plain(String word) {
    return HelperReply.unescape(word);
  }

  /** A pair of an answer, with quotes around {@code value}. */
  public static String pair(String key, String value) {
    return key + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /**
   * {@code text} as one word: blanks, control bytes, bytes from 0x7F on and unsafe characters are
   * {@code %XX}, percent signs included.
   *
   * @param text each character is one byte
   */
  public static String word(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || UNSAFE.indexOf(c) >= 0) {
        escaped.append(String.format("%%%02X", (int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }
}
