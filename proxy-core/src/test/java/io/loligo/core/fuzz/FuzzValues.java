package io.loligo.core.fuzz;

import java.nio.charset.StandardCharsets;

/** Shared code of fuzz targets. */
final class FuzzValues {
  private FuzzValues() {}

  /** As the value of a field that the parser lets through: without controls, stripped. */
  static String line(byte[] bytes) {
    StringBuilder text = new StringBuilder(new String(bytes, StandardCharsets.ISO_8859_1));
    for (int i = 0; i < text.length(); i++) {
      if ((text.charAt(i) < ' ' && text.charAt(i) != '\t') || text.charAt(i) == 0x7f) {
        text.setCharAt(i, ' ');
      }
    }
    int start = 0;
    int end = text.length();
    while (start < end && isBlank(text.charAt(start))) {
      start++;
    }
    while (end > start && isBlank(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(start, end);
  }

  private static boolean isBlank(char character) {
    return character == ' ' || character == '\t';
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
