package io.loligo.server.admin;

/** Text in JSON syntax (RFC 8259). Stateless. */
public final class JsonText {
  private JsonText() {}

  /** A new string: {@code text} in quotes. */
  public static String quoted(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
