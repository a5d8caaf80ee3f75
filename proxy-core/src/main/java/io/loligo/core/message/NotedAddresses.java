package io.loligo.core.message;

import org.jspecify.annotations.Nullable;

/**
 * The addresses that proxies have noted in X-Forwarded-For or in Forwarded (RFC 7239), from the
 * last to the first. Each proxy notes the address from which it received the request. Confined to
 * one thread.
 *
 * <p>The text is read from its end. A client determines the beginning, which therefore cannot
 * change the meaning of the members that proxies have added.
 */
public final class NotedAddresses {
  /** The fields in which proxies note addresses. */
  public enum Field {
    /** A list of addresses. */
    X_FORWARDED_FOR("X-Forwarded-For"),
    /** A list of elements with parameters, RFC 7239. */
    FORWARDED("Forwarded");

    private final String fieldName;

    Field(String fieldName) {
      this.fieldName = fieldName;
    }

    /** The name of the field. */
    public String fieldName() {
      return fieldName;
    }
  }

  private final Field field;
  private final String text;

  /** The end of the members that were not read yet. */
  private int end;

  private NotedAddresses(Field field, String text) {
    this.field = field;
    this.text = text;
    this.end = text.length();
  }

  /** The addresses in {@code field} of {@code fields}; null if the field is missing. */
  public static @Nullable NotedAddresses in(Fields fields, Field field) {
    String text = fields.joined(field.fieldName());
    return text == null ? null : new NotedAddresses(field, text);
  }

  /**
   * The next address towards the client, as 4 or 16 bytes; IPv4-mapped IPv6 as 4. Null at the
   * begin, and if the next member has no valid address, such as {@code unknown}.
   */
  public byte @Nullable [] next() {
    boolean list = field == Field.X_FORWARDED_FOR;
    while (end > 0 && isSeparator(text.charAt(end - 1))) {
      end--;
    }
    int start = list ? listStart() : elementStart();
    String member = text.substring(start, end);
    end = start;
    String address = list ? member : node(member);
    return address == null ? null : IpText.parse(address);
  }

  private static boolean isSeparator(char c) {
    return c == ',' || Ascii.isBlank(c);
  }

  /** The start of the last member. A blank separates members too, as in Squid. */
  private int listStart() {
    int start = end;
    while (start > 0 && !isSeparator(text.charAt(start - 1))) {
      start--;
    }
    return start;
  }

  /** The start of the last element: behind the last comma outside of quotes. */
  private int elementStart() {
    boolean quoted = false;
    int start = end;
    while (start > 0 && (quoted || text.charAt(start - 1) != ',')) {
      start--;
      if (text.charAt(start) == '"' && !isEscaped(start)) {
        quoted = !quoted;
      }
    }
    return start;
  }

  private boolean isEscaped(int at) {
    int first = at;
    while (first > 0 && text.charAt(first - 1) == '\\') {
      first--;
    }
    return (at - first) % 2 == 1;
  }

  /** The address in {@code for=} of {@code element}, without port; null if there is none. */
  private static @Nullable String node(String element) {
    ForwardedElement pairs = new ForwardedElement(element);
    String node = pairs.value("for");
    return node == null ? null : withoutPort(node);
  }

  /** RFC 7239 section 6: an IPv6 address has brackets. */
  private static @Nullable String withoutPort(String node) {
    boolean brackets = node.startsWith("[");
    int close = brackets ? node.indexOf(']') : node.indexOf(':') - 1;
    if (brackets && close < 0) {
      return null;
    }
    int last = close < 0 ? node.length() : close + 1;
    if (last < node.length() && !isPort(node, last)) {
      return null;
    }
    if (!brackets) {
      return node.substring(0, last);
    }
    String inside = node.substring(1, close);
    return inside.indexOf(':') < 0 ? null : inside;
  }

  private static boolean isPort(String node, int colon) {
    boolean hidden = node.startsWith(":_", colon);
    int from = colon + (hidden ? 2 : 1);
    if (node.charAt(colon) != ':' || from == node.length()) {
      return false;
    }
    for (int i = from; i < node.length(); i++) {
      char c = node.charAt(i);
      boolean fits = hidden ? Ascii.isToken(c) : Ascii.isDigit(c) && i - from < 5;
      if (!fits) {
        return false;
      }
    }
    return true;
  }
}
