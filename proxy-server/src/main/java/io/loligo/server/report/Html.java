package io.loligo.server.report;

/** Text of an HTML page. */
final class Html {
  private Html() {}

  /** {@code text} as the text of an element or attribute; control characters become marks. */
  static String text(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      switch (one) {
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '&' -> escaped.append("&amp;");
        case '"' -> escaped.append("&quot;");
        default -> escaped.append(one < ' ' || (one >= 0x7F && one < 0xA0) ? '\uFFFD' : one);
      }
    }
    return escaped.toString();
  }
}
