package io.loligo.core.config;

import java.util.ArrayList;
import java.util.List;

/** Splits a line into words. Stateless. */
final class Words {
  private Words() {}

  /** A line's words and its comment, with the {@code #}, or the empty string. */
  record Split(List<String> words, String comment) {}

  static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
  }

  /**
   * Splits at blanks; {@code #} at the start of a word begins a comment. In quoted mode ({@code
   * configuration_includes_quoted_values on}) quotes join words and are removed. Else they are
   * ordinary, except that {@code "two words"} after an {@code acl} stays one word, quotes kept.
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
      boolean file = c == '"' && words.size() > 2 && words.get(0).equals("acl");
      int end = c == '"' || (quoted && c == '\'') ? closing(line, at, quoted) : -1;
      if (end > 0 && (quoted || file)) {
        words.add(file ? line.substring(at, end + 1) : unquote(line.substring(at + 1, end)));
        at = end + 1;
      } else {
        int start = at;
        while (at < line.length() && !isBlank(line.charAt(at))) {
          at++;
        }
        words.add(line.substring(start, at));
      }
    }
  }

  private static int closing(String line, int start, boolean escapes) {
    for (int at = start + 1; at < line.length(); at++) {
      if (escapes && line.charAt(at) == '\\') {
        at++;
      } else if (line.charAt(at) == line.charAt(start)) {
        return at;
      }
    }
    return -1;
  }

  private static String unquote(String text) {
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
