package io.loligo.server.adapt;

import io.loligo.core.message.Decimal;

/**
 * The extension use-original-body=N of a last chunk: the content from byte N of the original on
 * follows (draft-icap-ext-partial-content section 4). Stateless.
 */
final class OriginalBody {
  /** No such extension. */
  static final long NONE = -1;

  /** One that is no number, or two of them. */
  static final long MALFORMED = -2;

  private static final String NAME = "use-original-body";

  private OriginalBody() {}

  /** N in {@code extensions}, which are well-formed; {@link #NONE} or {@link #MALFORMED}. */
  static long from(String extensions) {
    long from = NONE;
    int start = 0;
    while (start < extensions.length()) {
      int end = end(extensions, start);
      String one = extensions.substring(start, end);
      int equals = one.indexOf('=');
      String name = (equals < 0 ? one : one.substring(0, equals)).strip();
      if (name.equalsIgnoreCase(NAME)) {
        String number = equals < 0 ? "" : one.substring(equals + 1).strip();
        long value = Decimal.of(number, 0, number.length());
        from = from == NONE && value >= 0 ? value : MALFORMED;
      }
      start = end + 1;
    }
    return from;
  }

  /** The index of the semicolon that ends the extension from {@code start} on, or the length. */
  private static int end(String extensions, int start) {
    boolean quoted = false;
    for (int i = start; i < extensions.length(); i++) {
      char c = extensions.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '\\' && quoted) {
        i++;
      } else if (c == ';' && !quoted) {
        return i;
      }
    }
    return extensions.length();
  }
}
