package io.loligo.core.acl;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A POSIX extended regular expression (IEEE Std 1003.1 section 9.4, with GNU's word escapes),
 * translated into a pattern of an engine without catastrophic backtracking. Immutable.
 *
 * @param pattern to be searched for anywhere in the text, or null
 * @param error why there is no pattern, or null
 * @param warning a probable mistake, or null
 */
public record PosixRegex(
    @Nullable Pattern pattern, @Nullable String error, @Nullable String warning) {

  /** Compiles {@code regex}. */
  public static PosixRegex compile(String regex, boolean ignoreCase) {
    Translation translation = new Translation(regex);
    String re2 = translation.run();
    if (re2 == null) {
      return new PosixRegex(null, translation.error, null);
    }
    try {
      int flags = Pattern.DOTALL | (ignoreCase ? Pattern.CASE_INSENSITIVE : 0);
      return new PosixRegex(Pattern.compile(re2, flags), null, translation.warning);
    } catch (PatternSyntaxException e) {
      return new PosixRegex(null, e.getDescription(), null);
    }
  }

  /** One pass over the expression. Confined to one thread. */
  private static final class Translation {
    private final String regex;
    private final StringBuilder out = new StringBuilder();
    private final Deque<Integer> groups = new ArrayDeque<>();
    private int at;
    // start in out of the atom to which a quantifier would apply; -1: none
    private int atom = -1;
    private boolean quantified;
    private @Nullable String error;
    private @Nullable String warning;

    Translation(String regex) {
      this.regex = regex;
    }

    @Nullable String run() {
      while (at < regex.length() && error == null) {
        step(regex.charAt(at));
      }
      if (error == null && !groups.isEmpty()) {
        error = "Unmatched (";
      }
      return error == null ? out.toString() : null;
    }

    private void step(char c) {
      switch (c) {
        case '(' -> open();
        case ')' -> close();
        case '[' -> bracket();
        case '\\' -> escape();
        case '*', '+', '?' -> quantifier(String.valueOf(c), 1);
        case '{' -> interval();
        case '|', '^', '$' -> {
          out.append(c);
          at++;
          noAtom();
        }
        case '.' -> atom(".", 1);
        default -> atom(literal(c), 1);
      }
    }

    private void open() {
      if (regex.startsWith("(?", at)) {
        error = "(? is not part of POSIX extended expressions";
        return;
      }
      groups.push(out.length());
      out.append("(?:");
      at++;
      noAtom();
    }

    private void close() {
      if (groups.isEmpty()) { // an ordinary character, as in the GNU C library
        warn("a ) without its ( means the character )");
        atom("\\)", 1);
        return;
      }
      int start = groups.pop();
      out.append(')');
      at++;
      atom = start;
      quantified = false;
    }

    private void noAtom() {
      atom = -1;
      quantified = false;
    }

    private void atom(String text, int consumed) {
      atom = out.length();
      quantified = false;
      out.append(text);
      at += consumed;
    }

    private void quantifier(String text, int consumed) {
      at += consumed;
      if (atom < 0) {
        warn("a " + text + " with nothing before it is ignored");
        return;
      }
      if (quantified) {
        out.insert(atom, "(?:").append(')');
      }
      out.append(text);
      quantified = true;
    }

    private void interval() {
      int end = regex.indexOf('}', at);
      String inner = end < 0 ? "" : regex.substring(at + 1, end);
      if (!isInterval(inner)) {
        atom("\\{", 1);
        return;
      }
      quantifier("{" + (inner.startsWith(",") ? "0" : "") + inner + "}", end + 1 - at);
    }

    private static boolean isInterval(String inner) {
      boolean digits = false;
      boolean comma = false;
      for (int i = 0; i < inner.length(); i++) {
        char c = inner.charAt(i);
        if (c == ',' && !comma) {
          comma = true;
        } else if (c >= '0' && c <= '9') {
          digits = true;
        } else {
          return false;
        }
      }
      return digits;
    }

    private void escape() {
      if (at + 1 == regex.length()) {
        error = "Trailing backslash";
        return;
      }
      char c = regex.charAt(at + 1);
      if (c >= '1' && c <= '9') {
        error = "back-reference \\" + c + " is not supported";
        return;
      }
      switch (c) {
        case 'w', 'W', 's', 'S' -> atom("\\" + c, 2);
        case 'b', 'B' -> assertion("\\" + c);
        case '<', '>' -> assertion("\\b");
        case '`' -> assertion("\\A");
        case '\'' -> assertion("\\z");
        default -> {
          if (Character.isLetterOrDigit(c)) {
            warn("\\" + c + " means the character " + c + " in POSIX expressions");
          }
          atom(literal(c), 2);
        }
      }
    }

    private void assertion(String text) {
      out.append(text);
      at += 2;
      noAtom();
    }

    private void bracket() {
      int start = out.length();
      out.append('[');
      at++;
      if (regex.startsWith("^", at)) {
        out.append('^');
        at++;
      }
      boolean first = true;
      while (at < regex.length() && (first || regex.charAt(at) != ']')) {
        first = false;
        if (regex.startsWith("[:", at)) {
          int end = regex.indexOf(":]", at + 2);
          if (end < 0) {
            break;
          }
          out.append(regex, at, end + 2);
          at = end + 2;
        } else if (regex.startsWith("[.", at) || regex.startsWith("[=", at)) {
          error = "collating elements in brackets are not supported";
          return;
        } else {
          char c = regex.charAt(at++);
          boolean escape = c == '\\' || c == '[' || c == ']' || c == '^';
          out.append(escape ? "\\" : "").append(c);
        }
      }
      if (at >= regex.length()) {
        error = "Unmatched [";
        return;
      }
      out.append(']');
      at++;
      atom = start;
      quantified = false;
    }

    private void warn(String text) {
      if (warning == null) {
        warning = text;
      }
    }

    private static String literal(char c) {
      return "\\.+*?()|[]{}^$".indexOf(c) >= 0 ? "\\" + c : String.valueOf(c);
    }
  }
}
