package io.loligo.server.wire;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The requests that two proxies have sent, in a form in which equal ones are alike. Stateless. */
final class ComparedRequests {
  /** Both proxies write these as they like; docs/reference/differences.md says how. */
  private static final Set<String> OWN_FIELDS =
      Set.of("via", "cache-control", "connection", "surrogate-capability");

  private ComparedRequests() {}

  /** Those that {@code origin} got after the first {@code before} ones. */
  static List<String> since(ScriptedOrigin origin, int before) {
    return origin.requests().stream().skip(before).map(ComparedRequests::text).toList();
  }

  /** The start line and the fields, sorted, without those that each proxy writes as it likes. */
  static String text(WireMessage request) {
    return request
        .head()
        .lines()
        .skip(1)
        .filter(line -> !line.isEmpty())
        .map(line -> line.replaceFirst(": *", ": "))
        .filter(line -> !OWN_FIELDS.contains(name(line)))
        .map(line -> name(line) + line.substring(line.indexOf(':')))
        .sorted()
        .collect(Collectors.joining("; ", request.startLine() + " ", ""));
  }

  private static String name(String line) {
    return line.substring(0, Math.max(0, line.indexOf(':'))).toLowerCase(Locale.ROOT);
  }
}
