package io.loligo.core.config;

import java.util.List;

/**
 * One logical line: continuations joined, macros expanded, comment removed. Immutable.
 *
 * @param file its file
 * @param number of its first physical line, from 1
 * @param text without leading blanks, comment included
 * @param words directive and values
 * @param waived whether a {@code # loligo: waive} is above or at its end
 * @param quoted whether quotes were around words and were removed ({@code
 *     configuration_includes_quoted_values on})
 */
public record Line(
    String file, int number, String text, List<String> words, boolean waived, boolean quoted) {
  /** The first word. */
  public String directive() {
    return words.get(0);
  }

  /** The words after it. */
  public List<String> values() {
    return words.subList(1, words.size());
  }

  /** {@code file:line}. */
  public String source() {
    return file + ":" + number;
  }

  /** The text after the first {@code count} words, as written, comments included. */
  public String textBehind(int count) {
    int at = 0;
    for (int i = 0; i < count; i++) {
      while (at < text.length() && !Words.isBlank(text.charAt(at))) {
        at++;
      }
      while (at < text.length() && Words.isBlank(text.charAt(at))) {
        at++;
      }
    }
    return text.substring(at).strip();
  }
}
