package io.loligo.server.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as a log has it. Immutable.
 *
 * @param client its address
 * @param user empty: nobody had logged in; null: the log does not say
 * @param fields lines of the request that the log has
 * @param verdict what the proxy decided
 * @param hit whether the response came from the cache
 */
record LoggedRequest(
    String client,
    String method,
    String url,
    @Nullable String user,
    List<String> fields,
    Verdict verdict,
    boolean hit,
    int status,
    long millis) {
  /** What the proxy decided. */
  enum Verdict {
    ALLOWED,
    DENIED,
    /** Neither: the request was refused before its rules, or was none. */
    NONE
  }

  /**
   * The request of {@code values}; null: a value without which nothing can be judged is missing.
   */
  static @Nullable LoggedRequest of(Map<String, String> values, LoggedFormat format, long now) {
    String client = first(values, ">a", ">A");
    String method = first(values, "rm", ">rm");
    String url = first(values, "ru", ">ru");
    String tag = first(values, "Ss");
    if (client == null || method == null || url == null || tag == null) {
      return null;
    }
    int status = number(first(values, ">Hs", "Hs"));
    String named = first(values, "un", "ul", "ue");
    String user = format.hasAny("un", "ul", "ue") ? (named == null ? "" : named) : null;
    List<String> fields = new ArrayList<>();
    values.forEach(
        (code, value) -> {
          if ((code.startsWith(">h{") || code.startsWith(">ha{")) && !value.equals("-")) {
            fields.add(code.substring(code.indexOf('{') + 1, code.length() - 1) + ": " + value);
          }
        });
    boolean none =
        url.startsWith("error:")
            || method.equals("NONE")
            || status == 400
            || tag.startsWith("NONE/")
            || (tag.startsWith("NONE_NONE") && status != 200)
            || (status == 0 && !tag.contains("TUNNEL"));
    boolean denied = tag.contains("DENIED");
    return new LoggedRequest(
        client,
        method,
        url,
        user,
        List.copyOf(fields),
        denied ? Verdict.DENIED : none ? Verdict.NONE : Verdict.ALLOWED,
        tag.toUpperCase(Locale.ROOT).contains("HIT"),
        status,
        millis(values, now));
  }

  private static @Nullable String first(Map<String, String> values, String... codes) {
    for (String code : codes) {
      String value = values.get(code);
      if (value != null && !value.isEmpty() && !value.equals("-")) {
        return value;
      }
    }
    return null;
  }

  private static int number(@Nullable String text) {
    return text != null && text.matches("[0-9]{1,3}") ? Integer.parseInt(text) : 0;
  }

  private static long millis(Map<String, String> values, long now) {
    String seconds = values.get("ts");
    return seconds != null && seconds.matches("[0-9]{1,11}")
        ? Long.parseLong(seconds) * 1_000
        : now;
  }
}
