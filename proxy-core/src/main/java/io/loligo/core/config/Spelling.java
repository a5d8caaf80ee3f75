package io.loligo.core.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Guesses the directive of a misspelt name. Stateless. */
final class Spelling {
  private static final int MOST_EDITS = 2;

  private Spelling() {}

  /** The directive with the fewest edits from {@code name}, or null if none is near. */
  static @Nullable String nearest(String name, Directives directives) {
    return nearest(name, directives.all().stream().map(Directive::name).toList());
  }

  /** The same of {@code known} names. */
  static @Nullable String nearest(String name, List<String> known) {
    String best = null;
    int fewest = MOST_EDITS + 1;
    for (String one : known) {
      int edits = distance(name, one);
      if (edits < fewest) {
        fewest = edits;
        best = one;
      }
    }
    return best;
  }

  private static int distance(String a, String b) {
    if (Math.abs(a.length() - b.length()) > MOST_EDITS) {
      return MOST_EDITS + 1;
    }
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replace = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replace, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
