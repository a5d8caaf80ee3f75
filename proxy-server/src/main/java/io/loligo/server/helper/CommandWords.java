package io.loligo.server.helper;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits a command line into words as Squid does, without a shell: a word that begins with {@code
 * "} or {@code '} extends to the next one of these, blanks included. In it, a backslash precedes a
 * character that counts as such; {@code \r}, {@code \n} and {@code \t} are control characters.
 * Other words end at a blank. {@code #} at the start of a word begins a comment. Confined to one
 * call.
 */
final class CommandWords {
  private final String text;
  private final List<String> words = new ArrayList<>();
  private int at;

  private CommandWords(String text) {
    this.text = text;
  }

  /** The words of {@code text}; null: a quote is not closed, or not where a word ends. */
  static @Nullable List<String> of(String text) {
    CommandWords command = new CommandWords(text);
    return command.read() ? List.copyOf(command.words) : null;
  }

  private boolean read() {
    while (true) {
      while (at < text.length() && isBlank(text.charAt(at))) {
        at++;
      }
      if (at == text.length() || text.charAt(at) == '#') {
        return true;
      }
      char first = text.charAt(at);
      if (first == '"' || first == '\'') {
        if (!quoted(first)) {
          return false;
        }
      } else {
        plain();
      }
    }
  }

  private void plain() {
    int start = at;
    while (at < text.length() && !isBlank(text.charAt(at))) {
      at++;
    }
    words.add(text.substring(start, at));
  }

  private boolean quoted(char quote) {
    StringBuilder word = new StringBuilder();
    for (at++; at < text.length() && text.charAt(at) != quote; at++) {
      char c = text.charAt(at);
      if (c == '\\' && at + 1 < text.length()) {
        at++;
        c = escaped(text.charAt(at));
        if (c == 0) {
          return false;
        }
      }
      word.append(c);
    }
    if (at == text.length()) {
      return false;
    }
    at++;
    words.add(word.toString());
    return at == text.length() || isBlank(text.charAt(at)) || "()#".indexOf(text.charAt(at)) >= 0;
  }

  /** The character that {@code c} stands for behind a backslash; NUL: none. */
  private static char escaped(char c) {
    return switch (c) {
      case 'r' -> '\r';
      case 'n' -> '\n';
      case 't' -> '\t';
      default -> (c < 0x80 && Character.isLetterOrDigit(c)) ? 0 : c;
    };
  }

  private static boolean isBlank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }
}
