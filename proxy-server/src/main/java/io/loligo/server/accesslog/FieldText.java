package io.loligo.server.accesslog;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The header field for a code like {@code %{Name}>h}: one by name, one element of its list ({@code
 * {Cookie:;session}}), or the whole head. Immutable.
 *
 * <p>The whole head shows that credentials and cookies were present, never their values: cookies
 * must be requested by name. Of Authorization and Proxy-Authorization, only the scheme is shown.
 */
final class FieldText {
  private static final FieldSet SECRET =
      FieldSet.of(
          FieldName.AUTHORIZATION,
          FieldName.PROXY_AUTHORIZATION,
          FieldName.COOKIE,
          FieldName.SET_COOKIE);

  /** Credentials, of which no code shows more than the scheme. */
  private static final FieldSet LOGINS =
      FieldSet.of(FieldName.AUTHORIZATION, FieldName.PROXY_AUTHORIZATION);

  private final @Nullable String name;
  private final @Nullable String element;
  private final char separator;

  private FieldText(@Nullable String name, @Nullable String element, char separator) {
    this.name = name;
    this.element = element;
    this.separator = separator;
  }

  /**
   * @param argument {@code Name}, {@code Name:element}, {@code Name:;element}, or null for all
   */
  static FieldText of(@Nullable String argument) {
    if (argument == null) {
      return new FieldText(null, null, ',');
    }
    int colon = argument.indexOf(':', 1); // :version is a name
    if (colon < 0) {
      return new FieldText(argument, null, ',');
    }
    String element = argument.substring(colon + 1);
    char first = element.isEmpty() ? 'a' : element.charAt(0);
    return Character.isLetterOrDigit(first)
        ? new FieldText(argument.substring(0, colon), element, ',')
        : new FieldText(argument.substring(0, colon), element.substring(1), first);
  }

  /** Appends the requested text; nothing if {@code fields} lacks it or is null. */
  void write(@Nullable Fields fields, LogLine line) {
    if (fields == null) {
      return;
    }
    if (name == null) {
      writeAll(fields, line);
    } else if (element == null) {
      writeJoined(fields, name, line);
    } else {
      writeElement(fields, name, element, line);
    }
  }

  private static void writeJoined(Fields fields, String name, LogLine line) {
    for (int i = fields.next(name, 0); i >= 0; ) {
      writeValue(fields, i, line);
      i = fields.next(name, i + 1);
      if (i >= 0) {
        line.append(", ");
      }
    }
  }

  private static void writeValue(Fields fields, int i, LogLine line) {
    int start = fields.valueStart(i);
    int end = fields.valueEnd(i);
    if (LOGINS.has(fields.id(i))) {
      int scheme = start;
      while (scheme < end && fields.bytes()[scheme] != ' ') {
        scheme++;
      }
      // a value without a blank may be the credentials themselves
      line.append(fields.bytes(), start, scheme < end ? scheme : start);
      line.append(" -");
    } else {
      line.append(fields.bytes(), start, end);
    }
  }

  private void writeElement(Fields fields, String name, String element, LogLine line) {
    int first = fields.next(name, 0);
    String list = first < 0 || LOGINS.has(fields.id(first)) ? null : fields.joined(name);
    if (list == null) {
      return;
    }
    String wanted = element.toLowerCase(Locale.ROOT);
    int start = 0;
    boolean quoted = false;
    for (int i = 0; i <= list.length(); i++) {
      if (i < list.length() && list.charAt(i) == '"') {
        quoted = !quoted;
      }
      if (i == list.length() || (!quoted && isBetween(list.charAt(i)))) {
        String item = list.substring(start, i).strip();
        String lower = item.toLowerCase(Locale.ROOT);
        if (lower.startsWith(wanted + "=")) {
          line.append(item.substring(wanted.length() + 1));
          return;
        }
        if (lower.equals(wanted)) {
          line.append(item);
          return;
        }
        start = i + 1;
      }
    }
  }

  /** A comma separates members whatever the separator is, as in Squid. */
  private boolean isBetween(char c) {
    return c == separator || c == ',';
  }

  private static void writeAll(Fields fields, LogLine line) {
    for (int i = 0; i < fields.count(); i++) {
      int nameStart = fields.nameStart(i);
      line.append(fields.bytes(), nameStart, nameStart + fields.nameLength(i));
      line.append(": ");
      if (SECRET.has(fields.id(i))) {
        line.append('-');
      } else {
        line.append(fields.bytes(), fields.valueStart(i), fields.valueEnd(i));
      }
      line.append("\r\n");
    }
  }
}
