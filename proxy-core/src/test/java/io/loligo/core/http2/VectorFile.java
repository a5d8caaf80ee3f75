package io.loligo.core.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A file of messages as HTTP/2 expresses them: a verdict, then a line for each field. {@code \xNN}
 * is a byte, a blank line ends a message, {@code #} begins a comment. Stateless.
 */
final class VectorFile {
  private VectorFile() {}

  /** The messages of the file {@code name} beside this class. */
  static Stream<String> messages(String name) throws IOException {
    try (InputStream in = VectorFile.class.getResourceAsStream(name)) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), ISO_8859_1);
      return Stream.of(text.split("\n\n", -1)).filter(each -> !each.startsWith("#"));
    }
  }

  /** The first line of {@code message}. */
  static String verdict(String message) {
    return lines(message)[0];
  }

  /** Names and values of its fields by turns. */
  static String[] fields(String message) {
    String[] lines = lines(message);
    String[] fields = new String[2 * (lines.length - 1)];
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(": ", 1);
      fields[2 * i - 2] = bytes(lines[i].substring(0, colon));
      fields[2 * i - 1] = bytes(lines[i].substring(colon + 2));
    }
    return fields;
  }

  private static String[] lines(String message) {
    String lines = message;
    while (lines.endsWith("\n")) {
      lines = lines.substring(0, lines.length() - 1);
    }
    return lines.split("\n", -1);
  }

  private static String bytes(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      if (text.startsWith("\\x", i)) {
        plain.append((char) Integer.parseInt(text.substring(i + 2, i + 4), 16));
        i += 3;
      } else {
        plain.append(text.charAt(i));
      }
    }
    return plain.toString();
  }
}
