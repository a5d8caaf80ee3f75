package io.loligo.server.tls;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Evaluates a list of cipher suites in OpenSSL's syntax for TLS 1.2. Immutable.
 *
 * @param suites IANA names, in order of preference
 * @param empty words that name suites which do not exist here
 * @param unknown words that are not understood: the list cannot take effect
 */
record CipherList(List<String> suites, List<String> empty, List<String> unknown) {
  /** The value of {@code text}, such as {@code ECDHE+AESGCM:!aNULL}. */
  static CipherList of(String text) {
    return new Evaluation().of(text);
  }

  /** The suites so far. */
  private static final class Evaluation {
    private final List<CipherSuite> chosen = new ArrayList<>();
    private final Set<CipherSuite> banned = EnumSet.noneOf(CipherSuite.class);
    private final List<String> empty = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();

    CipherList of(String text) {
      for (String word : text.split("[:, ;]+", -1)) {
        if (!word.isEmpty()) {
          take(word);
        }
      }
      List<String> names = chosen.stream().map(CipherSuite::iana).toList();
      return new CipherList(names, List.copyOf(empty), List.copyOf(unknown));
    }

    private void take(String word) {
      int at = word.indexOf('@');
      if (at > 0) {
        take(word.substring(0, at));
        take(word.substring(at));
        return;
      }
      switch (word) {
        case "@STRENGTH" -> chosen.sort(Comparator.comparingInt(CipherSuite::bits).reversed());
        case "@SECLEVEL=0", "@SECLEVEL=1" -> {} // below the level that holds anyway
        default -> apply(word);
      }
    }

    private void apply(String word) {
      char sign = word.charAt(0);
      boolean signed = sign == '!' || sign == '-' || sign == '+';
      List<CipherSuite> named = CipherSuite.named(signed ? word.substring(1) : word);
      if (named == null) {
        unknown.add(word);
        return;
      }
      if (named.isEmpty()) {
        empty.add(word);
      }
      switch (sign) {
        case '!' -> {
          banned.addAll(named);
          chosen.removeAll(named);
        }
        case '-' -> chosen.removeAll(named);
        case '+' -> {
          List<CipherSuite> moved = named.stream().filter(chosen::contains).toList();
          chosen.removeAll(moved);
          chosen.addAll(moved);
        }
        default ->
            named.stream()
                .filter(suite -> !banned.contains(suite) && !chosen.contains(suite))
                .forEach(chosen::add);
      }
    }
  }
}
