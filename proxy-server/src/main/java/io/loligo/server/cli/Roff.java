package io.loligo.server.cli;

import java.util.Locale;

/** Writes one man page, in the macros of man(7). Confined to one thread. */
final class Roff {
  private final StringBuilder text = new StringBuilder();

  Roff(String name, int section) {
    text.append(".TH ").append(quoted(name.toUpperCase(Locale.ROOT))).append(' ').append(section);
    text.append(" \"\" \"Loligo\"\n");
  }

  Roff section(String title) {
    text.append(".SH ").append(quoted(title)).append('\n');
    return this;
  }

  Roff paragraph(String words) {
    text.append(".PP\n").append(line(words));
    return this;
  }

  /** A line in bold. */
  Roff bold(String words) {
    text.append(".PP\n\\fB").append(escaped(words)).append("\\fR\n");
    return this;
  }

  /** A term and, indented, its meaning. */
  Roff entry(String term, String meaning) {
    text.append(".TP\n\\fB").append(escaped(term)).append("\\fR\n").append(line(meaning));
    return this;
  }

  /** Lines as they are. */
  Roff verbatim(String... lines) {
    text.append(".nf\n");
    for (String one : lines) {
      text.append(line(one.strip()));
    }
    text.append(".fi\n");
    return this;
  }

  /** The page so far. */
  @Override
  public String toString() {
    return text.toString();
  }

  /** A line of text, which is no request whatever it begins with. */
  private static String line(String words) {
    StringBuilder lines = new StringBuilder();
    for (String one : words.strip().split("\n", -1)) {
      lines.append("\\&").append(escaped(one)).append('\n');
    }
    return lines.toString();
  }

  private static String quoted(String words) {
    return "\"" + escaped(words).replace("\"", "\\(dq") + "\"";
  }

  private static String escaped(String words) {
    return words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq");
  }
}
