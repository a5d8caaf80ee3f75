package io.loligo.server.wire.hostile;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces words and escapes of a vector by their bytes. Stateless. */
public final class VectorBytes {
  private static final Pattern REPEATED = Pattern.compile("\\{([^{}]+)\\*(\\d+)}");

  private VectorBytes() {}

  /** The bytes of {@code text}, where each of {@code words} stands in braces. */
  public static String of(String text, Map<String, String> words) {
    String all = text;
    for (Map.Entry<String, String> word : words.entrySet()) {
      all = all.replace("{" + word.getKey() + "}", word.getValue());
    }
    Matcher repeated = REPEATED.matcher(all);
    all =
        repeated.replaceAll(
            found ->
                Matcher.quoteReplacement(found.group(1).repeat(Integer.parseInt(found.group(2)))));
    return unescaped(all);
  }

  private static String unescaped(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char kind = text.charAt(++i);
      switch (kind) {
        case 'r' -> out.append('\r');
        case 'n' -> out.append('\n');
        case 't' -> out.append('\t');
        case '0' -> out.append('\0');
        case '\\' -> out.append('\\');
        case 'x' -> {
          out.append((char) Integer.parseInt(text.substring(i + 1, i + 3), 16));
          i += 2;
        }
        default -> throw new IllegalArgumentException("\\" + kind + " in " + text);
      }
    }
    return out.toString();
  }
}
