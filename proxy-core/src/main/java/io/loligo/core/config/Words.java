package io.loligo.core.config;

import io.loligo.core.acl.AclType;
import java.util.ArrayList;
import java.util.List;

/** Splits a line into words. Stateless. */
public final class Words {
  /** The beginning of the other form that names a file of values. */
  static final String PARAMETERS = "parameters(";

  private Words() {}

  /** A line's words and its comment, with the {@code #}, or the empty string. */
  record Split(List<String> words, String comment) {}

  static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
  }

  /**
   * Splits at blanks; {@code #} at the start of a word begins a comment. In quoted mode ({@code
   * configuration_includes_quoted_values on}) quotes join words and are removed. Otherwise they are
   * ordinary, except that a quote before a value of an {@code acl} begins a word that extends to
   * the next one, including blanks; it names a file, see {@link AclLines}. In expressions a blank
   * after a backslash is part of the word.
   */
  static Split split(String line, boolean quoted) {
    List<String> words = new ArrayList<>();
    int at = 0;
    while (true) {
      while (at < line.length() && isBlank(line.charAt(at))) {
        at++;
      }
      if (at == line.length()) {
        return new Split(words, "");
      }
      char c = line.charAt(at);
      if (c == '#') {
        return new Split(words, line.substring(at));
      }
      int end = quoted && isQuote(c) ? closing(line, at) : -1;
      if (end > 0) {
        words.add(unquote(line.substring(at + 1, end)));
        at = end + 1;
      } else {
        int start = at;
        at += line.startsWith(PARAMETERS, at) ? PARAMETERS.length() : 0;
        if (words.size() > 2 && words.get(0).equals("acl") && isQuoteAt(line, at)) {
          at = Math.max(at, nextQuote(line, at + 1));
        }
        boolean escapes = takesExpressions(words);
        while (at < line.length() && !isBlank(line.charAt(at))) {
          at += escapes && line.charAt(at) == '\\' && at + 1 < line.length() ? 2 : 1;
        }
        words.add(line.substring(start, at));
      }
    }
  }

  /**
   * Whether the next word may be an expression, in which a blank after a backslash belongs to the
   * word.
   */
  private static boolean takesExpressions(List<String> words) {
    if (words.size() < 3 || !words.get(0).equals("acl")) {
      return !words.isEmpty() && words.get(0).equals("refresh_pattern");
    }
    AclType type = AclType.of(words.get(2));
    return type != null && type.takesExpressions();
  }

  static boolean isQuoteAt(String text, int at) {
    return at < text.length() && isQuote(text.charAt(at));
  }

  private static boolean isQuote(char c) {
    return c == '"' || c == '\'';
  }

  /** Where the next quote of either kind is, or -1. */
  static int nextQuote(String text, int from) {
    int at = from;
    while (at < text.length() && !isQuote(text.charAt(at))) {
      at++;
    }
    return at == text.length() ? -1 : at;
  }

  /** Where the quote at {@code start} of {@code line} is closed, escaped ones left out; or -1. */
  public static int closing(String line, int start) {
    for (int at = start + 1; at < line.length(); at++) {
      if (line.charAt(at) == '\\') {
        at++;
      } else if (line.charAt(at) == line.charAt(start)) {
        return at;
      }
    }
    return -1;
  }

  /** Where the first word of {@code text} ends, which begins with it. */
  public static int end(String text) {
    int at = 0;
    while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** The names of ACLs in {@code text}, the rest of a line, up to a comment. */
  public static List<String> terms(String text) {
    List<String> terms = new ArrayList<>();
    for (String term : text.strip().split("[ \t]+", -1)) {
      if (term.startsWith("#")) {
        break;
      }
      if (!term.isEmpty()) {
        terms.add(term);
      }
    }
    return List.copyOf(terms);
  }

  /** {@code text} without the backslashes that escape its characters. */
  public static String unquote(String text) {
    StringBuilder plain = new StringBuilder();
    for (int at = 0; at < text.length(); at++) {
      if (text.charAt(at) == '\\' && at + 1 < text.length()) {
        at++;
      }
      plain.append(text.charAt(at));
    }
    return plain.toString();
  }
}
