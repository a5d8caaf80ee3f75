package io.loligo.server.admin;

import io.loligo.server.history.History;
import io.loligo.server.json.JsonWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A {@link HistoryTable} as JSON: the times, then an array for each column. Stateless. */
public final class HistoryJson {
  private HistoryJson() {}

  /**
   * The page of a history.
   *
   * @param history gives null while there is none
   * @param thread decodes it: 30 days take a tenth of a second. It may refuse work
   */
  public static AdminPage page(Supplier<@Nullable History> history, Executor thread) {
    return parameters -> {
      try {
        return CompletableFuture.supplyAsync(() -> answer(history.get(), parameters), thread);
      } catch (RejectedExecutionException full) {
        return CompletableFuture.completedFuture(
            AdminReply.text(503, "too many requests for the history are waiting"));
      }
    };
  }

  /**
   * Answers a request.
   *
   * @param history null: there is none
   * @param parameters those of the query: {@code range}, {@code series} and {@code step}
   */
  static AdminReply answer(@Nullable History history, Map<String, List<String>> parameters) {
    List<String> names = parameters.getOrDefault("series", List.of());
    try {
      HistoryTable table =
          HistoryTable.of(
              history, single(parameters, "range", "5m"), single(parameters, "step", ""), names);
      return AdminReply.json(200, text(table, names.isEmpty()));
    } catch (IllegalArgumentException wrong) {
      return AdminReply.text(400, String.valueOf(wrong.getMessage()));
    } catch (NoSuchElementException none) {
      return AdminReply.text(404, String.valueOf(none.getMessage()));
    }
  }

  private static String single(Map<String, List<String>> parameters, String name, String without) {
    List<String> values = parameters.getOrDefault(name, List.of());
    return values.isEmpty() ? without : values.size() == 1 ? values.get(0) : "?";
  }

  private static String text(HistoryTable table, boolean onlyUsed) {
    JsonWriter json = JsonWriter.compact().beginObject();
    json.member("range", table.range().word());
    json.member("step", table.stepSeconds());
    json.name("since");
    Long sinceSeconds = table.sinceSeconds();
    if (sinceSeconds == null) {
      json.value(null);
    } else {
      json.value(sinceSeconds.longValue());
    }
    json.name("times").beginArray();
    Arrays.stream(table.times()).forEach(json::value);
    json.endArray().name("covered").beginArray();
    Arrays.stream(table.coveredMillis()).forEach(json::value);
    json.endArray().name("series").beginObject();
    for (HistoryTable.Column column : table.columns()) {
      if (column.isUsed() || !onlyUsed) {
        json.name(column.name()).beginArray();
        Arrays.stream(column.values()).forEach(json::value);
        json.endArray();
      }
    }
    return json.endObject().endObject().toString();
  }
}
