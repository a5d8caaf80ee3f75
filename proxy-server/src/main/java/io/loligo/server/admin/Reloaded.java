package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import java.util.List;

/**
 * The outcome of a reload. Immutable.
 *
 * @param done false: the old configuration stays in force
 * @param lines the report, one line each: why it failed, with the line of the file, or which values
 *     take effect at the next start
 */
public record Reloaded(boolean done, List<String> lines) {
  /** For people. */
  public String text() {
    return (done ? "reloaded" : "not reloaded, the old configuration stays in force")
        + (lines.isEmpty() ? "" : ":\n" + String.join("\n", lines));
  }

  /** For programs. */
  String json() {
    JsonWriter json = JsonWriter.compact().beginObject().member("reloaded", done);
    json.name("lines").beginArray();
    lines.forEach(json::value);
    return json.endArray().endObject().toString();
  }
}
