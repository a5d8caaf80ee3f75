package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import java.util.Map;

/** Misses by origin and cause as JSON. Stateless. */
final class MissesJson {
  private MissesJson() {}

  /** An object of objects, in the order given. */
  static String of(Map<String, Map<String, Long>> misses) {
    JsonWriter json = JsonWriter.spaced().beginObject();
    misses.forEach(
        (origin, causes) -> {
          json.row().name(origin).beginObject();
          causes.forEach((cause, count) -> json.member(cause, (long) count));
          json.endObject();
        });
    return json.endRows().endObject() + "\n";
  }
}
