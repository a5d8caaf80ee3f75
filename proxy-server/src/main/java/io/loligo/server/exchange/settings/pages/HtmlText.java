package io.loligo.server.exchange.settings.pages;

/** Text in HTML. Stateless. */
public final class HtmlText {
  private HtmlText() {}

  /** {@code text} for the content of an element, and for an attribute in quotes. */
  public static String escaped(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '&' -> out.append("&amp;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        default -> out.append(c < ' ' ? ' ' : c);
      }
    }
    return out.toString();
  }
}
