package io.loligo.server.admin;

import java.util.List;

/**
 * How it went to put the configuration file in force. Immutable.
 *
 * @param done false: everything is as it was
 * @param lines what there is to say, one line each: why not, with the line of the file, or what
 *     takes effect at the next start
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
