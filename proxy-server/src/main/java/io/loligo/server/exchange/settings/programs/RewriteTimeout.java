package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.TimeWords;
import io.loligo.server.helper.HelperReply;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code url_rewrite_timeout}. Immutable.
 *
 * @param millis the time of a question; 0: no line gives one
 * @param action what follows
 * @param reply the answer in place of the helper's, for {@link Action#ANSWER}
 */
public record RewriteTimeout(long millis, Action action, @Nullable HelperReply reply) {
  /** What follows when the helper has not answered in time. */
  public enum Action {
    /** The client gets an error. */
    FAIL,
    /** The request continues unchanged. */
    BYPASS,
    /** The helper is asked again, twice at most; then the client gets an error. */
    RETRY,
    /** A configured answer holds. */
    ANSWER
  }

  static final RewriteTimeout NONE = new RewriteTimeout(0, Action.FAIL, null);

  static final String FORM =
      "NUMBER UNIT on_timeout=fail|bypass|retry|use_configured_response [response=\"ANSWER\"]";

  private static final Map<String, Action> ACTIONS =
      Map.of(
          "on_timeout=fail", Action.FAIL,
          "on_timeout=bypass", Action.BYPASS,
          "on_timeout=retry", Action.RETRY,
          "on_timeout=use_configured_response", Action.ANSWER);

  private static final long MOST_SECONDS = 86_400;

  /** Reads the lines; the last one holds. Confined to one thread. */
  static final class Lines implements LineReader<RewriteTimeout> {
    private static final String RESPONSE = "response=";

    private final Report report;
    private RewriteTimeout timeout = NONE;

    Lines(Reading reading) {
      report = reading.report();
    }

    @Override
    public void read(Line line) {
      List<String> words = line.values();
      Action action = words.size() < 3 ? null : ACTIONS.get(words.get(2));
      if (action == null) {
        report.error(line, String.join(" ", words), FORM, "");
        return;
      }
      long seconds = TimeWords.seconds(line, words.subList(0, 2), report);
      if (seconds == 0) {
        report.error(line, words.get(0), FORM, "");
      }
      if (seconds <= 0) {
        return;
      }
      boolean answers = words.size() > 3 && words.get(3).startsWith(RESPONSE);
      if (answers != (action == Action.ANSWER) || (!answers && words.size() > 3)) {
        report.error(line, String.join(" ", words.subList(2, words.size())), FORM, "");
        return;
      }
      HelperReply reply = answers ? HelperReply.read(response(line)) : null;
      timeout = new RewriteTimeout(Math.min(MOST_SECONDS, seconds) * 1000, action, reply);
    }

    private static String response(Line line) {
      String text = line.textBehind(4).substring(RESPONSE.length());
      int end = text.lastIndexOf('"');
      return text.startsWith("\"") && end > 0
          ? text.substring(1, end).replace("\\\"", "\"")
          : line.values().get(3).substring(RESPONSE.length());
    }

    @Override
    public RewriteTimeout value() {
      return timeout;
    }
  }
}
