package io.loligo.server.admin;

import java.util.Map;

/** Misses by origin and cause as JSON. Stateless. */
final class MissesJson {
  private MissesJson() {}

  /** An object of objects, in the order given. */
  static String of(Map<String, Map<String, Long>> misses) {
    StringBuilder json = new StringBuilder("{");
    misses.forEach(
        (origin, causes) -> {
          json.append(json.length() == 1 ? "\n  " : ",\n  ");
          json.append(JsonText.quoted(origin)).append(": {");
          String separator = "";
          for (Map.Entry<String, Long> cause : causes.entrySet()) {
            json.append(separator).append(JsonText.quoted(cause.getKey()));
            json.append(": ").append(cause.getValue());
            separator = ", ";
          }
          json.append('}');
        });
    return json.append("\n}\n").toString();
  }
}
